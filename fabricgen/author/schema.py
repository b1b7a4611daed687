"""JSON Schema of each document, for editors."""

from typing import cast

from fabricgen.author.document import Document
from fabricgen.author.fabric_document import FabricDocument
from fabricgen.author.mapping_document import MappingDocument
from fabricgen.author.workload_document import WorkloadDocument

__all__ = ["KINDS", "json_schema"]

_DOCUMENTS: dict[str, type[Document]] = {
    "fabric": FabricDocument,
    "mapping": MappingDocument,
    "workload": WorkloadDocument,
}

#: Documents that have a schema.
KINDS = tuple(_DOCUMENTS)


def json_schema(kind: str) -> dict[str, object]:
    """Return the schema (draft 2020-12) of one of :data:`KINDS`."""
    schema = _DOCUMENTS[kind].model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **cast("dict[str, object]", _without_null(schema)),
    }


def _without_null(node: object) -> object:
    """Drop the null alternatives of optional keys: TOML has no null, a key is left out."""
    if isinstance(node, list):
        return [_without_null(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    table = {k: _without_null(v) for k, v in cast("dict[str, object]", node).items()}
    choices = table.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        del table["anyOf"]
        table.pop("default", None)
        # An optional key has one type; where it has several forms, they are one reference.
        (kept,) = (c for c in cast("list[object]", choices) if c != {"type": "null"})
        return cast("dict[str, object]", kept) | table
    return table
