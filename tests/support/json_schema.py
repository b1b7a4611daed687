"""The part of JSON Schema that our documents' schemas use; an unknown keyword is an error."""

import re

_ANNOTATIONS = {"$schema", "$defs", "title", "description", "default"}


def errors(schema, value, root=None, where="$"):
    """Yield a line for each reason why ``value`` is not valid."""
    root = root or schema
    for keyword, argument in schema.items():
        if keyword not in _ANNOTATIONS:
            yield from _KEYWORDS[keyword](argument, value, schema, root, where)


def _ref(argument, value, _, root, where):
    name = argument.removeprefix("#/$defs/")
    yield from errors(root["$defs"][name], value, root, where)


_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
}


def _type(argument, value, _, __, where):
    is_boolean = isinstance(value, bool)
    if not isinstance(value, _TYPES[argument]) or (is_boolean and argument != "boolean"):
        yield f"{where}: {value!r} is no {argument}"


def _properties(argument, value, schema, root, where):
    if isinstance(value, dict):
        for key, item in value.items():
            if key in argument:
                yield from errors(argument[key], item, root, f"{where}.{key}")


def _additional(argument, value, schema, root, where):
    for key in value if isinstance(value, dict) else ():
        if key in schema.get("properties", {}):
            continue
        if argument is False:
            yield f"{where}: {key} is unknown"
        else:
            yield from errors(argument, value[key], root, f"{where}.{key}")


def _required(argument, value, *_):
    where = _[-1]
    if isinstance(value, dict):
        yield from (f"{where}: {key} is absent" for key in argument if key not in value)


def _dependent(argument, value, *_):
    where = _[-1]
    for key, needed in argument.items() if isinstance(value, dict) else ():
        if key in value:
            yield from (f"{where}: {other} is absent" for other in needed if other not in value)


def _items(argument, value, _, root, where):
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield from errors(argument, item, root, f"{where}[{index}]")


def _prefix(argument, value, _, root, where):
    for index, (each, item) in enumerate(zip(argument, value, strict=False)):
        yield from errors(each, item, root, f"{where}[{index}]")


def _count(least, most):
    def check(argument, value, _, root, where):
        fitting = [each for each in argument if not list(errors(each, value, root, where))]
        if not least <= len(fitting) <= (len(argument) if most is None else most):
            yield f"{where}: {len(fitting)} alternatives fit {value!r}"

    return check


def _not(argument, value, _, root, where):
    if not list(errors(argument, value, root, where)):
        yield f"{where}: {value!r} is what it must not be"


def _all(argument, value, _, root, where):
    for each in argument:
        yield from errors(each, value, root, where)


def _simple(applies, holds):
    def check(argument, value, *rest):
        if applies(value) and not holds(argument, value):
            yield f"{rest[-1]}: {value!r} does not satisfy {argument!r}"

    return check


def _is_number(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value):
    return isinstance(value, str)


def _is_list(value):
    return isinstance(value, list)


_KEYWORDS = {
    "$ref": _ref,
    "type": _type,
    "properties": _properties,
    "additionalProperties": _additional,
    "required": _required,
    "dependentRequired": _dependent,
    "items": _items,
    "prefixItems": _prefix,
    "allOf": _all,
    "anyOf": _count(1, None),
    "not": _not,
    "oneOf": _count(1, 1),
    "enum": _simple(lambda _: True, lambda argument, value: value in argument),
    "const": _simple(lambda _: True, lambda argument, value: value == argument),
    "minimum": _simple(_is_number, lambda argument, value: value >= argument),
    "maximum": _simple(_is_number, lambda argument, value: value <= argument),
    "multipleOf": _simple(_is_number, lambda argument, value: value % argument == 0),
    "minLength": _simple(_is_text, lambda argument, value: len(value) >= argument),
    "maxLength": _simple(_is_text, lambda argument, value: len(value) <= argument),
    "pattern": _simple(_is_text, lambda argument, value: re.search(argument, value) is not None),
    "maxItems": _simple(_is_list, lambda argument, value: len(value) <= argument),
    "minItems": _simple(_is_list, lambda argument, value: len(value) >= argument),
}
