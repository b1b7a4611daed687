"""Output files: complete or absent, and where the user said."""

import os
import re
import stat
import threading
from pathlib import Path

import pytest

from fabricgen.emit.files import write_files, write_folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_are_written_with_their_folders(tmp_path):
    write_files({tmp_path / "a" / "b" / "x": b"1", tmp_path / "y": b"2"})
    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"1"
    assert names(tmp_path) == ["a", "y"]


def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_files({tmp_path / "x": b""})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_if_one_cannot_be_written_none_is(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "y").mkdir()
    with pytest.raises(IsADirectoryError, match=re.escape(f"Is a directory: '{tmp_path}/y'")):
        write_files({tmp_path / "x": b"new", tmp_path / "y": b"new"})
    assert (tmp_path / "x").read_bytes() == b"old"
    assert names(tmp_path) == ["x", "y"]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    write_files({tmp_path / ("n" * 255): b"1"})
    assert names(tmp_path) == ["n" * 255]
    with pytest.raises(OSError, match=re.escape(f"File name too long: '{tmp_path}/nnn")):
        write_files({tmp_path / ("n" * 256): b"1"})


def test_a_link_is_followed(tmp_path):
    (tmp_path / "link").symlink_to("target")
    write_files({tmp_path / "link": b"1"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"1"


def test_a_link_to_itself_is_refused(tmp_path):
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OSError, match=re.escape("Too many levels of symbolic links")):
        write_files({tmp_path / "link": b"1"})
    assert (tmp_path / "link").is_symlink()


def test_a_new_folder_appears_with_all_its_files_or_not_at_all(tmp_path):
    with pytest.raises(OSError, match=re.escape(f"File name too long: '{tmp_path}/a/b'")):
        write_folder(tmp_path / "a" / "b", {"x": b"1", "n" * 256: b"2"})
    assert names(tmp_path / "a") == []
    write_folder(tmp_path / "a" / "b", {"x": b"1", "y": b"2"})
    assert names(tmp_path / "a") == ["b"]
    assert names(tmp_path / "a" / "b") == ["x", "y"]


def test_files_are_added_to_a_folder_that_is_there(tmp_path, monkeypatch):
    (tmp_path / "old").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    write_folder(Path(), {"x": b"1"})
    assert names(tmp_path) == ["old", "x"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError, match=re.escape(f"'{tmp_path}/file'")):
        write_folder(tmp_path / "file", {"x": b"1"})


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_files({pipe: b"1"})
    reader.join(10)
    assert read == [b"1"]
    assert pipe.is_fifo()
