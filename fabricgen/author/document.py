"""The base of all authoring documents, and pydantic's errors as our findings.

Union members carry a tag that starts with ``~``. Pydantic puts it into an error's location; a key
may be spelled like a tag, so :func:`_walk` tells them apart by the model that is being read.
"""

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Tag, ValidationError
from pydantic_core import ErrorDetails

from fabricgen.author.guess import guess
from fabricgen.errors import Diagnostic

__all__ = ["Document", "shown", "validated"]

_Location = tuple[int | str, ...]
_D = TypeVar("_D", bound="Document")
_SHOWN_CHARACTERS = 40


class Document(BaseModel):
    """One table of a document: closed keys, no coercion, immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


def validated(
    model: type[_D], data: Mapping[str, object]
) -> tuple[_D | None, tuple[Diagnostic, ...]]:
    """Read one document; it is ``None`` where the findings leave nothing to go on with.

    Unknown keys are reported and then ignored, so that later stages can still report theirs.
    """
    try:
        return model.model_validate(data), ()
    except ValidationError as error:
        details = error.errors(include_url=False)
    found = tuple(_diagnostic(model, detail) for detail in details)
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    if len(unknown) < len(details):
        return None, found
    kept = _without(data, [_walk(model, location)[0] for location in unknown])
    return model.model_validate(kept), found


def _path(keys: Iterable[int | str]) -> str:
    """Spell keys as ``memory[0].port[1]``."""
    text = ""
    for key in keys:
        if isinstance(key, int):
            text += f"[{key}]"
            continue
        word = key if re.fullmatch("[A-Za-z0-9_-]+", key) else shown(key)
        text += f".{word}" if text else word
    return text or "document"


def shown(value: object) -> str:
    """Show a document's value in a message, short enough for one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            text = (
                str(value) if value.bit_length() < 4096 else f"a {value.bit_length()}-bit integer"
            )
        case str():
            text = '"' + value.encode("unicode_escape").decode("ascii") + '"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            text = str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def _without(data: object, paths: Iterable[list[int | str]]) -> object:
    """Nested tables and lists without some keys; those on the way to them are copied, once."""
    copied = copy.copy(data)
    table = cast("dict[int | str, object]", copied)
    below: dict[int | str, list[list[int | str]]] = {}
    for first, *rest in paths:
        if rest:
            below.setdefault(first, []).append(rest)
        else:
            del table[first]
    for key, rests in below.items():
        table[key] = _without(table[key], rests)
    return copied


def _diagnostic(model: type[Document], detail: ErrorDetails) -> Diagnostic:
    kind, location = detail["type"], detail["loc"]
    where = _path(_walk(model, location)[0])
    match kind:
        case "missing":
            code, requirement, found = "missing-key", "The key must be present", "absent"
        case "extra_forbidden":
            keys = _keys_at(model, location[:-1])
            code, requirement = "unknown-key", f"The key must be one of {', '.join(keys)}"
            key = str(location[-1])
            found = shown(key) + guess(key, keys)
        case "value_choice":
            code, requirement, found = "wrong-type", detail["msg"], _with_keys(detail["input"])
        case "too_short" | "too_long":
            context = detail.get("ctx", {})
            code, found = "list-length", str(context["actual_length"])
            least, most = context.get("min_length"), context.get("max_length")
            number = least if most is None else most
            bound = f"at {'least' if most is None else 'most'} {number}"
            requirement = f"The list must hold {bound} item{'' if number == 1 else 's'}"
        case _:
            code, requirement = _REQUIREMENTS[kind](detail.get("ctx", {}))
            found = shown(detail["input"])
    return Diagnostic(code, where, f"{requirement}, not {found}")


def _with_keys(value: object) -> str:
    """Show a value; a table by its keys, since one of them would have chosen what it is."""
    if not isinstance(value, dict):
        return shown(value)
    keys = cast("dict[str, object]", value)
    names = [key if re.fullmatch("[A-Za-z0-9_-]+", key) else shown(key) for key in keys]
    text = f"a table with {', '.join(names)}" if names else "an empty table"
    return text if len(text) <= _SHOWN_CHARACTERS else f"a table with {len(names)} other keys"


_Context = Mapping[str, object]


def _type(requirement: str) -> Callable[[_Context], tuple[str, str]]:
    return lambda _: ("wrong-type", f"The value must be {requirement}")


#: Pydantic's error types that a strict document can raise, as code and requirement.
_REQUIREMENTS: dict[str, Callable[[_Context], tuple[str, str]]] = {
    "int_type": _type("an integer"),
    "bool_type": _type("true or false"),
    "string_type": _type("a string"),
    "list_type": _type("a list"),
    "dict_type": _type("a table"),
    "model_type": _type("a table"),
    "literal_error": lambda c: ("unknown-value", f"The value must be {c['expected']}"),
    "greater_than_equal": lambda c: ("value-out-of-range", f"The value must be at least {c['ge']}"),
    "less_than_equal": lambda c: ("value-out-of-range", f"The value must be at most {c['le']}"),
    "string_too_short": lambda _: ("text-format", "The text must have at least 1 character"),
    "string_too_long": lambda c: (
        "text-format",
        f"The text must have at most {c['max_length']} characters",
    ),
    "multiple_of": lambda c: (
        "value-out-of-range",
        f"The value must be a multiple of {c['multiple_of']}",
    ),
    "string_pattern_mismatch": lambda c: (
        "text-format",
        f"The text must match the pattern {c['pattern']}",
    ),
}


def _keys_at(model: type[Document], location: _Location) -> list[str]:
    """Keys of the table at a location."""
    annotation = _walk(model, location)[1]
    while not (isinstance(annotation, type) and issubclass(annotation, Document)):
        annotation = get_args(annotation)[0]
    return sorted(info.alias or name for name, info in annotation.model_fields.items())


def _walk(model: type[Document], location: _Location) -> tuple[list[int | str], object]:
    """Keys of a location without the tags in it, and the type of the value that they lead to."""
    keys: list[int | str] = []
    annotation: object = model
    for part in location:
        is_key, annotation = _step(annotation, part)
        if is_key:
            keys.append(part)
    return keys, annotation


def _step(annotation: object, part: int | str) -> tuple[bool, object]:
    """Whether one part of a location is a key, and the type behind it.

    Looks through ``Annotated`` and optional types; nothing is known behind an unknown key.
    """
    if isinstance(annotation, type) and issubclass(annotation, Document):
        fields = {info.alias or name: info for name, info in annotation.model_fields.items()}
        field = fields.get(cast("str", part))
        return True, object if field is None else field.annotation
    arguments = get_args(annotation)
    if get_origin(annotation) is list:
        return True, arguments[0]
    if get_origin(annotation) is dict:
        return True, arguments[1]
    for member in arguments:
        if Tag(cast("str", part)) in get_args(member)[1:]:
            return False, member
    return _step(arguments[0], part)
