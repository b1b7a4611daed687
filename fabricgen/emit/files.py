"""Output that appears complete or not at all: written beside its place, then renamed."""

import errno
import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

__all__ = ["write_files", "write_folder"]


def write_folder(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder; one that is new appears with all of them, or not at all.

    Raises
    ------
    OSError
        The named file or folder cannot be written.
    """
    with _naming(directory):
        target = _followed(directory)
        if target.exists() and not target.is_dir():
            raise _error(errno.ENOTDIR)
    if target.exists():
        write_files({directory / name: data for name, data in files.items()})
        return
    with _naming(directory):
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.parent / f".fabricgen.{os.getpid()}"
        shutil.rmtree(beside, ignore_errors=True)
        try:
            beside.mkdir()
            for name, data in files.items():
                (beside / name).write_bytes(data)
            beside.rename(target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write files, and the folders that they need; none is renamed before all are written.

    A link is followed. What is no regular file, such as a pipe, is written to where it stands.

    Raises
    ------
    OSError
        The named file cannot be written.
    """
    written: dict[Path, tuple[Path, Path]] = {}
    try:
        for path, data in files.items():
            with _naming(path):
                target = _followed(path)
                if target.is_dir():
                    raise _error(errno.EISDIR)
                if path.exists() and not path.is_file():
                    path.write_bytes(data)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                beside = target.parent / f".fabricgen.{os.getpid()}.{len(written)}"
                written[path] = beside, target
                beside.write_bytes(data)
        for path, (beside, target) in written.items():
            with _naming(path):
                beside.replace(target)
    finally:
        for beside, _ in written.values():
            beside.unlink(missing_ok=True)


def _followed(path: Path) -> Path:
    """Where links lead."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise _error(errno.ELOOP)
    return target


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@contextmanager
def _naming(path: Path) -> Generator[None]:
    """Let whatever fails name the output that was asked for."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
