"""TOML text as plain values; every way to be malformed becomes one finding."""

import tomllib

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["read_toml"]


def read_toml(text: str) -> dict[str, object]:
    """Parse TOML.

    Raises
    ------
    Invalid
        ``toml-syntax``; the message has the line and column where the parser knows them.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _syntax("nesting must be moderate, not deeper than the parser can follow") from None
    except ValueError as error:
        # TOMLDecodeError is a ValueError, and so is an integer of thousands of digits.
        raise _syntax(str(error)) from None


def _syntax(reason: str) -> Invalid:
    return Invalid(
        Diagnostic("toml-syntax", "document", f"The text must be TOML 1.0, not broken: {reason}")
    )
