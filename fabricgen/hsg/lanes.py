"""Canonical images of a routed token's software lanes on the physical lanes of a resource.

Physical lanes of equal effective width form a class. An image is made lane by lane: choose a
class, take its lowest port that is not yet used. Only such images are legal correspondences. The
ports of a Sync are a set; choices of a Mux and results of a Demux keep their order.
"""

from fabricgen.errors import Diagnostic, Invalid, Unsupported
from fabricgen.errors.listing import listed
from fabricgen.hsg.ports import PhysicalPorts
from fabricgen.hsg.token_params import RoutedTokenParams
from fabricgen.vocab.dataflow import OperationSchemaId

__all__ = [
    "MAX_KEYS",
    "effective_widths",
    "is_canonical_image",
    "lane_images",
    "require_canonical_image",
]

#: Most keys of one finite relation that this generator enumerates.
MAX_KEYS = 4_096
_MAX_LANES = 1024

_O = OperationSchemaId


def effective_widths(
    operation: OperationSchemaId, params: RoutedTokenParams, ports: PhysicalPorts
) -> list[tuple[int, int]]:
    """Ordinal and effective width in bits of each physical lane, in port order.

    Lane *i* of a Sync is input *i* with output *i*, of a Mux input *i* from 1 on, of a Demux
    output *i*.
    """
    most = params.max_payload_bits
    match operation:
        case _O.DATAFLOW_SYNC:
            pairs = zip(ports.inputs, ports.outputs, strict=False)
            return [(ordinal, min(most, *pair)) for ordinal, pair in enumerate(pairs)]
        case _O.DATAFLOW_MUX:
            choices = enumerate(ports.inputs[1:], 1)
            return [(ordinal, min(most, width, ports.outputs[0])) for ordinal, width in choices]
        case _O.DATAFLOW_DEMUX:
            results = enumerate(ports.outputs)
            return [(ordinal, min(most, ports.inputs[1], width)) for ordinal, width in results]
        case _:
            raise TypeError(f"Operation must be a sync, mux or demux, not {operation!r}")


def lane_images(
    operation: OperationSchemaId, params: RoutedTokenParams, ports: PhysicalPorts
) -> tuple[tuple[int, ...], ...]:
    """Every canonical image of the resource; more than 4,096 are ``Unsupported``."""
    classes = _classes(operation, params, ports)
    is_set = operation is _O.DATAFLOW_SYNC
    most = min(params.max_fan, sum(map(len, classes)), _most_lanes(operation, ports))
    images = _sets(classes, most) if is_set else _sequences(classes, most)
    least = 1 if is_set else 2
    return tuple(image for image in images if len(image) >= least)


def is_canonical_image(
    operation: OperationSchemaId,
    params: RoutedTokenParams,
    ports: PhysicalPorts,
    image: tuple[int, ...],
) -> bool:
    """Tell whether ``image``, in software order, takes of each class its lowest ports in order."""
    classes = _classes(operation, params, ports)
    taken = [[port for port in image if port in members] for members in classes]
    least = 1 if operation is _O.DATAFLOW_SYNC else 2
    return (
        sum(map(len, taken)) == len(image)
        and least <= len(image) <= params.max_fan
        and len(image) <= _most_lanes(operation, ports)
        and all(used == members[: len(used)] for used, members in zip(taken, classes, strict=True))
    )


def require_canonical_image(
    operation: OperationSchemaId,
    params: RoutedTokenParams,
    ports: PhysicalPorts,
    image: tuple[int, ...],
) -> None:
    """Refuse a correspondence that is not a canonical image."""
    if not is_canonical_image(operation, params, ports, image):
        raise Invalid(
            Diagnostic(
                "lane-image",
                "lanes",
                "The lanes must take the lowest unused port of a class of equal width each, "
                f"not {listed(image)}",
            )
        )


def _classes(
    operation: OperationSchemaId, params: RoutedTokenParams, ports: PhysicalPorts
) -> list[list[int]]:
    """Ports of equal effective width, classes by ascending width, ports ascending."""
    by_width: dict[int, list[int]] = {}
    for ordinal, width in effective_widths(operation, params, ports):
        by_width.setdefault(width, []).append(ordinal)
    return [by_width[width] for width in sorted(by_width)]


def _most_lanes(operation: OperationSchemaId, ports: PhysicalPorts) -> int:
    """Lanes that the selector port can tell apart: ``i1`` for two, an index for more."""
    if operation is _O.DATAFLOW_SYNC:
        return len(ports.inputs)
    selector = ports.inputs[0]
    return len(ports.inputs) + len(ports.outputs) if selector >= 32 else 2 if selector else 0


def _sequences(classes: list[list[int]], most: int) -> list[tuple[int, ...]]:
    """Images in which order counts, each one lane longer than some image before it."""
    _require_few(0, most)
    images: list[tuple[int, ...]] = []
    level: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), (0,) * len(classes))]
    for _ in range(most):
        longer: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        for image, used in level:
            for ordinal, members in enumerate(classes):
                if used[ordinal] < len(members):
                    rest = (*used[:ordinal], used[ordinal] + 1, *used[ordinal + 1 :])
                    longer.append(((*image, members[used[ordinal]]), rest))
            _require_few(len(images) + len(longer), most)
        images.extend(image for image, _ in longer)
        level = longer
    return images


def _sets(classes: list[list[int]], most: int) -> list[tuple[int, ...]]:
    """Images as sorted port sets, the empty one first."""
    _require_few(0, most)
    images: list[tuple[int, ...]] = [()]
    for members in classes:
        longer: list[tuple[int, ...]] = []
        for image in images:
            room = min(len(members), most - len(image))
            longer.extend((*image, *members[:count]) for count in range(room + 1))
            _require_few(len(longer), most)
        images = longer
    return [tuple(sorted(image)) for image in images]


def _require_few(images: int, lanes: int) -> None:
    if images > MAX_KEYS or lanes > _MAX_LANES:
        raise Unsupported(
            Diagnostic(
                "semantic-keys-too-many",
                "hw_params.max_fan",
                f"The ports must have at most {MAX_KEYS} images of at most {_MAX_LANES} lanes, "
                "not more: use fewer different widths or a smaller fan",
            )
        )
