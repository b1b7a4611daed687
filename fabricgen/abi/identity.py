"""What makes two fabrics the same hardware, as 32 bytes."""

import hashlib
import json
from dataclasses import asdict

from fabricgen.hsg import resource_codec
from fabricgen.records import occurrence_codec
from fabricgen.records.fabric import Fabric
from fabricgen.wire.frame import frame, u64be

__all__ = ["canonical_json", "fabric_identity", "identity_word"]


def fabric_identity(fabric: Fabric) -> bytes:
    """SHA-256 over each memory's framed canonical record and framed implementation options, then
    each datapath resource's framed record, with the count of either before it.

    Names are for people and left out: renaming changes no hardware and no image.
    """
    digest = hashlib.sha256(u64be(len(fabric.memories)))
    for named in fabric.memories:
        digest.update(frame(occurrence_codec.encode(named.occurrence)))
        digest.update(frame(canonical_json(asdict(named.implementation))))
    digest.update(u64be(len(fabric.ops)))
    for named in fabric.ops:
        digest.update(frame(resource_codec.encode(named.op)))
    return digest.digest()


def identity_word(fabric: Fabric) -> int:
    """First four bytes of the identity, big-endian: what the identity register holds."""
    return int.from_bytes(fabric_identity(fabric)[:4], "big")


def canonical_json(value: object) -> bytes:
    """Encode with sorted keys, no spaces and ASCII only: one value, one text."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")
