"""Elements into tokens: lane 0 lies lowest (spec: Endpoint Width Ownership)."""

from dataclasses import dataclass

from fabricgen.author.data_files import Elements
from fabricgen.author.document import shown
from fabricgen.author.findings import Findings
from fabricgen.plan.rows import OperationRow
from fabricgen.vocab.dataflow import ServiceValueRole

__all__ = ["TokenShape", "as_tokens", "fitting", "pack", "token_shape"]


@dataclass(frozen=True, slots=True)
class TokenShape:
    """How one role's token is made of elements.

    Parameters
    ----------
    lanes
        Elements of one token.
    element_bits
        Width of one element; 0 for tokens without payload.
    is_signed
        Negative numbers are taken in two's complement.
    """

    lanes: int
    element_bits: int
    is_signed: bool


def token_shape(row: OperationRow, role: ServiceValueRole) -> TokenShape:
    """Shape of the tokens of one active role of a row."""
    if (access := row.access) is None:
        return TokenShape(1, 0, is_signed=False)
    match role:
        case ServiceValueRole.ADDRESS:
            return TokenShape(access.address_count, access.address_lane_bits, is_signed=False)
        case ServiceValueRole.MASK | ServiceValueRole.SUCCESS:
            return TokenShape(access.lane_count, 1, is_signed=False)
        case (
            ServiceValueRole.DATA
            | ServiceValueRole.UPDATE
            | ServiceValueRole.EXPECTED
            | ServiceValueRole.DESIRED
            | ServiceValueRole.OLD
        ):
            is_number = access.data_pointer_format is None
            return TokenShape(access.lane_count, access.element_bits, is_signed=is_number)
        case _:
            return TokenShape(1, 0, is_signed=False)


def as_tokens(
    elements: Elements, shape: TokenShape, where: str, findings: Findings
) -> list[int] | None:
    """Take numbers as complete tokens."""
    whole = TokenShape(1, shape.lanes * shape.element_bits, is_signed=False)
    if elements.per_token not in (None, 1):
        findings.add(
            "token-shape", where, f"A complete token must be 1 number, not {elements.per_token}"
        )
        return None
    return fitting(elements, whole, where, findings)


def pack(
    elements: Elements, shape: TokenShape, pad: int | None, where: str, findings: Findings
) -> list[int] | None:
    """Pack elements into tokens; ``pad`` completes the last one.

    ``where`` is the place of the stream; its tokens and its pad lie below.
    """
    place = f"{where}.tokens"
    values = fitting(elements, shape, place, findings)
    if values is None:
        return None
    if elements.per_token not in (None, shape.lanes):
        findings.add(
            "token-shape",
            place,
            f"A token must have {shape.lanes} lanes, not {elements.per_token}",
        )
        return None
    if missing := -len(values) % shape.lanes:
        if pad is None:
            findings.add(
                "token-incomplete",
                place,
                f"Elements must fill tokens of {shape.lanes} lanes unless there is a pad, "
                f"not be {len(values)} of them",
            )
            return None
        filler = fitting(Elements([pad]), shape, f"{where}.pad", findings)
        if filler is None:
            return None
        values += filler * missing
    if shape.lanes == 1:
        return values
    shifts = [lane * shape.element_bits for lane in range(shape.lanes)]
    tokens = (values[i : i + shape.lanes] for i in range(0, len(values), shape.lanes))
    return [sum(v << s for v, s in zip(token, shifts, strict=True)) for token in tokens]


def fitting(
    elements: Elements, shape: TokenShape, where: str, findings: Findings
) -> list[int] | None:
    """Bits of each number, if every one fits an element of ``shape``."""
    bits = shape.element_bits
    if elements.float_bits not in (None, bits):
        findings.add(
            "element-too-wide",
            where,
            f"Floats must have the {bits} bits of an element, not {elements.float_bits}",
        )
        return None
    lowest = -(1 << bits >> 1) if shape.is_signed else 0
    limit = 1 << bits
    numbers = elements.numbers
    if numbers and not (lowest <= min(numbers) and max(numbers) < limit):
        wrong = [i for i, number in enumerate(numbers) if not lowest <= number < limit]
        fit = f"fit {bits} bits" if bits else "be 0, since the token has no payload"
        others = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        findings.add(
            "element-too-wide",
            where,
            f"Element {wrong[0]} must {fit}, not be {shown(numbers[wrong[0]])}{others}",
        )
        return None
    return [number & (limit - 1) for number in numbers]
