"""What limits the clock of a design that was placed."""

from tools.ooc import critical_path
from tools.qor_table import table

ROW = {
    "design": "adder",
    "parameters": "wide",
    **dict.fromkeys(("lut4", "lut_sum", "comb", "ff", "ram", "mult", "fmax_mhz"), 30),
}
PLACED = """\
Info: Critical path report for clock 'clk' (posedge -> posedge):
Info:   clk-to-q  0.52  0.52 Source o_TRELLIS_FF_Q_6.Q
Info:    routing  1.20  1.73 Net o[77] (100,5) -> (103,6)
Info:      logic  0.24  1.97 Source u_dut.port_0.request_0_rsp_done_LUT4_A_1.F
Info:    routing  1.15  3.11 Net u_dut.port_0.request_0_rsp_done_LUT4_A_1_Z[5] (103,6) -> (102,8)
Info:      logic  0.24  3.35 Source u_dut.port_0.claims.done_1_1_LUT4_D_Z_PFUMX_ALUT_Z.F
Info:      logic  0.26  4.01 Source u_dut.port_0.claims.done_1_1_LUT4_D.OFX
Info:      logic  0.40  5.52 Source u_dut.publisher_0.passed_TRELLIS_FF_Q_8_CE_LUT4_C_Z.OFX
Info:      setup  0.00 10.83 Source o_TRELLIS_FF_Q_35.M
Info: 2.80 ns logic, 8.03 ns routing

Info: Critical path report for cross-domain path '<async>' -> 'posedge clk':
Info:     source  0.00  0.00 Source u_dut.elsewhere.O
Info: 0.00 ns logic, 3.95 ns routing
"""


def test_a_critical_path_is_told_by_its_signals_without_those_of_the_ring():
    path = "port_0.request_0_rsp_done > port_0.claims.done_1_1 > publisher_0.passed"
    assert critical_path(PLACED) == path
    assert path not in table([ROW, {**ROW, "critical": None}])
    assert f"- `adder`, wide: `{path}`" in table([{**ROW, "critical": path}])
