"""Inputs of the codes of ``atoms``: values that no domain or atom has."""

from fabricgen.atoms.alignment import AlignmentDomain
from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.pointer import PointerFormat, read_pointer_atom
from fabricgen.atoms.sync_scope import SyncScope
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.vocab.dataflow import SyncScopeKind

PRODUCERS = {
    "interval-out-of-range": lambda: UnsignedInterval(2, 1),
    "domain-empty": lambda: UnsignedDomain(()),
    "domain-not-canonical": lambda: FiniteDomain((b"b", b"a")),
    "alignment-out-of-range": lambda: AlignmentDomain(UnsignedDomain.of(64)),
    "atom-unknown": lambda: read_pointer_atom(bytes(15), "format"),
    "pointer-format-range": lambda: PointerFormat(0, 32, 33),
    "sync-scope-name": lambda: SyncScope(SyncScopeKind.SYSTEM, "gpu", ""),
}
