"""A job says exactly what records, rows, tokens and model say."""

from fabricgen.abi.image import encode_image
from fabricgen.model.execute import execute
from fabricgen.plan.configuration import FabricConfiguration
from fabricgen.plan.rows import Disabled
from sim.job import Run
from sim.make_job import Stimulus, make_job
from tests.support import memories as mem
from tests.support.untagged import untagged

RD_ADDR, RD_MASK, RD_CTRL, WR_ADDR, WR_DATA, WR_MASK, WR_CTRL, RD_DATA, RD_DONE, WR_DONE = range(10)
NAMED = mem.hybrid_memory()
FABRIC = mem.fabric(NAMED)
BANKS = ("b0", "b1", "b2", "b3")
RAMP = bytes(index & 0xFF for index in range(4096))


def job(configuration, streams):
    streams = untagged(streams)
    execution = execute(NAMED, configuration, streams, RAMP)
    image = encode_image(FABRIC, FabricConfiguration((configuration,)))
    runs = (Run("always", 7),)
    return make_job(FABRIC, configuration, Stimulus(streams, RAMP), execution, image, BANKS, runs)


def load_job(addresses, controls):
    row = mem.row(0, mem.LOAD, mem.view(mem.ELEMENT, element=16), base=0)
    return job(mem.table(row, None), {RD_ADDR: addresses, RD_CTRL: [0] * controls})


def test_endpoints_of_the_row_are_fed_and_compared_and_the_others_stay_idle():
    made = load_job([1, 2], 2)
    inputs = {item.endpoint: item for item in made.ingresses}
    outputs = {item.endpoint: item for item in made.egresses}
    assert list(inputs) == list(mem.ENDPOINTS)[:7]
    assert list(outputs) == list(mem.ENDPOINTS)[7:]
    address = inputs["rd_addr"]
    assert (address.row, address.role, address.width, address.taken) == (0, "ADDRESS", 32, 2)
    assert (inputs["rd_mask"].row, inputs["wr_addr"].taken) == (None, 0)
    assert outputs["rd_data"].tokens == (0x0302, 0x0504)
    assert (outputs["rd_done"].row, outputs["rd_done"].role) == (0, "COMPLETION")
    assert (outputs["wr_done"].row, outputs["wr_done"].tokens) == (None, ())


def test_a_row_brings_its_declared_capacities():
    (row,) = load_job([1], 1).rows
    assert (row.port, row.firings, row.in_flight) == ("port0", 1, 4)
    assert row.depths == {"ADDRESS": 2, "CONTROL": 2}


def test_tokens_without_a_firing_fill_the_queue_and_stay_in_the_stream():
    made = load_job([0] * 9, 5)
    address, control = made.ingresses[RD_ADDR], made.ingresses[RD_CTRL]
    assert (address.taken, control.taken) == (7, 5)
    assert not made.is_quiescent
    assert load_job([0] * 5, 5).is_quiescent


def test_the_program_writes_the_image_and_reads_it_back():
    made = load_job([1], 1)
    writes = [step for step in made.program if step.write]
    reads = [step for step in made.program if not step.write]
    words = [step.data for step in writes if step.address < 4 * (len(writes) - 2)]
    assert [step.data for step in reads if step.address < 4 * len(words)] == words
    assert all(step.response == "OKAY" for step in made.program)
    at = made.registers
    assert len({at.flags, at.row, *at.address}) == 3


def test_faults_are_named_as_the_hardware_can_express_them():
    made = load_job([0, 4096, 9000], 3)
    # Byte 8192 of a service with 12 address bits.
    assert made.faults == ((0, 0),)


def test_memory_and_banks_follow_the_service():
    memory = load_job([1], 1).memory
    assert (memory.before, memory.after, memory.word_bytes) == (RAMP, RAMP, 8)
    assert memory.banks == BANKS


def test_the_bound_grows_with_what_can_be_inside():
    narrow = load_job([1], 1).bound
    vector = mem.row(0, mem.LOAD, mem.view(mem.CONTIGUOUS, lanes=4), base=0)
    wide = job(mem.table(vector, None), {RD_ADDR: [0], RD_CTRL: [0]}).bound
    # Sixteen cycles of pipeline, and six firings of at most two, or four, beats.
    assert (narrow, wide) == (16 + 6 * 2, 16 + 6 * 4)


def test_disabled_takes_nothing():
    made = job(Disabled(), {RD_ADDR: [1, 2]})
    assert made.rows == ()
    assert made.ingresses[RD_ADDR].tokens == (1, 2)
    assert made.ingresses[RD_ADDR].taken == 0
    assert made.is_quiescent
