# SPDX-License-Identifier: BSD-3-Clause
"""The Python module fermata and libfermata-trace: what the tables say is what the report says.

usage: trace_as_data.py FERMATA MODULE EXAMPLES WHICH    WHICH: numpy, plain
"""
import contextlib
import gc
import io
import json
import os
import runpy
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402
import share  # noqa: E402

MODULE, EXAMPLES, WHICH = sys.argv[2:5]
sys.path.insert(0, MODULE)
if WHICH == "plain":
    sys.modules["numpy"] = None  # as if it were not installed
import fermata  # noqa: E402

if WHICH == "numpy" and fermata.numpy is None:
    fermata_command.skip("no NumPy")

# In these, calls wait for other things than the last message, too, or in circles.
NOT_ONLY_LATE_SENDERS = {
    "circle-fallback", "circle-of-three", "circle-of-two", "circles-at-two-ticks", "circle-at-one-tick",
    "message-and-collective", "waitall-of-four-kinds", "waitall-send-and-receive",
    "late-receiver-blocking-size-of-the-locality", "late-receiver-of-a-short-send-by-chance",
    "late-receiver-only-from-the-blocking-size-on", "late-receiver-synchronous",
    "sendrecv-replace-one-direction", "sendrecv-waits-for-the-later-direction"}


# Rank 0 waits 1 s in its first step of 2 s and 2 s in the second.
PHASES = "unit 1\nranks 2\nphase step\n" + "".join(
    f"{2 * i} 0 enter step\n{2 * i} 0 enter MPI_Recv\n{2 * i + 1 + (i == 1)} 0 recv 1 0 8\n"
    f"{2 * i + 1 + (i == 1)} 0 leave MPI_Recv\n{2 * i + 2} 0 leave step\n"
    if i < 2 else f"{2 * i} 0 enter step\n{2 * i + 2} 0 leave step\n" for i in range(4)) + """0 1 enter main
1 1 enter MPI_Send
1 1 send 0 0 8
2 1 leave MPI_Send
4 1 enter MPI_Send
4 1 send 0 0 8
5 1 leave MPI_Send
8 1 leave main
"""


# A message that arrives before it is sent: clocks are wrong.
SKEWED = """unit 1
ranks 2
0 0 enter main
4 0 enter MPI_Send
4 0 send 1 0 8
5 0 leave MPI_Send
9 0 leave main
0 1 enter main
1 1 enter MPI_Recv
2 1 recv 0 0 8
2 1 leave MPI_Recv
9 1 leave main
"""


def example(name, *arguments):
    """Runs an example; returns its variables and what it prints."""
    output, before = io.StringIO(), sys.argv
    sys.argv = [name, *arguments]
    try:
        with contextlib.redirect_stdout(output):
            variables = runpy.run_path(os.path.join(EXAMPLES, name))
    finally:
        sys.argv = before
    return variables, output.getvalue()


def severities(trace, metric):
    """{(call path, rank): ticks} of a metric with its parts."""
    found = {}
    for cell in trace.severities:
        if trace.is_within(cell.metric, metric):
            place = cell.callpath.path, cell.location.rank
            found[place] = found.get(place, 0) + cell.exact
    return found


def text_of(name):
    """Returns the text of an example without its first line, which names its licence."""
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as script:
        first, _, text = script.read().partition("\n")
    assert first == "# SPDX-License-Identifier: BSD-3-Clause", name
    return text


def check_late_sender(archive, name):
    """Late Sender in 12 lines is the built-in one."""
    assert len(text_of("late_sender.py").splitlines()) == 12
    variables, output = example("late_sender.py", archive)
    trace, places = variables["trace"], variables["places"]
    # The example is about receives: probes wait for messages, too.
    expected = {place: time for place, time in severities(trace, "mpi_latesender").items() if "robe" not in place[0]}
    if name not in NOT_ONLY_LATE_SENDERS:
        assert dict(places) == expected, (name, places, expected)
        assert f"{trace.seconds(sum(expected.values())):.9f} s  in all" in output, output
    return trace


