"""Storage of an emitted memory, as a cocotb bench reaches it."""

from typing import Any

from cocotb.handle import Immediate

from sim.job import MemoryJob
from sim.memory_image import Byte, bytes_of_text, bytes_of_words, words_of_bytes

__all__ = ["Storage", "descend"]


class Storage:
    """The banks' words, reached through the hierarchy."""

    def __init__(self, dut: Any, memory: MemoryJob | None) -> None:
        memory = memory or MemoryJob(b"", b"", 1, ())
        self._memory = memory
        self._before = words_of_bytes(memory.before, memory.word_bytes, len(memory.banks))
        arrays = [descend(dut, path) for path in memory.banks]
        self._words = [
            [array[index] for index in range(len(contents))]
            for array, contents in zip(arrays, self._before, strict=True)
        ]
        self._texts = [[""] * len(contents) for contents in self._before]

    def preload(self) -> None:
        """Write every word that is not known to hold its initial contents."""
        width = 8 * self._memory.word_bytes
        for handles, texts, contents in zip(self._words, self._texts, self._before, strict=True):
            for handle, text, word in zip(handles, texts, contents, strict=True):
                if text != f"{word:0{width}b}":
                    handle.value = Immediate(word)

    def forget(self) -> None:
        """Somebody wrote: nothing is known of any word."""
        self._texts = [[""] * len(texts) for texts in self._texts]

    def read(self) -> list[Byte]:
        """Read every byte."""
        self._texts = [[str(handle.value) for handle in handles] for handles in self._words]
        words = [[bytes_of_text(text) for text in texts] for texts in self._texts]
        return bytes_of_words(words, len(self._memory.after))


def descend(dut: Any, path: str) -> Any:
    """Handle of a path below the top."""
    handle = dut
    for name in path.split("."):
        handle = getattr(handle, name)
    return handle
