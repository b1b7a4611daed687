"""Everything that is emitted for one fabric, as files in a folder."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from amaranth.hdl._ir import PortDirection

from fabricgen.abi.identity import fabric_identity
from fabricgen.abi.registers import register_map
from fabricgen.abi.unit import unplaceable
from fabricgen.check.keywords import VERILOG_KEYWORDS
from fabricgen.config.op_codec import op_field_width
from fabricgen.emit.files import write_folder
from fabricgen.emit.instance_names import bank_paths, instance_names
from fabricgen.emit.quick import without_collector
from fabricgen.emit.registers import registers_text
from fabricgen.emit.storage import storage_text
from fabricgen.emit.verilog import EmittedVerilog, Ports, default_ports, emit_verilog
from fabricgen.emit.version import VERSION
from fabricgen.errors import Unsupported
from fabricgen.hsg.registry import family_keyword
from fabricgen.plan.geometry import bank_geometry
from fabricgen.records.fabric import Fabric, NamedMemory, NamedOp
from fabricgen.records.storage_macro import StorageMacro
from fabricgen.rtl.axi4.bus import Axi4Shape
from fabricgen.rtl.axi4.lite_bus import LiteShape
from fabricgen.rtl.axi4.manager import BURST_BEATS
from fabricgen.rtl.fabric_top import FabricTop
from fabricgen.rtl.providers.registry import without_provider
from fabricgen.schema.operations import OPERATION_SCHEMAS

__all__ = ["EmittedFabric", "emit_fabric", "top_name", "top_ports"]


@dataclass(frozen=True, slots=True)
class EmittedFabric:
    """Where one emitted fabric lies.

    Parameters
    ----------
    directory
        Folder of all files.
    top
        Name of the top module.
    manifest
        What is known of the design: files, ports, identity, memories, ops.
    sources
        Verilog files of the design, the first one that of the top.
    banks
        Path of each storage array below the top, in bank order, for each memory.
    """

    directory: Path
    top: str
    manifest: Path
    sources: tuple[Path, ...]
    banks: tuple[tuple[str, ...], ...]

    @property
    def verilog(self) -> Path:
        """The file of the top."""
        return self.sources[0]


@without_collector()
def emit_fabric(
    fabric: Fabric, directory: Path, macro: StorageMacro | None = None
) -> EmittedFabric:
    """Write the design of ``fabric`` and its descriptions into ``directory``.

    The files are ``<top>.v``, ``names.json``, ``registers.json``, ``registers.md`` and
    ``manifest.json``; with the implementation option ``memory_wrapper`` also ``<top>_storage.v``,
    of arrays or of macros. ``Unsupported`` for a fabric that cannot be generated. Nothing is
    written before everything is known, and nothing appears that is not complete.
    """
    if found := (*unplaceable(fabric), *without_provider(fabric)):
        raise Unsupported(*found)
    top = FabricTop(fabric)
    ports = top_ports(top)
    name = top_name(fabric, ports)
    wrapper = any(named.implementation.memory_wrapper for named in fabric.memories)
    emitted = emit_verilog(top, name, ports, f"{name}_storage" if wrapper else None)
    registers = register_map(fabric)
    sources = {f"{name}.v": emitted.text}
    if emitted.storages:
        sources[f"{name}_storage.v"] = storage_text(name, emitted.storages, macro)
    files = {
        **sources,
        "names.json": _json(instance_names(fabric, emitted)),
        "registers.json": _json(registers),
        "registers.md": registers_text(fabric, registers),
    }
    files["manifest.json"] = _json(_manifest(fabric, top, name, emitted, files))
    write_folder(directory, {name: text.encode("ascii") for name, text in files.items()})
    return EmittedFabric(
        directory,
        name,
        directory / "manifest.json",
        tuple(directory / each for each in sources),
        tuple(bank_paths(emitted) for _ in fabric.memories),
    )


def top_ports(top: FabricTop) -> Ports:
    """Ports of the top: configuration, then each endpoint, stream and op under its name."""
    configuration = {
        name: port for name, port in default_ports(top).items() if name.startswith("cfg_")
    }
    edges = {
        name: (signal, PortDirection.Input if is_input else PortDirection.Output)
        for name, signal, is_input in (
            *top.endpoint_ports(),
            *top.stream_ports(),
            *top.op_ports(),
        )
    }
    return configuration | edges


def top_name(fabric: Fabric, ports: Ports) -> str:
    """Name of the fabric as an identifier that is no keyword and no port of its own."""
    name = fabric.name.replace("-", "_")
    if name in VERILOG_KEYWORDS or name in {"clk", "rst", *ports}:
        return f"fabric_{name}"
    return name


def _manifest(
    fabric: Fabric, design: FabricTop, top: str, emitted: EmittedVerilog, files: dict[str, str]
) -> dict[str, object]:
    return {
        "generator": {"name": "fabricgen", "version": VERSION},
        "fabric": fabric.name,
        "top": top,
        "identity": fabric_identity(fabric).hex(),
        "files": [
            {"name": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}
            for name, text in files.items()
        ],
        "clock": {"port": "clk", "edge": "rising"},
        "reset": {"port": "rst", "active": "high", "synchronous": True},
        "ports": [
            {"name": name, "direction": direction, "width": width}
            for name, direction, width in emitted.ports
        ],
        "memories": [_memory(named, design, emitted) for named in fabric.memories],
        "ops": list(map(_op, fabric.ops, design.unit.op_offsets)),
    }


def _op(named: NamedOp, offset: int) -> dict[str, object]:
    """One resource: family, members, channels, timing, and where its field is in the payload."""
    op, width = named.op, op_field_width(named.op)
    return {
        "name": named.name,
        "family": family_keyword(op.family),
        "op_list": [OPERATION_SCHEMAS[member].name for member in op.op_list],
        "inputs": [
            {"name": f"{named.name}_in{ordinal}", "payload_width": bits}
            for ordinal, bits in enumerate(op.ports.inputs)
        ],
        "outputs": [
            {"name": f"{named.name}_out{ordinal}", "payload_width": bits}
            for ordinal, bits in enumerate(op.ports.outputs)
        ],
        "timing": {
            "latency_cycles": op.timing.latency_cycles,
            "initiation_interval_cycles": op.timing.initiation_interval_cycles,
        },
        "configuration": {"bit": offset, "width": width} if width else None,
    }


def _memory(named: NamedMemory, design: FabricTop, emitted: EmittedVerilog) -> dict[str, object]:
    return {
        "name": named.name,
        "implementation": asdict(named.implementation),
        "endpoints": [
            {
                "name": name,
                "direction": endpoint.direction.name.lower(),
                "payload_width": endpoint.payload_width,
                "tag_width": endpoint.tag_width,
            }
            for name, endpoint in zip(
                named.names.endpoints, named.occurrence.endpoints, strict=True
            )
        ],
        "managers": _managers(named, design),
        "subordinates": _subordinates(named, design),
        "storage": _storage(named, emitted),
    }


def _managers(named: NamedMemory, design: FabricTop) -> list[dict[str, object]]:
    """Beats of each manager that has ports: widths of its fields, and who its origins are."""
    occurrence = design.occurrence
    if occurrence is None:
        return []
    return [
        {
            "name": named.names.managers[ordinal],
            "protocol": named.implementation.manager_protocol,
            "axi4": _axi4(named, design, ordinal),
            "beat_bytes": stream.beat_bytes,
            "request": stream.request_widths(),
            "response": stream.response_widths(),
            "origins": [
                {"port": named.names.ports[port], "slots": requester.shape.slots}
                for (port, manager), requester in occurrence.requesters.items()
                if manager == ordinal
            ],
        }
        for ordinal, stream in occurrence.streams.items()
    ]


def _subordinates(named: NamedMemory, design: FabricTop) -> list[dict[str, object]]:
    """Beats of each subordinate: widths of its fields, its slots, and the bindings that it has."""
    occurrence = design.occurrence
    if occurrence is None:
        return []
    return [
        {
            "name": name,
            "protocol": named.implementation.subordinate_protocol,
            "axi4": _subordinate_bus(name, design, ordinal, Axi4Shape),
            "axi4_lite": _subordinate_bus(name, design, ordinal, LiteShape),
            "beat_bytes": each.use.beat_bytes,
            "request": each.stream_shape.request_widths(),
            "response": each.stream_shape.response_widths(),
            "slots": each.slots,
            "bindings": len(each.decoder.rows),
        }
        for ordinal, (name, each) in enumerate(
            zip(named.names.subordinates, occurrence.subordinates, strict=True)
        )
    ]


def _subordinate_bus(
    name: str, design: FabricTop, ordinal: int, shape: type[Axi4Shape | LiteShape]
) -> dict[str, object] | None:
    """The bus of one subordinate; none where it has another protocol.

    User signals are the address space, and the context above it, as far as they are matched.
    """
    adapter = design.subordinate_adapters.get(ordinal)
    if adapter is None or not isinstance(adapter.bus_shape, shape):
        return None
    bus, widths = adapter.bus_shape, adapter.shape.request_widths()
    matched = {field: widths[field] for field in ("address_space", "context") if field in widths}
    return {
        "prefix": f"{name}_axi",
        "data_bytes": bus.data_bytes,
        "address_bits": bus.address_bits,
        **({"id_bits": bus.id_bits, "user": matched} if isinstance(bus, Axi4Shape) else {}),
        "reads": bus.reads,
        "writes": bus.writes,
        "outstanding": adapter.outstanding,
    }


def _axi4(named: NamedMemory, design: FabricTop, ordinal: int) -> dict[str, object] | None:
    """The bus of one manager; none where it stands at the boundary as beats.

    Identifiers count the rows of a port, and above them its place among ``origins``.
    """
    adapter = design.adapters.get(ordinal)
    if adapter is None:
        return None
    bus = adapter.bus_shape
    return {
        "prefix": f"{named.names.managers[ordinal]}_axi",
        "data_bytes": bus.data_bytes,
        "address_bits": bus.address_bits,
        "id_bits": bus.id_bits,
        "row_bits": adapter.origins.row_bits,
        "reads": bus.reads,
        "writes": bus.writes,
        "burst_beats": BURST_BEATS,
        "outstanding": adapter.outstanding,
    }


def _storage(named: NamedMemory, emitted: EmittedVerilog) -> dict[str, object] | None:
    """Where the bytes of the local service are; nowhere if there is none that is reached."""
    if not (banks := bank_paths(emitted)):
        return None
    geometry = bank_geometry(named)
    return {
        "capacity_bytes": geometry.capacity_bytes,
        "word_bytes": geometry.beat_bytes,
        "banks": list(banks),
        "rows": geometry.rows,
        "layout": (
            f"word n of bank b holds {geometry.beat_bytes} bytes from byte "
            f"(n * {geometry.banks} + b) * {geometry.beat_bytes} on, lowest byte lowest"
        ),
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"
