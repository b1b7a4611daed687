"""Documents of one port that makes every access that its targets serve, and of its rows."""

import json

from fabricgen.vocab.dataflow import AtomicRmwKind

#: Kinds that a manager gets, and those that the local service has.
_KINDS = ["xchg", "add", "umax", "fadd"]
INTEGER_KINDS = [
    kind.name.lower() for kind in AtomicRmwKind if not kind.name.startswith(("FA", "FS", "FM"))
]


def _port(contexts):
    """Resources of the port."""
    if contexts is None:
        return "resources = { in_flight = 3, result_holding = 3, operand_depth = 2 }"
    firings = f"[2, {contexts + 2}]"
    return (
        f"resources = {{ context = {contexts}, in_flight = {firings}, "
        f"result_holding = {firings}, operand_depth = 1, "
        "grant = { round_robin = { reset_cursor = 0 } } }"
    )


def _schedule(contexts):
    if contexts is None:
        return 'schedule = "spatial"'
    return f'schedule = "temporal"\nresident_contexts = {contexts}\ntag_width = 4'


#: Access classes: form, pattern, element bits, lanes, masks.
_ACCESSES = """
element direct [8,16,32] [1] ["absent"]
contiguous walk [16] [2] ["absent","dynamic"]
indexed walk [8,16] [1,2] ["absent","dynamic"]
"""


def _classes(*, reads, writes, lanes, wide):
    found = []
    for line in _ACCESSES.strip().splitlines():
        form, pattern, bits, counts, masks = line.split()
        bits = bits.replace("32]", "32,64]") if wide else bits
        if (pattern == "walk") == lanes:
            each = {
                "form": form,
                "address": {"root_relative": [32]},
                "element_bits": json.loads(bits),
                "lanes": json.loads(counts),
                "mask": json.loads(masks),
                "alignment": "any",
            }
            each |= {"read_subword": ["zero_extend"]} if reads else {}
            each |= {"write_subword": ["byte_enable"]} if writes else {}
            found.append(each)
    return found


def _shared(granularity):
    return {"sync_scopes": ["system", "single_thread"], "granularity": granularity}


def _alternatives(targets, kinds, *, wide):
    both = {"volatile": [False, True]}
    for lanes, granularity in ((False, ["absent", "whole_payload"]), (True, ["per_lane"])):
        shared, roles = _shared(granularity), {"address": "addr", "control": "ctrl"}
        roles |= {"completion": "done"} | ({"mask": "mask"} if lanes else {})
        load, store = ["acquire", "seq_cst"], ["release", "monotonic"]
        for actor, contract, reads, writes, more in (
            (
                "load",
                [{"plain": both}, {"atomic": {"orderings": load, **shared, **both}}],
                True,
                False,
                {"data": "read"},
            ),
            (
                "store",
                [{"plain": both}, {"atomic": {"orderings": store, **shared, **both}}],
                False,
                True,
                {"data": "data"},
            ),
            (
                "rmw",
                [{"kinds": kinds, "orderings": ["acq_rel"]}],
                True,
                True,
                {"update": "data", "old": "read"},
            ),
            (
                "cmpxchg",
                [
                    {
                        "orderings": [["seq_cst", "acquire"], ["monotonic", "monotonic"]],
                        "weak": [False, True],
                    }
                ],
                True,
                True,
                {
                    "expected": "expected",
                    "desired": "data",
                    "old": "read",
                    "success": "success",
                },
            ),
        ):
            if actor in ("rmw", "cmpxchg"):
                contract = [each | shared | both for each in contract]
            yield (
                actor,
                {
                    "roles": roles | more,
                    "contract": contract,
                    "access": _classes(reads=reads, writes=writes, lanes=lanes, wide=wide),
                    "patterns": ["walk" if lanes else "direct"],
                    "targets": targets,
                },
            )
    yield (
        "fence",
        {
            "roles": {"control": "ctrl", "completion": "done"},
            "contract": [{"orderings": ["release", "seq_cst"], "sync_scopes": ["system"]}],
            "patterns": ["direct"],
            "targets": targets,
        },
    )


