"""Physical leaf ports of one concrete resource."""

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.errors import Diagnostic
from fabricgen.errors.strict import StrictRecord

__all__ = ["PhysicalPorts"]


@dataclass(frozen=True, slots=True)
class PhysicalPorts(StrictRecord):
    """Payload widths in bits of the inputs and outputs, in port order; 0 carries bare tokens."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def _findings(self) -> Iterator[Diagnostic]:
        for name, widths in (("inputs", self.inputs), ("outputs", self.outputs)):
            for ordinal, width in enumerate(widths):
                if not 0 <= width < 2**32:
                    yield Diagnostic(
                        "port-range",
                        f"{name}[{ordinal}]",
                        f"The width must be from 0 to 2**32 - 1 bits, not {width}",
                    )
