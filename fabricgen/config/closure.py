"""Which rows and connections some legal table can have at all (spec: Operation Rows).

A table is grown from one row until nothing in it is open: each consumed connection gets a producer,
each produced one a consumer, and roles that crowd an endpoint are given to connections.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fabricgen.config.inventory import highest
from fabricgen.plan.admission import Admission, admissions, fence_admissions
from fabricgen.plan.capacity import port_capacities
from fabricgen.plan.demand import row_capacity, tag_width
from fabricgen.plan.roles import RoleBindings
from fabricgen.records.occurrence import MemoryOccurrence
from fabricgen.schema.memory import MEMORY_SCHEMAS
from fabricgen.vocab.dataflow import MemoryAccessForm, MemoryMaskForm, ServiceValueRole

__all__ = ["Closure", "RowKind"]

#: Tables looked at for one question, and for all questions about one memory; beyond them the answer
#: is yes, which costs a stored bit.
_STEPS, _BUDGET = 1000, 100_000

_User = tuple[int, ServiceValueRole]
_Edge = tuple[_User, int]


@dataclass(frozen=True, slots=True)
class RowKind:
    """Rows of one product of one port, with a mask or without, and their active roles.

    Fences have no product: their tokens have no payload. ``contexts`` are the rows of a Temporal
    table that they may be; all of a Spatial one, where the port decides.
    """

    port: int
    product: Admission | None
    inputs: RoleBindings
    results: RoleBindings
    contexts: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows of a growing table with the connections that their roles take and make.

    A role is external where no connection feeds it; a result is exposed where it feeds none.
    """

    rows: tuple[RowKind, ...]
    taken: frozenset[_Edge] = frozenset()
    made: frozenset[_Edge] = frozenset()
    external: frozenset[_User] = frozenset()


