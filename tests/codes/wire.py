"""Inputs of the codes of ``wire``: damaged canonical bytes."""

from fabricgen.atoms.dataflow import ROLES
from fabricgen.records import alternative_codec, fabric_codec, fabric_section
from fabricgen.vocab.dataflow import ServiceValueRole
from fabricgen.wire.frame import frame
from tests.support.capabilities import access, alternative
from tests.support.records import load_fabric

FABRIC = load_fabric()
WIRE = fabric_codec.encode(FABRIC)
ALTERNATIVE = alternative_codec.encode(alternative(access()))
#: Where an alternative says whether it has an access domain: behind its four bound roles.
LAST_ROLE = frame(ROLES.atom(ServiceValueRole.COMPLETION))
ACCESS_TAG = ALTERNATIVE.index(LAST_ROLE) + len(LAST_ROLE) + 8


def unknown_tag():
    """Absent is 0, present 1."""
    tag = (2).to_bytes(4, "big")
    return alternative_codec.decode(ALTERNATIVE[:ACCESS_TAG] + tag + ALTERNATIVE[ACCESS_TAG + 4 :])


def another_spelling():
    """One text, and an escape that JSON admits and the canonical form does not."""
    (named,) = FABRIC.memories
    section = fabric_section.encode(named.names, named.implementation)
    spelled = section.replace(b'"rd_addr"', b'"rd\\u005faddr"')
    return fabric_codec.decode(WIRE.replace(frame(section), frame(spelled)))


PRODUCERS = {
    "wire-truncated": lambda: fabric_codec.decode(WIRE[:-1]),
    "wire-trailing": lambda: fabric_codec.decode(WIRE + b"\0"),
    "wire-unknown-tag": unknown_tag,
    "wire-not-canonical": another_spelling,
}
