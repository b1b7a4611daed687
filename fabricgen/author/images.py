"""Initial memory contents of a workload."""

from itertools import pairwise

from fabricgen.author.data_files import DataFiles, Elements
from fabricgen.author.findings import Findings
from fabricgen.author.number import number
from fabricgen.author.packing import TokenShape, fitting
from fabricgen.author.workload_document import (
    ContentsDocument,
    HexImage,
    ImageDocument,
    NpyImage,
    RawImage,
    WordsImage,
)

__all__ = ["Parts", "read_images"]

#: Byte offsets and the bytes from there on, sorted and apart.
Parts = tuple[tuple[int, bytes], ...]


def read_images(
    document: ContentsDocument, capacity: int, where: str, files: DataFiles, findings: Findings
) -> Parts:
    """Read the images of one service, sorted by offset; they lie in its capacity, apart."""
    where = f"{where}.image"
    parts: list[tuple[int, bytes, str]] = []
    for image, place in _placed(document, where):
        data = _bytes(image, place, files, findings)
        if data is None:
            continue
        if image.at + len(data) > capacity:
            findings.add(
                "image-outside-capacity",
                place,
                f"The image must end within the {capacity} bytes of the service, "
                f"not at {image.at + len(data)}",
            )
        parts.append((image.at, data, place))
    parts.sort(key=lambda part: part[:2])
    for (start, data, place), (other, _, other_place) in pairwise(parts):
        if start + len(data) > other:
            findings.add(
                "image-overlap",
                other_place,
                f"The image must start at or after {start + len(data)}, where {place} ends, "
                f"not at {other}",
            )
    return tuple((start, data) for start, data, _ in parts)


def _placed(document: ContentsDocument, where: str) -> list[tuple[ImageDocument, str]]:
    if isinstance(document.image, list):
        return [(image, f"{where}[{i}]") for i, image in enumerate(document.image)]
    return [(document.image, where)]


def _bytes(image: ImageDocument, where: str, files: DataFiles, findings: Findings) -> bytes | None:
    match image:
        case NpyImage():
            return files.npy_bytes(image.npy, f"{where}.npy")
        case RawImage():
            return files.raw_bytes(image.raw, f"{where}.raw")
        case HexImage():
            return bytes.fromhex(image.hex)
        case WordsImage():  # exhaustive
            words = Elements([number(word) for word in image.words])
            shape = TokenShape(1, image.bits, is_signed=True)
            values = fitting(words, shape, f"{where}.words", findings)
            if values is None:
                return None
            return b"".join(value.to_bytes(image.bits // 8, "little") for value in values)
