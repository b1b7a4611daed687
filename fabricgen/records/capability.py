"""The complete capability array of one port as one reduced ordered relation.

The facts of its products are their complete role bindings (spec: Persistent Capability Schema).
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations, pairwise, product

from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.records.access import ACCESS_STRUCTURAL
from fabricgen.records.actor import CONTRACT_STRUCTURAL
from fabricgen.records.alternative import MemoryCapabilityAlternative
from fabricgen.records.alternative_codec import encode, encode_binding
from fabricgen.records.products import Product, ProductRelation, access_rows
from fabricgen.relation.diagram import Diagram
from fabricgen.relation.row import Row, overlaps, part_count

__all__ = ["array_findings", "normalise_alternatives"]

_WHERE = "capability_alternatives"
#: Intervals and atoms that a diagnostic compares to find pairs of alternatives that overlap.
_PAIR_STEPS = 2_000_000


def normalise_alternatives(
    alternatives: Sequence[MemoryCapabilityAlternative],
) -> tuple[MemoryCapabilityAlternative, ...]:
    """Return the canonical alternatives that admit what any of ``alternatives`` admits.

    Raises
    ------
    Invalid
        ``capability-alternative-overlap`` where one (actor, access, use pattern) point has two
        role bindings; ``relation-too-large``; and the rules of an alternative, which a group can
        break that the authored alternatives did not.
    """
    return _Array(alternatives).canonical()


def array_findings(
    alternatives: tuple[MemoryCapabilityAlternative, ...],
) -> Iterator[Diagnostic]:
    """Say why ``alternatives`` are not the canonical array of what they admit."""
    if not alternatives:
        yield Diagnostic(
            "relation-empty", _WHERE, "A port must have at least one alternative, not 0"
        )
        return
    try:
        array = _Array(alternatives)
        canonical = array.canonical()
    except Invalid as error:
        yield from error.diagnostics
        return
    if canonical == alternatives:
        return
    if array.has_overlap:
        yield _overlap_finding(alternatives)
    elif sorted(alternatives, key=encode) == list(canonical):
        yield Diagnostic(
            "relation-order",
            _WHERE,
            "Alternatives must be in the order of their bytes, but "
            f"{_disorder(alternatives)} is not",
        )
    else:
        yield Diagnostic(
            "relation-not-canonical",
            _WHERE,
            f"Alternatives must be the {len(canonical)} products of the normal form, not "
            f"{len(alternatives)} other products of the same relation",
        )


class _Array:
    """The relation of one array of alternatives."""

    def __init__(self, alternatives: Sequence[MemoryCapabilityAlternative]) -> None:
        self._bindings = {
            encode_binding(each.role_to_endpoint): each.role_to_endpoint for each in alternatives
        }
        with placed(_WHERE):
            self._relation = ProductRelation(tuple(map(_product, alternatives)))
            if (key := self._relation.second_facts()) is not None:
                raise Invalid(
                    Diagnostic(
                        "capability-alternative-overlap",
                        "bindings",
                        "One actor, access and use pattern must have one role binding, not "
                        f"another one under use pattern {key}",
                    )
                )

    @property
    def has_overlap(self) -> bool:
        """Whether two authored alternatives admit one point with one binding."""
        return self._relation.has_overlap

    def canonical(self) -> tuple[MemoryCapabilityAlternative, ...]:
        """List the canonical alternatives."""
        with placed(_WHERE):
            return tuple(sorted(map(self._alternative, self._relation.products()), key=encode))

    def _alternative(self, each: Product) -> MemoryCapabilityAlternative:
        return MemoryCapabilityAlternative(
            each.actors, self._bindings[each.facts], each.accesses, each.use_patterns
        )


def _product(alternative: MemoryCapabilityAlternative) -> Product:
    return Product(
        alternative.actor_contract_domain,
        alternative.parameterized_access_domain,
        encode_binding(alternative.role_to_endpoint),
        alternative.admissible_use_patterns,
    )


def _overlap_finding(alternatives: tuple[MemoryCapabilityAlternative, ...]) -> Diagnostic:
    """Name the first pair that meets; where one of it admits all of the other, say so."""
    met = _meeting_pairs(alternatives)
    with suppress(Invalid):
        contracts, accesses = Diagram(CONTRACT_STRUCTURAL), Diagram(ACCESS_STRUCTURAL)
        for pair in met:
            for outer, inner in (pair, pair[::-1]):
                if _subsumes(alternatives[outer], alternatives[inner], contracts, accesses):
                    return Diagnostic(
                        "capability-alternative-subsumed",
                        f"{_WHERE}[{inner}]",
                        "An alternative must admit some point that no other one admits, "
                        f"not only points of {outer}",
                    )
    where = "two of them do" if not met else f"{met[0][0]} and {met[0][1]} do"
    return Diagnostic(
        "capability-alternative-overlap",
        _WHERE,
        f"Alternatives must admit no point twice, but {where}",
    )


def _meeting_pairs(
    alternatives: tuple[MemoryCapabilityAlternative, ...],
) -> list[tuple[int, int]]:
    """Find pairs that admit a common point, within a bound on what is compared."""
    rows = [
        (each.actor_contract_domain.rows, access_rows(each.parameterized_access_domain))
        for each in alternatives
    ]
    sizes = [sum(part_count(d) for part in parts for row in part for d in row) for parts in rows]
    steps, met = 0, list[tuple[int, int]]()
    for left, right in combinations(range(len(alternatives)), 2):
        (clauses, classes), (others, other_classes) = rows[left], rows[right]
        steps += sizes[left] * (len(others) + len(other_classes))
        steps += sizes[right] * (len(clauses) + len(classes))
        if steps > _PAIR_STEPS:
            break
        keys = set(alternatives[left].admissible_use_patterns)
        if (
            not keys.isdisjoint(alternatives[right].admissible_use_patterns)
            and any(overlaps(a, b) for a, b in product(clauses, others))
            and any(overlaps(a, b) for a, b in product(classes, other_classes))
        ):
            met.append((left, right))
    return met


def _subsumes(
    outer: MemoryCapabilityAlternative,
    inner: MemoryCapabilityAlternative,
    contracts: Diagram,
    accesses: Diagram,
) -> bool:
    """Tell whether one alternative admits each point of another, with the same binding.

    A product lies in another exactly if each of its fields does: if it adds nothing to it.
    """
    actors = (outer.actor_contract_domain, inner.actor_contract_domain)
    classes = [access_rows(each.parameterized_access_domain) for each in (outer, inner)]
    return (
        actors[0].actor_schema is actors[1].actor_schema
        and outer.role_to_endpoint == inner.role_to_endpoint
        and set(outer.admissible_use_patterns) >= set(inner.admissible_use_patterns)
        and _adds_nothing(contracts, actors[0].rows, actors[1].rows)
        and _adds_nothing(accesses, classes[0], classes[1])
    )


def _adds_nothing(diagram: Diagram, outer: tuple[Row, ...], inner: tuple[Row, ...]) -> bool:
    return diagram.build(outer + inner) == diagram.build(outer)


def _disorder(alternatives: tuple[MemoryCapabilityAlternative, ...]) -> int:
    pairs = pairwise(map(encode, alternatives))
    return next(i + 1 for i, (left, right) in enumerate(pairs) if left >= right)
