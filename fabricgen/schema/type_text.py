"""Texts of value types, as types print themselves, read strictly."""

import re
from dataclasses import replace

from fabricgen.atoms.pointer import PointerFormat
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.schema.types import (
    FloatType,
    IndexType,
    IntegerType,
    NoneType,
    PointerType,
    ValueType,
    VectorType,
)
from fabricgen.vocab.hardware import FloatFormat, ResolvedIndexWidth

__all__ = ["TYPE_PATTERN", "parse_type"]

_NUMBER = "[1-9][0-9]{0,9}"
_ELEMENT = f"(i{_NUMBER}|f16|bf16|f32|f64)"
_POINTER = f"ptr{_NUMBER}(<(0|{_NUMBER}),{_NUMBER}>)?"
#: Texts that may be types; whether the numbers of one are in range is not said.
TYPE_PATTERN = f"^({_ELEMENT}|index32|index64|none|{_POINTER}|vector<({_NUMBER}x)+{_ELEMENT}>)$"

_WORDS: dict[str, ValueType] = {
    str(each): each
    for each in (
        NoneType(),
        *map(FloatType, FloatFormat),
        *map(IndexType, ResolvedIndexWidth),
    )
}
_SHOWN_CHARACTERS = 16


def parse_type(text: str, where: str) -> ValueType:
    """Read one type: ``i32``, ``bf16``, ``index64``, ``none``, ``vector<2x4xi8>``, ``ptr64``.

    A pointer of another address space than 0, or with fewer address bits than it has bits, names
    both: ``ptr64<1,48>``.

    Raises
    ------
    Invalid
        ``value-type-text`` with the position of what does not belong there;
        ``value-type-range`` or the pointer's code for numbers out of range.
    """
    reader = _Reader(text, where)
    try:
        kind = reader.value()
    except Invalid as error:
        raise Invalid(*(replace(each, where=where) for each in error.diagnostics)) from None
    reader.end()
    return kind


class _Reader:
    """One text from left to right."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where, self._at = text, where, 0

    def value(self) -> ValueType:
        """Any type."""
        if self._takes("vector<"):
            return self._vector()
        if self._takes("ptr"):
            return self._pointer()
        return self._scalar("a type")

    def end(self) -> None:
        """Nothing more."""
        if self._at < len(self._text):
            raise self._unexpected("its end")

    def _scalar(self, expected: str) -> ValueType:
        word = re.compile("[a-z]+[0-9]*").match(self._text, self._at)
        if word is not None and word[0] in _WORDS:
            self._at = word.end()
            return _WORDS[word[0]]
        if word is None or not re.match("i[0-9]", word[0]):
            raise self._unexpected(expected)
        self._at += 1
        return IntegerType(self._number("a width"))

    def _vector(self) -> VectorType:
        shape = [self._extent()]
        while re.compile("[0-9]").match(self._text, self._at):
            shape.append(self._extent())
        start = self._at
        element = self._scalar("an integer or float")
        if not isinstance(element, IntegerType | FloatType):
            self._at = start
            raise self._unexpected("an integer or float")
        self._expect(">")
        return VectorType(tuple(shape), element)

    def _extent(self) -> int:
        extent = self._number("an extent")
        self._expect("x")
        return extent

    def _pointer(self) -> PointerType:
        bits = self._number("a width")
        if not self._takes("<"):
            return PointerType(PointerFormat(0, bits, bits))
        space = 0 if self._takes("0") else self._number("an address space")
        self._expect(",")
        address = self._number("a number of address bits")
        self._expect(">")
        return PointerType(PointerFormat(space, bits, address))

    def _number(self, expected: str) -> int:
        digits = re.compile(f"{_NUMBER}(?![0-9])").match(self._text, self._at)
        if digits is None:
            raise self._unexpected(f"{expected} of 1 to 10 digits without leading zeros")
        self._at = digits.end()
        return int(digits[0])

    def _expect(self, text: str) -> None:
        if not self._takes(text):
            raise self._unexpected(f'"{text}"')

    def _takes(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _unexpected(self, expected: str) -> Invalid:
        rest = self._text[self._at : self._at + _SHOWN_CHARACTERS]
        found = '"' + rest.encode("unicode_escape").decode("ascii") + '"' if rest else "its end"
        return Invalid(
            Diagnostic(
                "value-type-text",
                self._where,
                f"The type must have {expected} at character {self._at + 1}, not {found}",
            )
        )