def check_waits(trace, name):
    """Wait states less their parts, and the parts, are the cells of the report."""
    own, sums = [wait.ticks for wait in trace.waits], {}

    def add(metric, call, ticks):
        place = metric.id, call.callpath.path, call.location.row
        sums[place] = sums.get(place, 0) + ticks

    for part in trace.parts:
        own[part.wait.row] -= part.ticks
        add(part.metric, part.wait.call, part.ticks)
    for wait in trace.waits:
        add(wait.metric, wait.call, own[wait.row])
        assert wait.call.wait == wait
    kinds = {place[0] for place in sums}
    cells = {(cell.metric.id, cell.callpath.path, cell.location.row): cell.exact
             for cell in trace.severities if cell.metric.id in kinds}
    assert {place: ticks for place, ticks in sums.items() if ticks} == cells, (name, sums, cells)


def check_blame(trace, name):
    """Those who are blamed for a wait state cover it."""
    for wait in trace.waits if len(trace.blame) else []:
        end = wait.call.enter
        for part in trace.blamed(wait):
            assert part.wait == wait and part.begin == end and part.end > end, (name, wait, part)
            end = part.end
        assert end == wait.call.enter + wait.ticks, (name, wait, end)


def check_calls(trace, name):
    for message in trace.messages:
        assert message.send.partner is not None and message.receive.partner is not None, name
        assert message.post is None or message.post.enter <= message.receive.leave, name
    found = {}
    for member in trace.members:
        operation, call = member.collective, member.call
        found.setdefault(operation, []).append(call)
        assert call.collective is not None, name
    for operation in trace.collectives:
        calls = found[operation]
        assert len(calls) == operation.members and operation.last in calls, (name, operation)
        assert min(call.enter for call in calls) == operation.first_enter, (name, operation)
        assert max(call.enter for call in calls) == operation.last_enter, (name, operation)
    for hold in trace.holds:
        assert hold.requested <= hold.acquired <= hold.released, (name, hold)
        if hold.previous is not None:
            assert hold.previous.lock == hold.lock and hold.previous.acquired <= hold.acquired, (name, hold)
        if hold.blocked_by is not None:
            assert hold.waited > 0 and hold.blocked_by.owner != hold.owner, (name, hold)
    for call in trace.calls:
        assert call.region == call.callpath.region and call.enter <= call.leave, (name, call)


def check_scenarios(folder):
    """A share of all scenarios, those with messages and locks among them."""
    checked = {"messages": 0, "holds": 0, "members": 0, "parts": 0, "blame": 0, "operations": 0, "threads": 0}
    # Fewer than one of six would leave a table without rows.
    for scenario in share.some(fermata_command.scenarios(), 6 * min(share.FACTOR, 1)):
        name = os.path.basename(scenario)[:-len(".scn")]
        archive = os.path.join(folder, name)
        if fermata_command.run("synth", scenario, "-o", archive)[0] != 0:
            continue  # one that is to be refused
        trace = check_late_sender(archive, name)
        check_waits(trace, name)
        check_blame(trace, name)
        check_calls(trace, name)
        for table in checked:
            checked[table] += len(trace.tables[table])
    assert all(checked.values()), checked


def check_examples(folder):
    """The documentation shows the text of the examples; they run."""
    documentation = os.path.join(fermata_command.TESTS, "..", "docs", "trace-as-data.md")
    with open(documentation, encoding="utf-8") as file:
        shown = file.read()
    for name in sorted(os.listdir(EXAMPLES)):
        assert text_of(name).rstrip() in shown, name
    archive = os.path.join(folder, "locks")
    scenario = os.path.join(fermata_command.SCENARIOS, "passive", "blame-queue.scn")
    assert fermata_command.run("synth", scenario, "-o", archive)[0] == 0
    _, output = example("locks.py", archive)
    assert "after waiting" in output and " waited " in output and "Blamed" in output, output
    if WHICH == "numpy":
        archive = os.path.join(folder, "phases")
        fermata_command.synthesize(PHASES, archive)
        _, output = example("iterations.py", archive, "step")
        assert "0      4   2.000000 s   37.50%   2.000000 s, 1" in output, output


