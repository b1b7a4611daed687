"""The model on untagged endpoints, which need no key but their ordinal."""

from dataclasses import replace

from fabricgen.model import execute as model


def untagged(by_endpoint):
    """Key everything by endpoint and no tag."""
    return {(endpoint, None): value for endpoint, value in by_endpoint.items()}


def execute(named, configuration, streams, memory, managers=None):
    """Run the model with streams, outputs and leftovers keyed by endpoint."""
    done = model.execute(named, configuration, untagged(streams), memory, managers)
    return replace(
        done,
        outputs={endpoint: tokens for (endpoint, _), tokens in done.outputs.items()},
        leftover={endpoint: count for (endpoint, _), count in done.leftover.items()},
    )
