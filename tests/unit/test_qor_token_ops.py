"""What of routed tokens is measured."""

from fabricgen.hsg.semantics import behaviors
from tools.qor_token_ops import TOKEN_OPS


def test_routed_tokens_are_measured_with_every_number_of_lanes():
    # Lanes of one width have one image of each length; the selector must tell all of them apart.
    lengths = {
        case.name: [len(key.lanes) for key in behaviors(case.op)]
        for case in TOKEN_OPS
        if case.name in ("token_sync", "token_mux", "token_demux")
    }
    assert lengths == {
        "token_sync": [1, 2, 3, 4],
        "token_mux": [2, 3, 4],
        "token_demux": [2, 3, 4],
    }
