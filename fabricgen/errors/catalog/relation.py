"""Codes of the ``relation`` layer."""

from fabricgen.errors.catalog.rule import Rule

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    "relation-empty": Rule(
        "A relation has at least one row.",
        "Persistent Capability Schema",
    ),
    "relation-field-count": Rule(
        "Every row of a relation has one domain per field of its schema.",
        "Persistent Capability Schema",
    ),
    "relation-domain-kind": Rule(
        "Rows that agree on the structural fields have the same kind of domain in each field.",
        "Persistent Capability Schema",
    ),
    "relation-structural-field": Rule(
        "A structural field (form, schema, clause variant, role binding) names one value per row.",
        "Persistent Capability Schema",
    ),
    "relation-overlap": Rule(
        "Rows of a stored relation admit no point twice; the authoring door merges them.",
        "Persistent Capability Schema",
    ),
    "relation-order": Rule(
        "Rows of a stored relation stand in the order of their complete encoded bytes.",
        "Persistent Capability Schema",
    ),
    "relation-not-canonical": Rule(
        "A relation is stored as its reduced ordered products: at each field, values with the "
        "same suffix relation share one domain. Any other decomposition is refused.",
        "Persistent Capability Schema",
    ),
    "relation-too-large": Rule(
        "The normal form of a relation stays within 100,000 rows and a bounded amount of work.",
        "Persistent Capability Schema",
    ),
}
