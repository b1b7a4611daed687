"""Hash-consed decision diagrams of ordered relations.

A node stands for the relation over the fields that are left. Its edges carry disjoint domains,
and no two edges of an ordinary field lead to one node, so equal relations are one node. Rows are
split into the regions of one field that the same rows cover, never into single values.
(spec: Persistent Capability Schema)
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain, UnsignedInterval
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.relation.row import Domain, Row, domain_size, encode_domain

__all__ = ["ACCEPT", "MAX_ROWS", "MAX_VISITS", "Diagram", "Edge", "Node"]

#: Rows that a canonical form may have.
MAX_ROWS = 100_000
#: Row heads that one construction may look at; bounds time where rows overlap in many ways.
MAX_VISITS = 2_500_000

Node = int
#: The node over no fields: the empty point, admitted.
ACCEPT: Node = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """Values of one field that lead to one node."""

    domain: Domain
    child: Node


#: Rows without their first fields, interned: the domain of the next field and the rest.
_Suffix = int
_Region = tuple[Domain, frozenset[_Suffix]]


class Diagram:
    """One store of nodes over one sequence of fields.

    Parameters
    ----------
    structural
        Per field, whether it is structural: its values partition the relation one by one, and
        every row names exactly one. Elsewhere values with one suffix relation share an edge.
    max_visits
        Bound on ``visits``; a construction beyond it is ``Invalid``.

    Attributes
    ----------
    visits
        Values and intervals looked at while rows were split: the work done so far.
    """

    def __init__(self, structural: Sequence[bool], *, max_visits: int = MAX_VISITS) -> None:
        self.structural = tuple(structural)
        self.visits = 0
        self._max_visits = max_visits
        self._edges: list[tuple[Edge, ...]] = [()]
        self._nodes: dict[tuple[tuple[int, Node], ...], Node] = {}
        self._domains: dict[Domain, int] = {}
        self._heads: list[tuple[Domain, _Suffix] | None] = [None]
        self._suffixes: dict[tuple[int, _Suffix], _Suffix] = {}
        self._built: dict[frozenset[_Suffix], Node] = {frozenset([0]): ACCEPT}
        self._kinds: dict[tuple[int, tuple[Domain, ...]], type[Domain]] = {}
        self._encoded: dict[Domain, bytes] = {}

    def build(self, rows: Iterable[Row]) -> Node:
        """Return the node of the union of ``rows``; at least one row over all the fields.

        Raises
        ------
        Invalid
            ``relation-domain-kind`` where rows that agree on the structural fields before it
            disagree on a field's kind; ``relation-structural-field`` where a structural field
            does not name one atom; ``relation-too-large`` beyond ``max_visits``.
        """
        return self._build(frozenset(map(self._intern, rows)), 0)

    def covers(self, outer: Iterable[Row], inner: Iterable[Row]) -> bool:
        """Tell whether ``outer`` admits every point of ``inner``; refuses what ``build`` does."""
        outer = tuple(outer)
        return self.build((*outer, *inner)) == self.build(outer)

    def edges(self, node: Node) -> tuple[Edge, ...]:
        """Edges of ``node`` in canonical byte order; none for :data:`ACCEPT`."""
        return self._edges[node]

    def path_count(self, node: Node) -> int:
        """Count the root-to-leaf products without listing them."""
        counts = {ACCEPT: 1}
        for each in self._postorder(node):
            counts[each] = sum(counts[edge.child] for edge in self._edges[each])
        return counts[node]

    def point_count(self, node: Node) -> int:
        """Count the admitted points, exactly."""
        counts = {ACCEPT: 1}
        for each in self._postorder(node):
            edges = self._edges[each]
            counts[each] = sum(domain_size(edge.domain) * counts[edge.child] for edge in edges)
        return counts[node]

    def rows(self, node: Node, max_rows: int = MAX_ROWS) -> tuple[Row, ...]:
        """List the root-to-leaf products in canonical order; ``Invalid`` beyond ``max_rows``."""
        if (count := self.path_count(node)) > max_rows:
            raise too_large(f"at most {max_rows} canonical rows", str(count))
        return tuple(self._paths(node))

    def nodes_at(self, node: Node, depth: int) -> tuple[Node, ...]:
        """Nodes that ``depth`` fields below ``node`` are reached, each once, in path order."""
        level = (node,)
        for _ in range(depth):
            below = (edge.child for each in level for edge in self._edges[each])
            level = tuple(dict.fromkeys(below))
        return level

    def leading_to(self, node: Node, start: int, stop: int, target: Node) -> Node:
        """Relation over the fields ``start..stop`` whose points lead from ``node`` to ``target``.

        ``node`` stands before field ``start``, and ``target`` is among its nodes at ``stop``.
        """
        known: dict[Node, Node | None] = {}

        def cut(each: Node, field: int) -> Node | None:
            if field == stop:
                return ACCEPT if each == target else None
            if each not in known:
                kept = [
                    (edge.domain, child)
                    for edge in self._edges[each]
                    if (child := cut(edge.child, field + 1)) is not None
                ]
                known[each] = self._node(kept, field) if kept else None
            return known[each]

        found = cut(node, start)
        if found is None:
            raise ValueError(f"target must be reachable from node {node}, not {target}")
        return found

    def _intern(self, row: Row) -> _Suffix:
        if len(row) != len(self.structural):
            raise ValueError(f"Row must have {len(self.structural)} fields, not {len(row)}")
        self._check(row)
        suffix = 0
        for domain in reversed(row):
            head = (domain, suffix)
            suffix = self._suffixes.setdefault((self._name(domain), suffix), len(self._heads))
            if suffix == len(self._heads):
                self._heads.append(head)
        return suffix

    def _build(self, suffixes: frozenset[_Suffix], field: int) -> Node:
        node = self._built.get(suffixes)
        if node is None:
            heads = [head for s in suffixes if (head := self._heads[s]) is not None]
            parts = [(d, self._build(tails, field + 1)) for d, tails in self._regions(heads)]
            node = self._built[suffixes] = self._node(parts, field)
        return node

    def _check(self, row: Row) -> None:
        """Refuse a field whose kind its structural prefix does not decide, or that names two."""
        prefix: tuple[Domain, ...] = ()
        for field, (domain, structural) in enumerate(zip(row, self.structural, strict=True)):
            kind = self._kinds.setdefault((field, prefix), type(domain))
            if kind is not type(domain):
                raise _field_finding(
                    "relation-domain-kind",
                    field,
                    "Rows that agree on the structural fields must have one kind of domain, "
                    "not finite and unsigned",
                )
            if structural:
                prefix = (*prefix, domain)
                if not isinstance(domain, FiniteDomain) or len(domain.atoms) != 1:
                    raise _field_finding(
                        "relation-structural-field",
                        field,
                        f"A row must name one atom, not {domain_size(domain)} values",
                    )

    def _regions(self, heads: list[tuple[Domain, _Suffix]]) -> list[_Region]:
        """Split one field into elementary regions, each with the suffixes that cover it."""
        if len(heads) == 1:
            domain, tail = heads[0]
            self._visit(1)
            return [(domain, frozenset([tail]))]
        finite: dict[bytes, set[_Suffix]] = {}
        bounds: list[tuple[int, int, _Suffix]] = []
        for domain, tail in heads:
            match domain:
                case FiniteDomain(atoms):
                    self._visit(len(atoms))
                    for atom in atoms:
                        finite.setdefault(atom, set()).add(tail)
                case UnsignedDomain(intervals):
                    self._visit(len(intervals))
                    bounds += ((i.lower, 1, tail) for i in intervals)
                    bounds += ((i.upper + 1, -1, tail) for i in intervals)
        regions: list[_Region] = [
            (FiniteDomain((atom,)), frozenset(tails)) for atom, tails in finite.items()
        ]
        regions += self._sweep(sorted(bounds))
        return regions

    def _sweep(self, bounds: list[tuple[int, int, _Suffix]]) -> Iterator[_Region]:
        covering: Counter[_Suffix] = Counter()
        last = 0
        for position, step, tail in bounds:
            if position > last and covering:
                self._visit(len(covering))
                interval = UnsignedInterval(last, position - 1)
                yield UnsignedDomain((interval,)), frozenset(covering)
            covering[tail] += step
            if not covering[tail]:
                del covering[tail]
            last = position

    def _visit(self, count: int) -> None:
        self.visits += count
        if self.visits > self._max_visits:
            raise too_large(f"at most {self._max_visits} steps of work", "more")

    def _node(self, parts: list[tuple[Domain, Node]], field: int) -> Node:
        """Intern the node of disjoint parts, merging those that lead to one child."""
        if len(parts) > 1 and not self.structural[field]:
            groups: dict[Node, list[Domain]] = {}
            for domain, child in parts:
                groups.setdefault(child, []).append(domain)
            parts = [(_union(domains), child) for child, domains in groups.items()]
        if len(parts) > 1:
            parts = sorted(parts, key=lambda part: self._order(part[0]))
        key = tuple((self._name(domain), child) for domain, child in parts)
        node = self._nodes.setdefault(key, len(self._edges))
        if node == len(self._edges):
            self._edges.append(tuple(Edge(domain, child) for domain, child in parts))
        return node

    def _name(self, domain: Domain) -> int:
        """Number equal domains alike, so that keys of nodes and suffixes hash quickly."""
        return self._domains.setdefault(domain, len(self._domains))

    def _order(self, domain: Domain) -> tuple[int, bytes]:
        """Key of a framed domain: its length stands before its bytes."""
        data = self._encoded.get(domain)
        if data is None:
            data = self._encoded[domain] = encode_domain(domain)
        return len(data), data

    def _postorder(self, node: Node) -> list[Node]:
        """Nodes below and at ``node``, children first, without :data:`ACCEPT`."""
        seen: dict[Node, None] = {}

        def walk(each: Node) -> None:
            if each != ACCEPT and each not in seen:
                for edge in self._edges[each]:
                    walk(edge.child)
                seen[each] = None

        walk(node)
        return list(seen)

    def _paths(self, node: Node) -> Iterator[Row]:
        if node == ACCEPT:
            yield ()
        for edge in self._edges[node]:
            for rest in self._paths(edge.child):
                yield (edge.domain, *rest)


def too_large(required: str, found: str) -> Invalid:
    """Build the refusal of a relation beyond a bound."""
    return Invalid(
        Diagnostic(
            "relation-too-large", "relation", f"A relation must take {required}, not {found}"
        )
    )


def _field_finding(code: str, field: int, message: str) -> Invalid:
    return Invalid(Diagnostic(code, f"field[{field}]", message))


def _union(domains: list[Domain]) -> Domain:
    if len(domains) == 1:
        return domains[0]
    atoms = [a for domain in domains if isinstance(domain, FiniteDomain) for a in domain.atoms]
    if atoms:
        return FiniteDomain.of(*atoms)
    spans = [i for d in domains if isinstance(d, UnsignedDomain) for i in d.intervals]
    return UnsignedDomain.of(*((i.lower, i.upper) for i in spans))
