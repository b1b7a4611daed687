"""What the parts in front of dispatch must know of one Temporal operation port."""

from dataclasses import dataclass

from fabricgen.records.resource import GrantPolicy

__all__ = ["FrontEndShape", "RoleShape"]


@dataclass(frozen=True, slots=True)
class RoleShape:
    """One input role of an operation port.

    Parameters
    ----------
    width
        Payload bits of an operand; 0 for a control token. Wider payloads lose their high bits,
        narrower ones are zero-extended.
    ingresses
        Ordinals of the input endpoints that some row may select for the role, ascending.
    connections
        Ordinals of the internal connections that may end at the role, ascending.
    """

    width: int
    ingresses: tuple[int, ...]
    connections: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.width, int) or self.width < 0:
            raise TypeError(f"Role width must be a non-negative integer, not {self.width!r}")
        if not self.ingresses and not self.connections:
            raise ValueError("Role must have an ingress or a connection, not none")


@dataclass(frozen=True, slots=True)
class FrontEndShape:
    """Rows, roles and sources of one operation port.

    Parameters
    ----------
    rows
        Resident rows, K.
    tag_width
        Bits of a Physical Tag; at least 1.
    roles
        Input roles of the port, in their order.
    ingress_widths, connection_widths
        Ordinal and payload bits of each endpoint and connection that a role names, ascending.
    targets
        Targets that a row of the port may have; at least 1.
    policy
        Grant policy over the rows, None with one row.
    """

    rows: int
    tag_width: int
    roles: tuple[RoleShape, ...]
    ingress_widths: tuple[tuple[int, int], ...]
    connection_widths: tuple[tuple[int, int], ...]
    targets: int
    policy: GrantPolicy | None

    def __post_init__(self) -> None:
        for name in ("rows", "tag_width", "targets"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise TypeError(f"Front end {name} must be a positive integer, not {value!r}")
        if not self.roles:
            raise ValueError("Front end must have an input role, not none")
        for kind in ("ingress", "connection"):
            named = sorted({at for role in self.roles for at in getattr(role, _PLURAL[kind])})
            given = [at for at, _ in getattr(self, f"{kind}_widths")]
            if named != given:
                raise ValueError(
                    f"Front end has {kind} widths for {given}, which are not the same as the "
                    f"{_PLURAL[kind]} of its roles {named}"
                )

    def roles_at(self, ingress: int) -> tuple[int, ...]:
        """Ordinals of the roles that may be fed from this endpoint."""
        return tuple(i for i, role in enumerate(self.roles) if ingress in role.ingresses)

    def consumers_of(self, connection: int) -> tuple[int, ...]:
        """Ordinals of the roles that may be fed by this connection."""
        return tuple(i for i, role in enumerate(self.roles) if connection in role.connections)


_PLURAL = {"ingress": "ingresses", "connection": "connections"}
