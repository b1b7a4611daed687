"""Which of the three documents some tables are, told by the keys that only one of them has."""

from collections.abc import Mapping

from fabricgen.errors import Diagnostic, Invalid

__all__ = ["require_kind"]


def require_kind(expected: str, data: Mapping[str, object]) -> None:
    """Refuse another document than the ``expected`` fabric, mapping or workload, as a whole.

    Its keys would all be wrong ones, of which none says what is the matter.
    """
    found = _kind(data)
    if found is not None and found != expected:
        raise Invalid(
            Diagnostic("document-kind", "document", f"It must be a {expected}, not a {found}")
        )


def _kind(data: Mapping[str, object]) -> str | None:
    """Kind of a document; ``None`` where its keys do not tell."""
    fabric, memory = data.get("fabric"), data.get("memory")
    if isinstance(fabric, dict) or isinstance(memory, list):
        return "fabric"
    if isinstance(fabric, str) and (memory is None or isinstance(memory, dict)):
        return "mapping"
    if fabric is None and {"stream", "request", "expect"} & data.keys():
        return "workload"
    return None
