"""Input files that cannot be read get a finding, whatever the reason."""

from pathlib import Path

import pytest

from fabricgen.author import load
from fabricgen.errors import Invalid


def refused(path):
    with pytest.raises(Invalid) as error:
        load.read_bytes(path)
    return str(error.value)


def test_a_name_that_no_file_can_have_is_a_finding():
    assert refused(Path("a\0b")) == (
        r"a\x00b: The file must have a legal name, not this one [file-unreadable]"
    )


def test_a_folder_is_a_finding(tmp_path):
    assert refused(tmp_path) == (
        f"{tmp_path}: The file must be readable, not: Is a directory [file-unreadable]"
    )


def test_the_largest_file_is_read_and_a_byte_more_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "LARGEST_FILE_BYTES", 8)
    path = tmp_path / "input"
    path.write_bytes(b"12345678")
    assert load.read_bytes(path) == b"12345678"
    path.write_bytes(b"123456789")
    assert (
        refused(path) == f"{path}: The file must have at most 8 bytes, not more [file-unreadable]"
    )
