"""Documents of one port that makes every access that a manager serves, and of its rows."""

import json

_PORT = {
    None: "resources = { in_flight = 3, result_holding = 3, operand_depth = 2 }",
    4: "resources = { context = 4, in_flight = [2, 6], result_holding = [2, 6], operand_depth = 1, "
    "grant = { round_robin = { reset_cursor = 0 } } }",
}
_MEMORY = {
    None: 'schedule = "spatial"',
    4: 'schedule = "temporal"\nresident_contexts = 4\ntag_width = 3',
}

#: Access classes: form, pattern, element bits, lanes, masks.
_ACCESSES = """
element direct [8,16,32] [1] ["absent"]
contiguous walk [16] [2] ["absent","dynamic"]
indexed walk [8,16] [1,2] ["absent","dynamic"]
"""


def _classes(*, reads, writes, lanes):
    found = []
    for line in _ACCESSES.strip().splitlines():
        form, pattern, bits, counts, masks = line.split()
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


def _alternatives():
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
                [{"kinds": ["xchg", "add", "umax", "fadd"], "orderings": ["acq_rel"]}],
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
                    "access": _classes(reads=reads, writes=writes, lanes=lanes),
                    "patterns": ["walk" if lanes else "direct"],
                    "targets": ["ext0"],
                },
            )
    yield (
        "fence",
        {
            "roles": {"control": "ctrl", "completion": "done"},
            "contract": [{"orderings": ["release", "seq_cst"], "sync_scopes": ["system"]}],
            "patterns": ["direct"],
            "targets": ["ext0"],
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


def atomic_fabric(contexts=None, *, only=None, beat_bits=32):
    """A fabric with one port of all accesses, or of those that ``only`` names."""
    lines = [
        'fabric = { name = "atomics" }',
        "[[memory]]",
        'name = "mem0"',
        _MEMORY[contexts],
        f'manager = [{{ name = "ext0", beat_bits = {beat_bits} }}]',
    ]
    listed = [(actor, each) for actor, each in _alternatives() if only is None or actor in only]
    used = {end for _, each in listed for end in each["roles"].values()}
    inputs = {"addr": 64, "data": 32, "expected": 32, "mask": 2, "ctrl": 0}
    outputs = {"read": 32, "success": 2, "done": 0}
    ends = [
        {"name": name, "dir": direction, "bits": bits}
        for direction, group in (("in", inputs), ("out", outputs))
        for name, bits in group.items()
        if name in used
    ]
    lines += [f"endpoints = {_inline(ends)}", "[[memory.port]]", 'name = "any"', _PORT[contexts]]
    patterns = sorted({each["patterns"][0] for _, each in listed})
    walks = {"direct": "direct", "walk": "active_lanes"}
    lines.append(f"patterns = {_inline([{'name': n, 'projection': walks[n]} for n in patterns])}")
    for actor, each in listed:
        lines.append(f"[[memory.port.{actor}]]")
        lines += [f"{key} = {_inline(value)}" for key, value in each.items()]
    return "\n".join(lines) + "\n"


def atomic_row(name, actor, *, base=0, form="element", bits=32, lanes=1, mask="absent", **said):
    """One row of the port; ``said`` is the contract, and tags of Temporal roles."""
    row = {"name": name, "port": "any", "target": "ext0"}
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
