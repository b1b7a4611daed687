"""Stall patterns do what their names say, and the same for the same seed."""

from itertools import pairwise

import pytest

from sim.stalls import PATTERNS, Shut, stalls

GROUPS = [["addr", "ctrl", "data", "done"], ["other"]]


def trace(pattern, seed, cycles=4000):
    found = stalls(pattern, GROUPS, seed)
    moved = dict.fromkeys(found, False)
    lines = {name: [] for name in found}
    for cycle in range(cycles):
        for name, stall in found.items():
            moved[name] = stall.willing(cycle, moved[name])
            lines[name].append(moved[name])
    return lines


@pytest.mark.parametrize("pattern", PATTERNS[:-1])
def test_every_endpoint_is_willing_now_and_then(pattern):
    lines = trace(pattern, 3)
    assert set(lines) == {"addr", "ctrl", "data", "done", "other"}
    assert all(any(line) for line in lines.values())
    assert trace(pattern, 3) == lines


@pytest.mark.parametrize("pattern", PATTERNS[2:-1])
def test_another_seed_gives_another_trace(pattern):
    assert trace(pattern, 3) != trace(pattern, 4)


def test_always_never_stalls():
    assert all(all(line) for line in trace("always", 0).values())


def test_alternate_is_never_willing_twice_in_a_row():
    for line in trace("alternate", 0).values():
        assert not any(a and b for a, b in pairwise(line))


def test_geometric_probabilities_lie_between_10_and_90_percent():
    shares = [sum(line) / len(line) for s in range(20) for line in trace("geometric", s).values()]
    assert min(shares) > 0.07
    assert max(shares) < 0.93
    assert max(shares) - min(shares) > 0.5


def test_one_endpoint_starves_and_the_others_do_not():
    shares = sorted(sum(line) / len(line) for line in trace("starved", 0).values())
    assert shares[0] < 1 / 30
    assert shares[1] == 1


def test_the_adversary_holds_one_partner_of_a_row_at_a_time():
    lines = trace("adversarial", 0)
    held = [sum(not lines[name][cycle] for name in GROUPS[0]) for cycle in range(4000)]
    assert set(held) == {0, 1}
    assert max(map(len, "".join("0" if h else "1" for h in held).split("1"))) >= 40


def test_an_unknown_pattern_is_refused():
    with pytest.raises(ValueError, match=r"^pattern must be one of always, .*, not 'often'$"):
        stalls("often", GROUPS, 0)


def test_one_channel_of_a_row_is_shut_until_it_is_opened():
    found = stalls("shut", GROUPS, 2, ["mem_req"])
    shut = {name: stall for name, stall in found.items() if isinstance(stall, Shut)}
    ((name, victim),) = shut.items()
    assert name != "mem_req"
    assert not any(victim.willing(cycle, False) for cycle in range(1000))
    victim.open()
    assert victim.willing(0, False)
    assert all(found[other].willing(0, False) for other in found if other != name)
    victims = {
        name
        for seed in range(40)
        for name, stall in stalls("shut", GROUPS, seed).items()
        if isinstance(stall, Shut)
    }
    assert victims == {name for group in GROUPS for name in group}


def test_a_channel_dies_behind_some_tokens_and_no_other_one_with_it():
    found = stalls("dead done after 2", GROUPS, 0)
    seen = [found["done"].willing(cycle, cycle in (2, 5)) for cycle in range(8)]
    assert seen == [True] * 5 + [False] * 3
    assert all(found[other].willing(9, False) for other in found if other != "done")


def test_channels_of_a_bus_are_stalled_like_their_side_unless_they_are_dead():
    parts = {"mem_axi_aw": "mem_req", "mem_axi_w": "mem_req", "mem_axi_b": "mem_rsp"}

    def alive(pattern):
        found = stalls(pattern, GROUPS, 3, ["mem_req", "mem_rsp"], parts)
        return {name for name, stall in found.items() if stall.willing(0, False)}

    every = {name for group in GROUPS for name in group} | {"mem_req", "mem_rsp"} | set(parts)
    assert alive("dead mem_axi_w") == every - {"mem_axi_w"}
    assert alive("dead mem_req") == every - {"mem_req", "mem_axi_aw", "mem_axi_w"}
    found = stalls("bursty", GROUPS, 3, ["mem_req", "mem_rsp"], parts)
    assert all(found[part] is found[side] for part, side in parts.items())
    alone = stalls("bursty", GROUPS, 3, ["mem_req", "mem_rsp"])
    assert list(alone) == [name for name in found if name not in parts]