def check_options(folder):
    """As those of `fermata analyze`."""
    archive = os.path.join(folder, "skewed")
    fermata_command.synthesize(SKEWED, archive)
    for words in ({}, {"clock": "clc"}, {"clock": "none"}, {"progress": "async"}):
        options = [f"--{name}={value}" for name, value in words.items()]
        report = os.path.join(folder, "of-options.fer")
        assert fermata_command.run("analyze", archive, "-o", report, *options)[0] == 0
        _, output, _ = fermata_command.run("report", report, "--format", "json")
        cells = [(cell["metric"], cell["location"], cell["value"]) for cell in json.loads(output)["severities"]]
        trace = fermata.Trace(archive, **words)
        mine = [(cell.metric.id, cell.location.row, cell.value) for cell in trace.severities]
        assert sorted(cells) == sorted(mine), (words, cells, mine)


def check_counters(folder):
    """Metrics that the analysis declares for counters have rows, too."""
    archive = os.path.join(folder, "counted")
    assert fermata_command.run("synth", fermata_command.ALL_EVENTS, "-o", archive)[0] == 0
    trace = fermata.Trace(archive)
    assert max(trace.severities.metric) < len(trace.metrics)
    for cell in trace.severities:
        assert cell.metric.id and cell.metric.unit, cell


def check_report(folder):
    """The cells are those of `fermata analyze`."""
    archive = os.path.join(folder, "of-report")
    scenario = os.path.join(fermata_command.SCENARIOS, "p2p", "late-sender-recv.scn")
    assert fermata_command.run("synth", scenario, "-o", archive)[0] == 0
    assert fermata_command.run("analyze", archive)[0] == 0
    status, output, _ = fermata_command.run("report", archive, "--format", "csv")
    assert status == 0 and output
    status, output, _ = fermata_command.run("report", archive, "--format", "json")
    cells = [(cell["metric"], cell["location"], cell["value"]) for cell in json.loads(output)["severities"]]
    trace = fermata.Trace(archive, threads=1)
    mine = [(cell.metric.id, cell.location.row, cell.value) for cell in trace.severities]
    assert sorted(cells) == sorted(mine), (cells, mine)
    check_options(folder)
    check_counters(folder)
    assert fermata.Trace(archive, threads=2).calls.enter[0] == trace.calls.enter[0]


def check_columns(folder):
    """Columns are views of the library's memory that outlive the trace and cannot be written."""
    archive = os.path.join(folder, "of-report")
    enter = fermata.Trace(archive).calls.enter
    gc.collect()
    assert list(enter) == sorted(enter) or len(enter) > 0
    if WHICH == "numpy":
        import numpy
        assert isinstance(enter, numpy.ndarray) and enter.dtype == numpy.int64
        assert not enter.flags.owndata and not enter.flags.writeable
    else:
        assert isinstance(enter, memoryview) and enter.readonly and enter.format == "q"
    trace = fermata.Trace(archive)
    assert trace.calls.enter is trace.calls.enter
    assert "enter" in dir(trace.calls) and "row of callpaths" in repr(trace.calls)
    assert "calls" in repr(trace) and trace.calls[-1].row == len(trace.calls) - 1
    assert trace.metric("mpi_latesender").unit == "sec" and trace.locations[0].rank == 0
    for wrong, kind in ((lambda: trace.calls.exit, AttributeError), (lambda: trace.calls[10 ** 6], IndexError),
                        (lambda: trace.calls[0].exit, AttributeError),
                        (lambda: fermata.Trace(folder + "/nothing"), fermata.Error),
                        (lambda: fermata.Trace(archive, clock="sun"), fermata.Error)):
        try:
            wrong()
        except kind as error:
            assert str(error)
        else:
            raise AssertionError(kind)


with fermata_command.Folder() as place:
    check_scenarios(place)
    check_examples(place)
    check_report(place)
    check_columns(place)
