"""The authoring door of a memory macro: TOML text to its shape."""

import re
from collections import Counter
from collections.abc import Iterator

from fabricgen.author.document import shown, validated
from fabricgen.author.findings import Findings
from fabricgen.author.macro_document import MacroDocument
from fabricgen.author.toml import read_toml
from fabricgen.check.keywords import VERILOG_KEYWORDS
from fabricgen.errors import Diagnostic
from fabricgen.records.storage_macro import MacroPins, StorageMacro

__all__ = ["parse_macro"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def parse_macro(text: str) -> StorageMacro:
    """Read a macro document; ``Invalid`` has all findings, with paths inside the document."""
    findings = Findings()
    document, found = validated(MacroDocument, read_toml(text))
    findings.diagnostics += found
    if document is not None:
        findings.diagnostics += _findings(document)
    document = findings.result(document)
    return StorageMacro(
        module=document.module,
        words=document.words,
        bits=document.bits,
        mask_bits=document.mask_bits,
        low_mask=document.write_mask == "active_low",
        low_enables=document.enables == "active_low",
        pins=MacroPins(**dict(document.pins)),
    )


def _findings(document: MacroDocument) -> Iterator[Diagnostic]:
    """Names that Verilog has not, and shapes that cannot be put together."""
    pins = dict(document.pins)
    for where, name in (("module", document.module), *((f"pins.{pin}", pins[pin]) for pin in pins)):
        if not _NAME.fullmatch(name) or name in VERILOG_KEYWORDS:
            yield Diagnostic(
                "macro-name",
                where,
                f"The name must be a plain identifier of Verilog and no keyword, not {shown(name)}",
            )
    for name, count in Counter(pins.values()).items():
        if count > 1:
            yield Diagnostic(
                "macro-name",
                "pins",
                f"Each pin must have a name of its own, not {shown(name)} again",
            )
    if document.words & (document.words - 1) or document.words == 1:
        yield Diagnostic(
            "macro-shape", "words", f"The words must be a power of two from 2, not {document.words}"
        )
    if document.bits % document.mask_bits:
        yield Diagnostic(
            "macro-shape",
            "bits",
            f"The bits must be a multiple of the {document.mask_bits} behind each bit of the mask, "
            f"not {document.bits}",
        )