def _inline(value):
    """A value as inline TOML."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{k} = {_inline(v)}" for k, v in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case _:
            return json.dumps(value)


def _capability(actor, each, beat_bits, progress):
    """What the local service serves of one alternative."""
    served = {key: each[key] for key in ("contract", "access") if key in each}
    if actor != "fence":
        served |= {"beat_bits": beat_bits, "regions": [0]}
    provider = {"release_visibility": "at_linearization", "progress": progress}
    return {actor: served | {"consistency": {"local_provider": provider}}}


def atomic_fabric(
    contexts=None, *, only=None, beat_bits=32, targets=("ext0",), kinds=None, banks=2, cycles=None
):
    """A fabric with one port of all accesses, or of those that ``only`` names.

    Beats of 64 bits come with objects of 64 bits. The local service has 2,048 bytes;
    it keeps a bound of so many ``cycles``, or none.
    """
    lines = [
        'fabric = { name = "atomics" }',
        "[[memory]]",
        'name = "mem0"',
        _schedule(contexts),
    ]
    if "ext0" in targets:
        lines.append(f'manager = [{{ name = "ext0", beat_bits = {beat_bits} }}]')
    if kinds is None:
        kinds = INTEGER_KINDS if "local" in targets else _KINDS
    every = _alternatives(list(targets), kinds, wide=beat_bits == 64)
    listed = [(actor, each) for actor, each in every if only is None or actor in only]
    used = {end for _, each in listed for end in each["roles"].values()}
    data = max(32, beat_bits)
    inputs = {"addr": 64, "data": data, "expected": data, "mask": 2, "ctrl": 0}
    outputs = {"read": data, "success": 2, "done": 0}
    ends = [
        {"name": name, "dir": direction, "bits": bits}
        for direction, group in (("in", inputs), ("out", outputs))
        for name, bits in group.items()
        if name in used
    ]
    lines += [f"endpoints = {_inline(ends)}", "[[memory.port]]", 'name = "any"', _port(contexts)]
    patterns = sorted({each["patterns"][0] for _, each in listed})
    walks = {"direct": "direct", "walk": "active_lanes"}
    lines.append(f"patterns = {_inline([{'name': n, 'projection': walks[n]} for n in patterns])}")
    for actor, each in listed:
        lines.append(f"[[memory.port.{actor}]]")
        lines += [f"{key} = {_inline(value)}" for key, value in each.items()]
    if "local" in targets:
        progress = {"bounded_completion_cycles": cycles} if cycles else "fair_eventual"
        capabilities = [_capability(actor, each, beat_bits, progress) for actor, each in listed]
        local = {
            "capacity_bytes": 2048,
            "regions": [{"base": 0, "size": 2048, "storage": {}}],
            "resources": {"banks": banks, "outstanding": 4, "queue": 2},
            "capabilities": capabilities,
        }
        lines.append("[memory.local]")
        lines += [f"{key} = {_inline(value)}" for key, value in local.items()]
    return "\n".join(lines) + "\n"


def atomic_row(name, actor, *, base=0, form="element", bits=32, lanes=1, mask="absent", **said):
    """One row of the port; ``said`` is the contract, and tags of Temporal roles."""
    row = {"name": name, "port": "any", "target": said.pop("target", "ext0")}
    tags = said.pop("tags", {})
    if actor == "fence":
        access = {"pattern": "direct"}
    else:
        row["base"] = base
        access = {
            "form": form,
            "element_bits": bits,
            "lanes": lanes,
            "mask": mask,
            "index_bits": 32,
            "pattern": "direct" if form == "element" else "walk",
        }
    return row | {actor: access | said} | tags


def atomic_mapping(*rows):
    """A mapping of these rows."""
    lines = ['fabric = "atomics"']
    for row in rows:
        lines.append("[[memory.mem0.row]]")
        lines += [f"{key} = {_inline(value)}" for key, value in row.items()]
    return "\n".join(lines) + "\n"
