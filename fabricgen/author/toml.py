"""TOML text as plain values; every way to be malformed becomes one finding."""

import re
import tomllib

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["MOST_KEY_PARTS", "read_toml"]

#: Parts of the longest dotted key; the parser's time and memory grow with their square.
MOST_KEY_PARTS = 64

#: Strings and comments, closed or not: dots in them separate nothing.
_OPAQUE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)|"(?:[^"\\\n]|\\.)*+"?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)|'[^'\n]*+'?|#[^\n]*+",
    re.DOTALL,
)
_LONG_KEY = re.compile(rf"(?<![\w\-])(?:[\w\-]++[ \t]*+\.[ \t]*+){{{MOST_KEY_PARTS}}}", re.ASCII)


def read_toml(text: str) -> dict[str, object]:
    """Parse TOML.

    Raises
    ------
    Invalid
        ``toml-syntax``; the message has the line and column where the parser knows them.
    """
    if text.count(".") >= MOST_KEY_PARTS and _LONG_KEY.search(_OPAQUE.sub(_in_place_of, text)):
        raise _syntax(f"a key must have at most {MOST_KEY_PARTS} parts, not more")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _syntax("nesting must be moderate, not deeper than the parser can follow") from None
    except ValueError as error:
        # TOMLDecodeError is a ValueError, and so is an integer of thousands of digits.
        raise _syntax(str(error)) from None


def _in_place_of(opaque: re.Match[str]) -> str:
    """Leave a part of a key where a string may be one."""
    return "" if opaque[0].startswith("#") else "_"


def _syntax(reason: str) -> Invalid:
    return Invalid(
        Diagnostic("toml-syntax", "document", f"The text must be TOML 1.0, not broken: {reason}")
    )
