"""Numbers out of the files that a workload names; every way to be broken is one finding.

NumPy belongs to the ``sim`` extra, so it is imported where a file needs it.
"""

import errno
import tokenize
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fabricgen.author.fields import LONGEST_STREAM
from fabricgen.author.findings import Findings
from fabricgen.author.matrix_market import column_indices
from fabricgen.errors import ToolMissing

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]

__all__ = ["LARGEST_FILE_BYTES", "DataFiles", "Elements"]

_INSTALL = "pip install 'fabricgen[sim]'"
_T = TypeVar("_T")

#: Bytes of the largest input file: devices and sparse files have more than a memory.
LARGEST_FILE_BYTES = 256 * 1024 * 1024

#: NumPy tries other files as archives and as pickles.
_NPY_MAGIC = b"\x93NUMPY"

#: What NumPy raises for broken files, beside errors of the system.
_BROKEN = (
    ValueError,
    TypeError,
    OverflowError,
    EOFError,
    MemoryError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    Warning,
)


@dataclass(frozen=True, slots=True)
class Elements:
    """Numbers in order, before they are packed.

    Parameters
    ----------
    numbers
        The numbers; negative ones are taken in two's complement where the role allows it.
    per_token
        Numbers of one token, where the source says so (a matrix).
    float_bits
        Width of the floats whose bits the numbers are.
    """

    numbers: list[int]
    per_token: int | None = None
    float_bits: int | None = None


class DataFiles:
    """Reader of the files beside one workload document."""

    def __init__(self, folder: Path, findings: Findings) -> None:
        self._folder = folder
        self._findings = findings

    def npy_elements(self, name: str, where: str) -> Elements | None:
        """Elements of a one- or two-dimensional array."""
        array = self._npy(name, where)
        if array is None or self._is_too_long(array.size, name, where):
            return None
        if array.ndim not in (1, 2) or array.dtype.kind == "c":
            self._findings.add(
                "data-file-shape",
                where,
                f"{name} must hold one- or two-dimensional real numbers, not {array.ndim} "
                f"dimensions of {array.dtype}",
            )
            return None
        per_token = array.shape[1] if array.ndim == 2 else None
        if array.dtype.kind == "f":
            bits = array.dtype.itemsize * 8
            if bits > 64:
                self._findings.add(
                    "data-file-shape", where, f"Floats must have at most 64 bits, not {array.dtype}"
                )
                return None
            return Elements(_integers(array.view(f"<u{bits // 8}")), per_token, bits)
        return Elements(_integers(array), per_token)

    def npy_bytes(self, name: str, where: str) -> bytes | None:
        """Elements of an array of any shape, as little-endian bytes in C order."""
        array = self._npy(name, where)
        return None if array is None else array.tobytes()

    def raw_elements(self, name: str, bits: int, where: str) -> Elements | None:
        """Little-endian elements of ``bits`` bits, a multiple of 8."""
        data = self.raw_bytes(name, where)
        size = bits // 8
        if data is None:
            return None
        if len(data) % size:
            self._findings.add(
                "data-file-shape",
                where,
                f"The bytes of {name} must be a multiple of {size}, not {len(data)}",
            )
            return None
        if self._is_too_long(len(data) // size, name, where):
            return None
        starts = range(0, len(data), size)
        return Elements([int.from_bytes(data[i : i + size], "little") for i in starts])

    def raw_bytes(self, name: str, where: str) -> bytes | None:
        """All bytes of a file."""
        return self._read(name, where, Path.read_bytes)

    def mtx_columns(self, name: str, where: str) -> Elements | None:
        """Column index of every stored entry from 0, rows in order, columns in order."""
        columns = self._read(name, where, _read_mtx)
        return None if columns is None else Elements(columns)

    def _is_too_long(self, count: int, name: str, where: str) -> bool:
        if count > LONGEST_STREAM:
            self._findings.add(
                "data-file-shape",
                where,
                f"{name} must hold at most {LONGEST_STREAM} numbers, not {count}",
            )
        return count > LONGEST_STREAM

    def _npy(self, name: str, where: str) -> "Array | None":
        array = self._read(name, where, _load_npy)
        if array is None:
            return None
        if array.dtype.kind not in "biufc":
            self._findings.add(
                "data-file-shape", where, f"{name} must hold numbers, not {array.dtype}"
            )
            return None
        return array

    def _read(self, name: str, where: str, reader: Callable[[Path], _T]) -> _T | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return reader(_regular(self._folder / name))
        except OSError as error:
            reason = error.strerror or str(error)
            self._findings.add(
                "file-unreadable", where, f"{name} must be a readable file, not: {reason}"
            )
        except _BROKEN as error:
            reason = " ".join(str(error).split())[:120]
            self._findings.add("data-file-broken", where, f"{name} must be whole, not: {reason}")
        return None


def _load_npy(path: Path) -> "Array":
    try:
        import numpy
    except ImportError:
        raise ToolMissing("numpy", _INSTALL) from None
    with path.open("rb") as file:
        if file.read(len(_NPY_MAGIC)) != _NPY_MAGIC:
            raise ValueError("it does not start as one array of NumPy does")
    # Mapped rather than read: a hostile shape must not cost memory.
    array = cast("Array", numpy.load(path, mmap_mode="r", allow_pickle=False))
    # A contiguous copy has at least one dimension, so the shape is put back.
    little = numpy.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return little.reshape(array.shape)


def _integers(array: "Array") -> list[int]:
    return [int(value) for value in cast("list[int]", array.reshape(-1).tolist())]


def _read_mtx(path: Path) -> list[int]:
    return column_indices(path.read_text(encoding="latin-1"))


def _regular(path: Path) -> Path:
    """Refuse what has no end, such as a device, or too large."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    if path.exists() and path.stat().st_size > LARGEST_FILE_BYTES:
        raise OSError(errno.EFBIG, f"more than {LARGEST_FILE_BYTES} bytes")
    return path
