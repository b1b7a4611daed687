"""The complete capability array of one port as one reduced ordered relation.

Its four fields are the exact actor contract, the exact access (or NoAccess), the complete role
binding, and one use-pattern key. The first two are relations themselves: values that lead to one
suffix relation are grouped, and each group is reduced on its own
(spec: Persistent Capability Schema).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.errors.place import placed
from fabricgen.records.access import (
    ACCESS_STRUCTURAL,
    MemoryAccessClass,
    ParameterizedMemoryAccessDomain,
)
from fabricgen.records.actor import (
    CONTRACT_STRUCTURAL,
    MemoryActorContractDomain,
    read_contract_row,
)
from fabricgen.records.alternative import MemoryCapabilityAlternative, RoleBinding
from fabricgen.records.alternative_codec import encode, encode_binding
from fabricgen.relation.diagram import MAX_ROWS, Diagram, Node, too_large
from fabricgen.relation.row import Domain, Row, overlaps, row_size

__all__ = ["array_findings", "normalise_alternatives"]

_WHERE = "capability_alternatives"
_CONTRACT_END = len(CONTRACT_STRUCTURAL)
_ACCESS_END = _CONTRACT_END + len(ACCESS_STRUCTURAL)
#: Contract fields, access fields, binding (one value per product), use pattern.
_STRUCTURAL = (*CONTRACT_STRUCTURAL, *ACCESS_STRUCTURAL, True, False)
#: Alternatives among which a diagnostic looks for the overlapping pair that it names.
_PAIR_SEARCH = 200
#: The one row of a fence's access: no form, and a form is never empty bytes.
_NO_ACCESS: Row = (FiniteDomain((b"",)),) * len(ACCESS_STRUCTURAL)


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
        yield Diagnostic(
            "capability-alternative-overlap",
            _WHERE,
            f"Alternatives must admit no point twice, {_pair(alternatives)}",
        )
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
    """The relation of one array of alternatives, as a diagram over its fields."""

    def __init__(self, alternatives: Sequence[MemoryCapabilityAlternative]) -> None:
        self._bindings: dict[Domain, RoleBinding] = {}
        rows: list[Row] = []
        for each in alternatives:
            binding = FiniteDomain((encode_binding(each.role_to_endpoint),))
            self._bindings[binding] = each.role_to_endpoint
            patterns = UnsignedDomain.of(*each.admissible_use_patterns)
            rows += (
                (*contract, *access, binding, patterns)
                for contract in each.actor_contract_domain.rows
                for access in _access_rows(each.parameterized_access_domain)
            )
        self._diagram = Diagram(_STRUCTURAL)
        with placed(_WHERE):
            _refuse_second_bindings(rows)
            self._root = self._diagram.build(rows)
        self._authored_points = sum(map(row_size, rows))
        self._listed = 0

    @property
    def has_overlap(self) -> bool:
        """Whether two authored alternatives admit one point with one binding."""
        return self._authored_points > self._diagram.point_count(self._root)

    def canonical(self) -> tuple[MemoryCapabilityAlternative, ...]:
        """List the canonical alternatives."""
        with placed(_WHERE):
            return tuple(sorted(self._products(), key=encode))

    def _products(self) -> Iterator[MemoryCapabilityAlternative]:
        """One alternative per group of contracts, group of accesses below it, and binding."""
        for contract, node in self._contracts():
            for access, bindings in self._accesses(node):
                for edge in self._diagram.edges(bindings):
                    (patterns,) = self._diagram.edges(edge.child)
                    yield MemoryCapabilityAlternative(
                        contract, self._bindings[edge.domain], access, _keys(patterns.domain)
                    )

    def _contracts(self) -> Iterator[tuple[MemoryActorContractDomain, Node]]:
        """Each schema's contracts, grouped by the relation that they lead to."""
        for schema in self._diagram.edges(self._root):
            for node in self._diagram.nodes_at(schema.child, _CONTRACT_END - 1):
                rows = self._rows(schema.child, 1, _CONTRACT_END, node)
                read = [read_contract_row((schema.domain, *row)) for row in rows]
                clauses = tuple(clause for _, clause in read)
                yield MemoryActorContractDomain(read[0][0], clauses), node

    def _accesses(
        self, node: Node
    ) -> Iterator[tuple[ParameterizedMemoryAccessDomain | None, Node]]:
        """Accesses below one contract node, grouped by the relation that they lead to."""
        for bindings in self._diagram.nodes_at(node, len(ACCESS_STRUCTURAL)):
            rows = self._rows(node, _CONTRACT_END, _ACCESS_END, bindings)
            yield None if rows == (_NO_ACCESS,) else _domain(rows), bindings

    def _rows(self, node: Node, start: int, stop: int, target: Node) -> tuple[Row, ...]:
        """Rows over the fields ``start..stop`` between two nodes; all listings share one bound."""
        part = self._diagram.leading_to(node, start, stop, target)
        self._listed += self._diagram.path_count(part)
        if self._listed > MAX_ROWS:
            raise too_large(f"at most {MAX_ROWS} clauses and classes", "more")
        return self._diagram.rows(part)