class Closure:
    """Tell what a row of some legal table may be.

    Widths of payloads are compared for one connection at a time, so that where a row has several
    the answer may be yes too often; it is never no for what a legal table has.
    """

    def __init__(self, occurrence: MemoryOccurrence) -> None:
        self._connections = occurrence.connectivity.internal_connections
        self._ports = occurrence.operation_ports
        self._rows, self._tag = row_capacity(occurrence), tag_width(occurrence)
        self._every_row = frozenset(range(self._rows))
        self._kinds = [
            self.kind(port, product, form)
            for port in range(len(self._ports))
            for product in admissions(occurrence, port)
            for form in product.mask_forms
        ]
        self._kinds += [
            self.fence(port, alternative)
            for port in range(len(self._ports))
            for alternative in dict.fromkeys(
                each.alternative for each in fence_admissions(occurrence, port)
            )
        ]
        self._port_rows = [
            1 if self._tag is None else port_capacities(port).total_slots for port in self._ports
        ]
        self._steps, self._spent = 0, 0

    def kind(self, port: int, product: Admission, form: MemoryMaskForm) -> RowKind:
        """Rows of one product with one mask form."""
        inputs, results = self._bound(port, product.alternative, form)
        return RowKind(port, product, inputs, results, self._contexts(port, product.alternative))

    def fence(self, port: int, alternative: int) -> RowKind:
        """Rows of one alternative of fences."""
        inputs, results = self._bound(port, alternative, MemoryMaskForm.ABSENT)
        return RowKind(port, None, inputs, results, self._contexts(port, alternative))

    def _contexts(self, port: int, ordinal: int) -> frozenset[int]:
        """Rows in which some pattern of an alternative is admitted."""
        if self._tag is None:
            return self._every_row
        keys = self._ports[port].capability_alternatives[ordinal].admissible_use_patterns
        return frozenset(key % self._rows for key in keys)

    def _bound(
        self, port: int, ordinal: int, form: MemoryMaskForm
    ) -> tuple[RoleBindings, RoleBindings]:
        """Active input and result roles of an alternative, with their endpoints."""
        alternative = self._ports[port].capability_alternatives[ordinal]
        schema = MEMORY_SCHEMAS[alternative.actor_contract_domain.actor_schema]
        bound = [
            (role, endpoint)
            for role, endpoint in alternative.role_to_endpoint
            if role is not ServiceValueRole.MASK or form is MemoryMaskForm.DYNAMIC
        ]
        inputs = tuple(each for each in bound if each[0] in schema.input_roles)
        results = tuple(each for each in bound if each[0] not in schema.input_roles)
        return inputs, results

    def is_possible(self, kind: RowKind) -> bool:
        """Tell whether some legal table has such a row."""
        return self._answer(_Table((kind,)))

    def is_external(self, kind: RowKind, role: ServiceValueRole) -> bool:
        """Tell whether the input role of such a row may meet its endpoint."""
        return self._answer(_Table((kind,), external=frozenset({(0, role)})))

    def consumes(self, kind: RowKind, role: ServiceValueRole, connection: int) -> bool:
        """Tell whether such a row may take the role from the connection."""
        return self._answer(_Table((kind,), taken=frozenset({((0, role), connection)})))

    def produces(self, kind: RowKind, role: ServiceValueRole, connection: int) -> bool:
        """Tell whether such a row may publish the role into the connection."""
        return self._answer(_Table((kind,), made=frozenset({((0, role), connection)})))

    def _answer(self, table: _Table) -> bool:
        self._spent += self._steps
        self._steps = 0
        return self._closes(table)

    def _closes(self, table: _Table) -> bool:
        self._steps += 1
        if self._steps > _STEPS or self._spent > _BUDGET:
            return True
        options = self._options(table)
        return options is None or any(self._closes(option) for option in options)

    def _options(self, table: _Table) -> Iterator[_Table] | None:
        """Ways to repair the first thing that is wrong; ``None`` where nothing is."""
        made, taken = {c for _, c in table.made}, {c for _, c in table.taken}
        if missing := sorted(taken - made):
            return self._produced(table, missing[0])
        if missing := sorted(made - taken):
            return self._consumed(table, missing[0])
        for endpoint, users in self._crowds(table, are_results=False):
            if len(users) > 1 << (self._tag or 0):
                return self._relieved_input(table, endpoint, users)
        if self._tag is None:
            for endpoint, users in self._crowds(table, are_results=True):
                if len(users) > 1:
                    return self._relieved_output(table, endpoint, users)
        return None

    def _grown(self, table: _Table) -> Iterator[tuple[_Table, int]]:
        """The table as it is with each of its rows, then with each row that may be added."""
        for row in range(len(table.rows)):
            yield table, row
        if len(table.rows) == self._rows:
            return
        for kind in self._kinds:
            there = sum(row.port == kind.port for row in table.rows)
            rows = (*table.rows, kind)
            if there < self._port_rows[kind.port] and self._has_places(rows):
                yield replace(table, rows=rows), len(table.rows)

    def _has_places(self, rows: tuple[RowKind, ...]) -> bool:
        """Tell whether no two of so many rows need one context: augmenting paths find out."""
        # Rows that may be anywhere find what the others leave.
        bound = [row.contexts for row in rows if row.contexts != self._every_row]
        owners: dict[int, int] = {}

        def seat(row: int, tried: set[int]) -> bool:
            for context in sorted(bound[row] - tried):
                tried.add(context)
                if context not in owners or seat(owners[context], tried):
                    owners[context] = row
                    return True
            return False

        return all(seat(row, set()) for row in range(len(bound)))

    def _produced(self, table: _Table, connection: int) -> Iterator[_Table]:
        source = self._connections[connection].source_endpoint_ordinal
        for grown, row in self._grown(table):
            for role, endpoint in grown.rows[row].results:
                edge = ((row, role), connection)
                if endpoint == source and all(
                    self._carries(grown, edge[0], user)
                    for user, c in table.taken
                    if c == connection
                ):
                    yield replace(grown, made=grown.made | {edge})

    def _consumed(self, table: _Table, connection: int) -> Iterator[_Table]:
        sink = self._connections[connection].sink_endpoint_ordinal
        for grown, row in self._grown(table):
            for role, endpoint in grown.rows[row].inputs:
                if endpoint == sink:
                    yield from self._taken(grown, (row, role), connection)

    def _taken(self, table: _Table, user: _User, connection: int) -> Iterator[_Table]:
        """The table in which an external role takes from a connection instead, if it can."""
        is_free = user not in table.external and all(user != other for other, _ in table.taken)
        producers = [producer for producer, c in table.made if c == connection]
        if is_free and all(self._carries(table, producer, user) for producer in producers):
            yield replace(table, taken=table.taken | {(user, connection)})

    def _relieved_input(self, table: _Table, endpoint: int, users: list[_User]) -> Iterator[_Table]:
        for user in users:
            for ordinal, connection in enumerate(self._connections):
                if connection.sink_endpoint_ordinal == endpoint:
                    yield from self._taken(table, user, ordinal)

    def _relieved_output(
        self, table: _Table, endpoint: int, users: list[_User]
    ) -> Iterator[_Table]:
        made = {c for _, c in table.made}
        for user in users:
            for ordinal, connection in enumerate(self._connections):
                if connection.source_endpoint_ordinal == endpoint and ordinal not in made:
                    yield replace(table, made=table.made | {(user, ordinal)})

    def _crowds(self, table: _Table, *, are_results: bool) -> Iterator[tuple[int, list[_User]]]:
        inside = {user for user, _ in (table.made if are_results else table.taken)}
        users: defaultdict[int, list[_User]] = defaultdict(list)
        for row, kind in enumerate(table.rows):
            for role, endpoint in kind.results if are_results else kind.inputs:
                if (row, role) not in inside:
                    users[endpoint].append((row, role))
        return iter(sorted(users.items()))

    def _carries(self, table: _Table, producer: _User, consumer: _User) -> bool:
        """Tell whether some points of both rows have payloads that fit."""
        (source, made), (sink, needed) = producer, consumer
        product, other = table.rows[source].product, table.rows[sink].product
        if source == sink and product is not None:
            return _fits_itself(product, made, needed)
        return _most_bits(product, made) >= _fewest_bits(other, needed)


