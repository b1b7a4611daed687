"""Hash-consed decision diagrams of ordered relations.

A node stands for the relation over the fields that are left. Its edges carry disjoint domains,
and no two edges of an ordinary field lead to one node, so equal relations are one node. Rows are
split into the regions of one field that the same rows cover, never into single values.
(spec: Persistent Capability Schema)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.errors import Diagnostic, Invalid
from fabricgen.relation.row import Domain, Row, domain_size, encode_domain
from fabricgen.relation.split import (
    Atoms,
    Values,
    are_spans,
    domain_of,
    joined_atoms,
    joined_spans,
    size_of,
    split_atoms,
    split_spans,
    values_of,
)

__all__ = ["ACCEPT", "MAX_ROWS", "MAX_VISITS", "Diagram", "Edge", "Node"]

#: Rows that a canonical form may have.
MAX_ROWS = 100_000
#: Steps that one diagram may take; bounds time where rows overlap in many ways.
MAX_VISITS = 1_750_000
#: Steps of a node beside those of its edges, of one edge of a cut, and of one domain of a row
#: that is listed: about what they cost in time.
_NODE_STEPS, _EDGE_STEPS, _LISTED_STEPS = 16, 8, 20
#: Rows that are listed for each row that was built from, without counting steps.
_FREE_ROWS = 2

Node = int
#: The node over no fields: the empty point, admitted.
ACCEPT: Node = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """Values of one field that lead to one node."""

    domain: Domain
    child: Node


_V = TypeVar("_V")
_Part = tuple[Values, Node]
#: Rows without their first fields, interned: the values of the next field and the rest.
_Suffix = int


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
        Steps taken: values and intervals of row heads, and the rows over each region of a field.
    """

    def __init__(self, structural: Sequence[bool], *, max_visits: int = MAX_VISITS) -> None:
        self.structural = tuple(structural)
        self.visits = 0
        self._max_visits = max_visits
        self._free_rows = 0
        self._parts: list[tuple[_Part, ...]] = [()]
        self._edges: dict[Node, tuple[Edge, ...]] = {ACCEPT: ()}
        self._nodes: dict[tuple[tuple[int, Node], ...], Node] = {}
        self._names: dict[Values, int] = {}
        self._heads: list[tuple[Values, _Suffix] | None] = [None]
        self._suffixes: dict[tuple[int, _Suffix], _Suffix] = {}
        self._built: dict[frozenset[_Suffix], Node] = {frozenset([0]): ACCEPT}
        self._kinds: dict[tuple[int, tuple[int, ...]], type[Domain]] = {}
        self._domains: dict[Values, tuple[int, bytes, Domain]] = {}

    def build(self, rows: Iterable[Row]) -> Node:
        """Return the node of the union of ``rows``; at least one row over all the fields.

        Raises
        ------
        Invalid
            ``relation-domain-kind`` where rows that agree on the structural fields before it
            disagree on a field's kind; ``relation-structural-field`` where a structural field
            does not name one atom; ``relation-too-large`` beyond ``max_visits``.
        """
        suffixes = [self._intern(row) for row in rows]
        self._free_rows += _FREE_ROWS * len(suffixes)
        return self._build(frozenset(suffixes), 0)

    def covers(self, outer: Iterable[Row], inner: Iterable[Row]) -> bool:
        """Tell whether ``outer`` admits every point of ``inner``; refuses what ``build`` does."""
        outer = tuple(outer)
        return self.build((*outer, *inner)) == self.build(outer)

    def edges(self, node: Node) -> tuple[Edge, ...]:
        """Edges of ``node`` in canonical byte order; none for :data:`ACCEPT`."""
        edges = self._edges.get(node)
        if edges is None:
            parts = [(self._domain(values), child) for values, child in self._parts[node]]
            parts.sort(key=lambda part: part[0][:2])
            edges = tuple(Edge(domain, child) for (_, _, domain), child in parts)
            self._edges[node] = edges
        return edges

    def path_count(self, node: Node) -> int:
        """Count the root-to-leaf products without listing them."""
        counts = {ACCEPT: 1}
        for each in self._postorder(node):
            counts[each] = sum(counts[child] for _, child in self._parts[each])
        return counts[node]

    def point_count(self, node: Node) -> int:
        """Count the admitted points, exactly."""
        counts = {ACCEPT: 1}
        for each in self._postorder(node):
            parts = self._parts[each]
            counts[each] = sum(size_of(values) * counts[child] for values, child in parts)
        return counts[node]

    def rows(self, node: Node, max_rows: int = MAX_ROWS) -> tuple[Row, ...]:
        """List the root-to-leaf products in canonical order; ``Invalid`` beyond ``max_rows``.

        Rows beyond those that were built from count as steps.
        """
        if (count := self.path_count(node)) > max_rows:
            raise too_large(f"at most {max_rows} canonical rows", str(count))
        self._free_rows -= count
        if self._free_rows < 0:
            self.visit(-self._free_rows * len(self.structural) * _LISTED_STEPS)
            self._free_rows = 0
        return tuple(self._paths(node))

    def nodes_at(self, node: Node, depth: int) -> tuple[Node, ...]:
        """Nodes that ``depth`` fields below ``node`` are reached, each once, in path order."""
        level = (node,)
        for _ in range(depth):
            below = (edge.child for each in level for edge in self.edges(each))
            level = tuple(dict.fromkeys(below))
        return level

    def prefixes(self, node: Node, start: int, stop: int) -> dict[Node, Node]:
        """Relation over the fields ``start..stop`` that leads to each node at ``stop``.

        ``node`` stands before field ``start``; the nodes at ``stop`` are in path order.
        """
        known: dict[Node, dict[Node, Node]] = {}

        def cut(each: Node, field: int) -> dict[Node, Node]:
            if field == stop:
                return {each: ACCEPT}
            if each not in known:
                parts: dict[Node, list[_Part]] = {}
                for edge in self.edges(each):
                    below = cut(edge.child, field + 1)
                    self.visit(_EDGE_STEPS * len(below))
                    for target, part in below.items():
                        parts.setdefault(target, []).append((values_of(edge.domain), part))
                known[each] = {
                    target: self._node(self._merged(kept, field)) for target, kept in parts.items()
                }
            return known[each]

        return cut(node, start)

    def visit(self, count: int) -> None:
        """Count steps; ``Invalid`` beyond the bound. A caller counts its own work on nodes."""
        self.visits += count
        if self.visits > self._max_visits:
            raise too_large(f"at most {self._max_visits} steps of work", "more")

    def _intern(self, row: Row) -> _Suffix:
        if len(row) != len(self.structural):
            raise ValueError(f"Row must have {len(self.structural)} fields, not {len(row)}")
        fields = tuple(map(values_of, row))
        names = tuple(map(self._name, fields))
        self._check(row, names)
        suffix = 0
        for values, name in zip(reversed(fields), reversed(names), strict=True):
            head = (values, suffix)
            suffix = self._suffixes.setdefault((name, suffix), len(self._heads))
            if suffix == len(self._heads):
                self._heads.append(head)
        return suffix

    def _check(self, row: Row, names: tuple[int, ...]) -> None:
        """Refuse a field whose kind its structural prefix does not decide, or that names two."""
        prefix: tuple[int, ...] = ()
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
                prefix = (*prefix, names[field])
                if not isinstance(domain, FiniteDomain) or len(domain.atoms) != 1:
                    raise _field_finding(
                        "relation-structural-field",
                        field,
                        f"A row must name one atom, not {domain_size(domain)} values",
                    )

    def _build(self, suffixes: frozenset[_Suffix], field: int) -> Node:
        node = self._built.get(suffixes)
        if node is None:
            heads = [head for s in suffixes if (head := self._heads[s]) is not None]
            node = self._built[suffixes] = self._node(self._split(heads, field))
        return node

    def _split(self, heads: list[tuple[Values, _Suffix]], field: int) -> list[_Part]:
        """Split one field into disjoint values, each with the node that they lead to."""
        if len(heads) == 1:
            values, tail = heads[0]
            self.visit(1)
            return [(values, self._build(frozenset((tail,)), field + 1))]
        self.visit(_NODE_STEPS + len(heads))
        # Rows with equal structural fields have one kind of domain in a field.
        spans = [(values, tail) for values, tail in heads if are_spans(values)]
        if spans:
            return self._joined(split_spans(spans, self.visit), field, joined_spans)
        by_tails = split_atoms(cast("list[tuple[Atoms, _Suffix]]", heads), self.visit)
        if not self.structural[field]:
            return self._joined(by_tails, field, joined_atoms)
        return [
            ((atom,), self._build(tails, field + 1))
            for tails, atoms in by_tails.items()
            for atom in atoms
        ]

    def _joined(
        self,
        groups: dict[frozenset[_Suffix], list[_V]],
        field: int,
        joined: Callable[[list[list[_V]]], Values],
    ) -> list[_Part]:
        """Join the values that lead to one node."""
        children: dict[Node, list[list[_V]]] = {}
        for tails, values in groups.items():
            children.setdefault(self._build(tails, field + 1), []).append(values)
        return [(joined(lists), child) for child, lists in children.items()]

    def _merged(self, parts: list[_Part], field: int) -> list[_Part]:
        """Merge disjoint parts that lead to one node."""
        if len(parts) == 1 or self.structural[field]:
            return parts
        groups: dict[Node, list[Values]] = {}
        for values, child in parts:
            groups.setdefault(child, []).append(values)
        return [(_union(lists), child) for child, lists in groups.items()]

    def _node(self, parts: list[_Part]) -> Node:
        """Intern the node of disjoint parts, each of which leads to another node."""
        named = [(self._name(values), child) for values, child in parts]
        node = self._nodes.setdefault(tuple(sorted(named)), len(self._parts))
        if node == len(self._parts):
            self._parts.append(tuple(parts))
        return node

    def _name(self, values: Values) -> int:
        """Number equal values alike, so that keys of nodes and suffixes hash quickly."""
        return self._names.setdefault(values, len(self._names))

    def _domain(self, values: Values) -> tuple[int, bytes, Domain]:
        """A domain behind its key in canonical order: the length of its bytes, then they."""
        found = self._domains.get(values)
        if found is None:
            domain = domain_of(values)
            data = encode_domain(domain)
            found = self._domains[values] = (len(data), data, domain)
        return found

    def _postorder(self, node: Node) -> list[Node]:
        """Nodes below and at ``node``, children first, without :data:`ACCEPT`."""
        seen: dict[Node, None] = {}

        def walk(each: Node) -> None:
            if each != ACCEPT and each not in seen:
                for _, child in self._parts[each]:
                    walk(child)
                seen[each] = None

        walk(node)
        return list(seen)

    def _paths(self, node: Node) -> Iterator[Row]:
        if node == ACCEPT:
            yield ()
        for edge in self.edges(node):
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


def _union(lists: list[Values]) -> Values:
    if len(lists) == 1:
        return lists[0]
    spans = [values for values in lists if are_spans(values)]
    return joined_spans(spans) if spans else joined_atoms(cast("list[Atoms]", lists))
