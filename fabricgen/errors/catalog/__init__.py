"""Every diagnostic code with its rule: one module per layer, merged here.

A code is never reused for another rule.
"""

from fabricgen.errors.catalog import (
    abi,
    atoms,
    author,
    check,
    config,
    hsg,
    model,
    plan,
    records,
    relation,
    rtl,
    schema,
    tool,
    wire,
)
from fabricgen.errors.catalog.rule import Rule

__all__ = ["CATALOG"]

#: Code to rule, in layer order.
CATALOG: dict[str, Rule] = {
    **wire.RULES,
    **atoms.RULES,
    **relation.RULES,
    **schema.RULES,
    **hsg.RULES,
    **records.RULES,
    **check.RULES,
    **plan.RULES,
    **author.RULES,
    **config.RULES,
    **abi.RULES,
    **rtl.RULES,
    **model.RULES,
    **tool.RULES,
}
