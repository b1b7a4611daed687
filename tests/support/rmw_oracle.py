"""Integer read-modify-writes by the words of the reference, beside the project's own model."""


def updated(kind: str, old: int, value: int, bits: int) -> int:
    """The object of so many bits after an operation (reference: RMW semantics)."""
    half = 1 << bits - 1
    as_signed = {n: (n ^ half) - half for n in (old, value)}
    after = {
        "xchg": value,
        "add": old + value,
        "sub": old - value,
        "and": old & value,
        "nand": ~(old & value),
        "or": old | value,
        "xor": old ^ value,
        "max": max(old, value, key=as_signed.get),
        "min": min(old, value, key=as_signed.get),
        "umax": max(old, value),
        "umin": min(old, value),
        "uinc_wrap": 0 if old >= value else old + 1,
        "udec_wrap": value if old == 0 or old > value else old - 1,
        "usub_cond": old - value if old >= value else old,
        "usub_sat": max(0, old - value),
    }
    return after[kind] % (1 << bits)
