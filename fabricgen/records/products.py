"""Products of actor contracts, accesses, physical facts and use patterns, as one relation.

Ports and services admit actors through the same reduced relation. Its four fields are the exact
actor contract, the exact access (or NoAccess), the facts that its owner fixes per product (one
value), and one use-pattern key. The first two are relations themselves: values that lead to one
suffix relation are grouped, and each group is reduced on its own
(spec: Persistent Capability Schema, Local Memory Service).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from fabricgen.atoms.finite import FiniteDomain
from fabricgen.atoms.unsigned import UnsignedDomain
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
from fabricgen.relation.diagram import MAX_ROWS, Diagram, Node, too_large
from fabricgen.relation.row import Domain, Row, row_size

__all__ = ["Product", "ProductRelation", "access_rows", "pattern_keys"]

_CONTRACT_END = len(CONTRACT_STRUCTURAL)
_ACCESS_END = _CONTRACT_END + len(ACCESS_STRUCTURAL)
#: Contract fields, access fields, facts (one value per product), use pattern.
_STRUCTURAL = (*CONTRACT_STRUCTURAL, *ACCESS_STRUCTURAL, True, False)
#: Products that are listed for each one written without counting steps, and the steps of another.
_FREE_PRODUCTS, _PRODUCT_STEPS = 2, 2000
#: The one row of a fence's access: no form, and a form is never empty bytes.
_NO_ACCESS: Row = (FiniteDomain((b"",)),) * len(ACCESS_STRUCTURAL)


@dataclass(frozen=True, slots=True)
class Product:
    """Every actor and access of two domains, with the same facts and use patterns.

    ``facts`` is the encoding of what the owner adds: a role binding, or what serves the access.
    """

    actors: MemoryActorContractDomain
    accesses: ParameterizedMemoryAccessDomain | None
    facts: bytes
    use_patterns: tuple[int, ...]


class ProductRelation:
    """The relation of some products, as a diagram over its fields.

    Raises
    ------
    Invalid
        ``relation-too-large`` where the work or the normal form exceeds its bound.
    """

    def __init__(self, products: Sequence[Product]) -> None:
        self.rows: tuple[Row, ...] = tuple(
            (
                *contract,
                *access,
                FiniteDomain((each.facts,)),
                UnsignedDomain.of(*each.use_patterns),
            )
            for each in products
            for contract in each.actors.rows
            for access in access_rows(each.accesses)
        )
        self._diagram = Diagram(_STRUCTURAL)
        self._root = self._diagram.build(self.rows)
        self._listed = 0
        self._free_products = _FREE_PRODUCTS * len(products)

    @property
    def has_overlap(self) -> bool:
        """Whether two authored products admit one point with the same facts."""
        return sum(map(row_size, self.rows)) > self._diagram.point_count(self._root)

    def second_facts(self) -> int | None:
        """A use pattern that gives one actor and concrete access two facts, if there is one.

        A concrete access carries no subword guarantee, so these two fields are left out.
        """
        end = _ACCESS_END - 2
        diagram = Diagram((*_STRUCTURAL[:end], *_STRUCTURAL[_ACCESS_END:]))
        root = diagram.build([(*row[:end], *row[_ACCESS_END:]) for row in self.rows])
        for node in diagram.nodes_at(root, end):
            seen: set[int] = set()
            for edge in diagram.edges(node):
                (patterns,) = diagram.edges(edge.child)
                keys = pattern_keys(patterns.domain)
                diagram.visit(len(keys))
                if common := seen.intersection(keys):
                    return min(common)
                seen.update(keys)
        return None

    def products(self) -> Iterator[Product]:
        """One product per group of contracts, group of accesses below it, and facts."""
        for actors, node in self._contracts():
            for accesses, below in self._accesses(node):
                for edge in self._diagram.edges(below):
                    (patterns,) = self._diagram.edges(edge.child)
                    self._count_product()
                    yield Product(
                        actors, accesses, _one_atom(edge.domain), pattern_keys(patterns.domain)
                    )

    def _count_product(self) -> None:
        """Products beyond those written are steps of work, since each becomes a record."""
        self._free_products -= 1
        if self._free_products < 0:
            self._diagram.visit(_PRODUCT_STEPS)

    def _contracts(self) -> Iterator[tuple[MemoryActorContractDomain, Node]]:
        """Each schema's contracts, grouped by the relation that they lead to."""
        for schema in self._diagram.edges(self._root):
            prefixes = self._diagram.prefixes(schema.child, 1, _CONTRACT_END)
            for node, part in prefixes.items():
                rows = self._rows_of(part)
                read = [read_contract_row((schema.domain, *row)) for row in rows]
                clauses = tuple(clause for _, clause in read)
                yield MemoryActorContractDomain(read[0][0], clauses), node

    def _accesses(
        self, node: Node
    ) -> Iterator[tuple[ParameterizedMemoryAccessDomain | None, Node]]:
        """Accesses below one contract node, grouped by the relation that they lead to."""
        for below, part in self._diagram.prefixes(node, _CONTRACT_END, _ACCESS_END).items():
            rows = self._rows_of(part)
            yield None if rows == (_NO_ACCESS,) else _domain(rows), below

    def _rows_of(self, part: Node) -> tuple[Row, ...]:
        """Rows of one part of the relation; all listings share one bound."""
        self._listed += self._diagram.path_count(part)
        if self._listed > MAX_ROWS:
            raise too_large(f"at most {MAX_ROWS} clauses and classes", "more")
        return self._diagram.rows(part)


def access_rows(accesses: ParameterizedMemoryAccessDomain | None) -> tuple[Row, ...]:
    """Rows of an access domain; one row of its own kind where there is none."""
    return (_NO_ACCESS,) if accesses is None else accesses.rows


def pattern_keys(domain: Domain) -> tuple[int, ...]:
    """List an unsigned domain of use-pattern keys; authored keys are listed one by one already."""
    intervals = cast("UnsignedDomain", domain).intervals
    return tuple(key for i in intervals for key in range(i.lower, i.upper + 1))


def _domain(rows: tuple[Row, ...]) -> ParameterizedMemoryAccessDomain:
    return ParameterizedMemoryAccessDomain(tuple(map(MemoryAccessClass.of_row, rows)))


def _one_atom(domain: Domain) -> bytes:
    (atom,) = cast("FiniteDomain", domain).atoms
    return atom
