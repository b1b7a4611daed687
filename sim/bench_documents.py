"""Fabric and mapping documents of the performance suite, written from a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BenchPort", "fabric_document", "mapping_document"]


@dataclass(frozen=True, slots=True)
class BenchPort:
    """One operation port with one access, and the row that selects it.

    Parameters
    ----------
    kind
        ``load`` or ``store``.
    form
        ``element``, ``contiguous`` or ``indexed``.
    element_bits, lanes
        Geometry of the access.
    in_flight
        In-flight and result-holding capacity.
    base
        Base address of the row.
    """

    kind: str
    form: str
    element_bits: int
    lanes: int = 1
    in_flight: int = 4
    base: int = 0

    @property
    def data_bits(self) -> int:
        """Width of the payload."""
        return self.element_bits * self.lanes

    @property
    def address_bits(self) -> int:
        """Width of the address token."""
        return 32 * (self.lanes if self.form == "indexed" else 1)

    def access(self) -> str:
        """The one access class, as the port and the service admit it."""
        exact = f'{"read" if self.kind == "load" else "write"}_subword = ["exact"]'
        return (
            f'{{ form = "{self.form}", address = {{ root_relative = [32] }}, '
            f"element_bits = [{self.element_bits}], lanes = [{self.lanes}], "
            f'mask = ["absent"], alignment = "any", {exact} }}'
        )


def fabric_document(
    name: str, ports: Sequence[BenchPort], *, banks: int, beat_bits: int, capacity_bytes: int
) -> str:
    """A Spatial fabric: port ``i`` has endpoints ``p<i>_addr``, ``_ctrl``, ``_data``, ``_done``."""
    grant = ", grant = { round_robin = { reset_cursor = 0 } }" if len(ports) > 1 else ""
    outstanding = sum(port.in_flight for port in ports)
    queue = max(port.in_flight for port in ports)
    resources = f"banks = {banks}, outstanding = {outstanding}, queue = {queue}{grant}"
    return "\n".join(
        [
            f'[fabric]\nname = "{name}"\n\n[[memory]]\nname = "mem0"\nschedule = "spatial"',
            "endpoints = [",
            *(line for number, port in enumerate(ports) for line in _endpoints(number, port)),
            "]",
            *(_port(number, port) for number, port in enumerate(ports)),
            "[memory.local]",
            f"capacity_bytes = {capacity_bytes}",
            f"regions = [{{ base = 0, size = {capacity_bytes}, storage = {{}} }}]",
            f"resources = {{ {resources} }}",
            *(_capability(kind, ports, beat_bits) for kind in ("load", "store")),
            '[memory.implementation]\nbank_function = "interleaved"',
        ]
    )


def mapping_document(name: str, ports: Sequence[BenchPort]) -> str:
    """One row per port."""
    return "\n".join(
        [
            f'fabric = "{name}"',
            *(
                f'[[memory.mem0.row]]\nname = "row{number}"\nport = "port{number}"\n'
                f'{port.kind} = {{ form = "{port.form}", element_bits = {port.element_bits}, '
                f'lanes = {port.lanes}, mask = "absent", index_bits = 32, pattern = "direct" }}\n'
                f'base = {port.base}\ntarget = "local"'
                for number, port in enumerate(ports)
            ),
        ]
    )


def _endpoints(number: int, port: BenchPort) -> list[str]:
    data = "out" if port.kind == "load" else "in"
    return [
        f'  {{ name = "p{number}_{role}", dir = "{direction}", bits = {bits} }},'
        for role, direction, bits in (
            ("addr", "in", port.address_bits),
            ("ctrl", "in", 0),
            ("data", data, port.data_bits),
            ("done", "out", 0),
        )
    ]


def _port(number: int, port: BenchPort) -> str:
    capacity = f"in_flight = {port.in_flight}, result_holding = {port.in_flight}"
    return f"""
[[memory.port]]
name = "port{number}"
resources = {{ {capacity}, operand_depth = 2 }}
patterns = [{{ name = "direct", projection = "direct" }}]

[[memory.port.{port.kind}]]
roles = {{ address = "p{number}_addr", control = "p{number}_ctrl", data = "p{number}_data", \
completion = "p{number}_done" }}
contract = [{{ plain = {{ volatile = [false] }} }}]
access = [{port.access()}]
patterns = ["direct"]
targets = ["local"]
"""


def _capability(kind: str, ports: Sequence[BenchPort], beat_bits: int) -> str:
    accesses = dict.fromkeys(port.access() for port in ports if port.kind == kind)
    if not accesses:
        return ""
    return f"""
[[memory.local.capabilities]]
[memory.local.capabilities.{kind}]
contract = [{{ plain = {{ volatile = [false] }} }}]
access = [{", ".join(accesses)}]
beat_bits = {beat_bits}
regions = [0]
"""
