"""The generator's version, as it stands in emitted text.

Not asked from the installed package: the text is the same out of a checkout.
"""

__all__ = ["VERSION"]

VERSION = "0.1.0"
