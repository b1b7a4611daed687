"""Jobs and results survive their files; bytes and bank words are two views of one memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.findings import Finding
from sim.job import Job, RowResult, RunResult, ServedResult, read_results, write_results
from sim.memory_image import bytes_of_text, bytes_of_words, words_of_bytes
from tests.sim.reference import job


def test_a_job_survives_its_file(tmp_path):
    path = tmp_path / "job.json"
    job(extra=2, outside=True).write(path)
    assert Job.read(path) == job(extra=2, outside=True)


def test_results_survive_their_file(tmp_path):
    path = tmp_path / "results.json"
    finding = Finding("token", 7, "A token differs", 0, "DATA", 3, "0x1", "0x2")
    row = RowResult(0, 5, 4, 9, 3, 3)
    served = ServedResult("host", 9, 1, 4, 12)
    results = [
        RunResult("always", 1, 99, (row,), 1, (finding,), (served,)),
        RunResult("bursty", 2, 5, ()),
    ]
    write_results(results, path)
    assert read_results(path) == tuple(results)


def test_beats_are_counted_behind_the_first_answer():
    """A response answers the burst of a write, and stands beside a transfer of a read."""
    served = ServedResult("host")
    assert served.rate == 0
    served = served.after(3, 16)
    assert served.rate == 0
    served = served.after(3, 1)
    assert (served.beats, served.first_beats, served.rate) == (17, 17, 0)
    for cycle in (5, 7):
        served = served.after(cycle, 1)
    assert (served.beats, served.first_beats) == (19, 17)
    assert served.rate == 0.5


def test_beats_are_dealt_out_to_the_banks_in_turn():
    contents = bytes(range(12))
    assert words_of_bytes(contents, 2, 2) == [[0x0100, 0x0504, 0x0908], [0x0302, 0x0706, 0x0B0A]]


@pytest.mark.parametrize(
    ("bits", "expected"),
    [("0000000100000010", [2, 1]), ("0000000x00000010", [2, None]), ("zzzzzzzz", [None])],
)
def test_unknown_bits_make_their_byte_unknown(bits, expected):
    assert bytes_of_text(bits) == expected


@given(st.binary(max_size=70), st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4]))
def test_words_and_bytes_are_inverse(contents, word_bytes, banks):
    words = words_of_bytes(contents, word_bytes, banks)
    as_bytes = [[list(word.to_bytes(word_bytes, "little")) for word in bank] for bank in words]
    assert bytes(bytes_of_words(as_bytes, len(contents))) == contents
