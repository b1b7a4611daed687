"""The macro document: one memory macro of a process or vendor, for ``emit --macro``."""

from typing import Literal

from pydantic import Field

from fabricgen.author.document import Document
from fabricgen.author.fields import Positive

__all__ = ["MacroDocument", "PinsDocument"]

_Polarity = Literal["active_high", "active_low"]


class PinsDocument(Document):
    """Names of the macro's pins; each that is absent has the name shown."""

    clock: str = Field(default="clk", description="Rising edge.")
    read_enable: str = Field(default="re", description="A word is read in this cycle.")
    read_address: str = Field(default="ra", description="Which one.")
    read_data: str = Field(default="rd", description="That word, in the next cycle.")
    write_enable: str = Field(default="we", description="A word is written in this cycle.")
    write_address: str = Field(default="wa", description="Which one.")
    write_data: str = Field(default="wd", description="What is written.")
    write_mask: str = Field(default="wm", description="Which of its bits are.")


class MacroDocument(Document):
    """A macro with one read port, one write port and one clock."""

    module: str = Field(description="Name of its Verilog module.")
    words: Positive = Field(description="Depth, a power of two.")
    bits: Positive = Field(description="Width of a word, in bits.")
    mask_bits: Literal[1, 2, 4, 8] = Field(description="Bits of data behind a bit of the mask.")
    write_mask: _Polarity = Field(
        default="active_high", description="Level of a mask bit at which it writes."
    )
    enables: _Polarity = Field(default="active_high", description="Level of both enables.")
    pins: PinsDocument = Field(default=PinsDocument(), description="Names of its pins.")
