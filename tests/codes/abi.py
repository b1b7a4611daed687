"""Inputs of the codes of ``abi``: damaged images, and words that no register holds."""

import hashlib
import json

from fabricgen.abi.image import decode_image, encode_image
from fabricgen.abi.status import waits_findings
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.records.fabric import MemoryImplementation
from tests.support.memories import ELEMENT, LOAD, row, table, view
from tests.support.records import copy_fabric
from tests.support.temporal import temporal_memory

FABRIC = copy_fabric()
#: 181 bits of payload in 23 bytes.
IMAGE = encode_image(FABRIC, FabricConfiguration((table(row(0, LOAD, view(ELEMENT)), None),)))
HEADER_END = 4 + int.from_bytes(IMAGE[:4], "big")
HEADER, PAYLOAD = IMAGE[4:HEADER_END], IMAGE[HEADER_END + 8 : -32]
COUNTED = temporal_memory(implementation=MemoryImplementation(counters=True))


def read(data):
    return lambda: decode_image(FABRIC, data)


def sealed(header=HEADER, payload=PAYLOAD):
    """A record with a right digest around any header and payload."""
    record = len(header).to_bytes(4, "big") + header
    record += len(payload).to_bytes(8, "big") + payload
    return read(record + hashlib.sha256(record).digest())


def header(**changes):
    fields = json.loads(HEADER) | changes
    return sealed(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())


def set_bit(position):
    payload = bytearray(PAYLOAD)
    payload[position // 8] |= 1 << position % 8
    return sealed(payload=bytes(payload))


PRODUCERS = {
    "image-truncated": read(IMAGE[:-1]),
    "image-trailing": read(IMAGE + b"\0"),
    "image-digest": read(IMAGE[:-1] + bytes([IMAGE[-1] ^ 1])),
    "image-header": sealed(b"{}"),
    "image-abi": header(abi="other"),
    "image-unit": header(unit=1),
    "image-other-fabric": header(source_mapping="00" * 32),
    "image-bit-count": header(payload_bit_count=8 * len(PAYLOAD)),
    "image-payload-size": sealed(payload=PAYLOAD + b"\0"),
    "image-padding": set_bit(8 * len(PAYLOAD) - 1),
    "image-reserved-bit": set_bit(0),
    "waits-without-counters": lambda: waits_findings(temporal_memory(), [0] * 4),
    "waits-word-count": lambda: waits_findings(COUNTED, [0] * 3),
    "waits-word-range": lambda: waits_findings(COUNTED, [0, 0, 0, 1 << 31]),
}