def _most_bits(product: Admission | None, role: ServiceValueRole) -> int:
    """Payload of the widest result of a product."""
    if product is None:
        return 0
    lanes = highest(product.lane_counts)
    match role:
        case ServiceValueRole.DATA | ServiceValueRole.OLD:
            return highest(product.element_widths) * lanes
        case ServiceValueRole.SUCCESS:
            return lanes
        case _:
            return 0


def _fewest_bits(product: Admission | None, role: ServiceValueRole) -> int:
    """Payload of the narrowest operand of a product."""
    if product is None:
        return 0
    lanes = product.lane_counts.intervals[0].lower
    match role:
        case (
            ServiceValueRole.DATA
            | ServiceValueRole.UPDATE
            | ServiceValueRole.EXPECTED
            | ServiceValueRole.DESIRED
        ):
            return product.element_widths.intervals[0].lower * lanes
        case ServiceValueRole.ADDRESS:
            indices = lanes if product.form is MemoryAccessForm.INDEXED else 1
            return product.index_widths.intervals[0].lower * indices
        case ServiceValueRole.MASK:
            return lanes
        case _:
            return 0


def _fits_itself(product: Admission, made: ServiceValueRole, needed: ServiceValueRole) -> bool:
    """The same for one row, whose lane count is one number."""
    contents = (ServiceValueRole.DATA, ServiceValueRole.OLD)
    if made in contents and product.form is MemoryAccessForm.INDEXED:
        widest = highest(product.element_widths)
        return needed is not ServiceValueRole.ADDRESS or (
            widest >= product.index_widths.intervals[0].lower
        )
    if needed is ServiceValueRole.MASK:
        return made in (*contents, ServiceValueRole.SUCCESS)
    return _most_bits(product, made) >= _fewest_bits(product, needed)
