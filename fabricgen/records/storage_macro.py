"""A memory macro of some process or vendor that the storage of banks may be made of."""

from dataclasses import dataclass

__all__ = ["MacroPins", "StorageMacro"]


@dataclass(frozen=True, slots=True)
class MacroPins:
    """Names of the macro's pins. There is one read port and one write port, and one clock."""

    clock: str = "clk"
    read_enable: str = "re"
    read_address: str = "ra"
    read_data: str = "rd"
    write_enable: str = "we"
    write_address: str = "wa"
    write_data: str = "wd"
    write_mask: str = "wm"


@dataclass(frozen=True, slots=True)
class StorageMacro:
    """Shape of a macro, and how it is driven.

    A read that is enabled shows its word in the next cycle. A word that is read while it is written
    need not be right where it is written, and must be right elsewhere.

    Parameters
    ----------
    module
        Name of its Verilog module.
    words, bits
        Depth, a power of two, and width.
    mask_bits
        Bits of data behind one bit of the write mask: 1, 2, 4 or 8, and a divisor of ``bits``.
    low_mask
        A bit of the mask writes where it is 0, not 1.
    low_enables
        Both enables are active at 0, not 1.
    """

    module: str
    words: int
    bits: int
    mask_bits: int
    low_mask: bool = False
    low_enables: bool = False
    pins: MacroPins = MacroPins()