def _refuse_second_bindings(rows: Sequence[Row]) -> None:
    """Refuse two role bindings for one actor, concrete access and use pattern.

    A concrete access carries no subword guarantee, so these two fields are left out.
    """
    structural = (*_STRUCTURAL[: _ACCESS_END - 2], *_STRUCTURAL[_ACCESS_END:])
    diagram = Diagram(structural)
    root = diagram.build([(*row[: _ACCESS_END - 2], *row[_ACCESS_END:]) for row in rows])
    for node in diagram.nodes_at(root, _ACCESS_END - 2):
        seen: set[int] = set()
        for edge in diagram.edges(node):
            (patterns,) = diagram.edges(edge.child)
            keys = _keys(patterns.domain)
            if not seen.isdisjoint(keys):
                raise Invalid(
                    Diagnostic(
                        "capability-alternative-overlap",
                        "bindings",
                        "One actor, access and use pattern must have one role binding, not "
                        f"another one under use pattern {min(seen.intersection(keys))}",
                    )
                )
            seen.update(keys)


def _access_rows(access: ParameterizedMemoryAccessDomain | None) -> tuple[Row, ...]:
    return (_NO_ACCESS,) if access is None else access.rows


def _domain(rows: tuple[Row, ...]) -> ParameterizedMemoryAccessDomain:
    return ParameterizedMemoryAccessDomain(tuple(map(MemoryAccessClass.of_row, rows)))


def _keys(domain: Domain) -> tuple[int, ...]:
    """List a domain of use-pattern keys; authored keys are listed one by one already."""
    if isinstance(domain, FiniteDomain):
        raise TypeError(f"domain must be unsigned, not {domain!r}")
    return tuple(key for i in domain.intervals for key in range(i.lower, i.upper + 1))


def _pair(alternatives: tuple[MemoryCapabilityAlternative, ...]) -> str:
    pairs = combinations(enumerate(alternatives[:_PAIR_SEARCH]), 2)
    found = next(((i, j) for (i, left), (j, right) in pairs if _meet(left, right)), None)
    return "but two of them do" if found is None else f"but {found[0]} and {found[1]} do"


def _disorder(alternatives: tuple[MemoryCapabilityAlternative, ...]) -> int:
    pairs = pairwise(map(encode, alternatives))
    return next(i + 1 for i, (left, right) in enumerate(pairs) if left >= right)


def _meet(left: MemoryCapabilityAlternative, right: MemoryCapabilityAlternative) -> bool:
    keys = set(left.admissible_use_patterns).intersection(right.admissible_use_patterns)
    actors = product(left.actor_contract_domain.rows, right.actor_contract_domain.rows)
    accesses = product(
        _access_rows(left.parameterized_access_domain),
        _access_rows(right.parameterized_access_domain),
    )
    return (
        bool(keys)
        and any(overlaps(a, b) for a, b in actors)
        and any(overlaps(a, b) for a, b in accesses)
    )
