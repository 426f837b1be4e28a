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


# Examples 3.1 to 3.6 of wolf-2002, with times: a receive at 1 and its send at 4 (3); a send at 10 and its receive at 14
# (4); three messages that are received in the reverse order (the first two receives, 0.5 each); an Allreduce entered at
# 30 and 33 (3); a barrier entered at 48 and 48.5 (0.5); a lock that is requested at 42 and held until 45.5, the end of its
# release (3.5).
COMPOUND_EVENTS = """unit 1
ranks 2 threads 2
team workers 0.0 0.1
0 0 enter main
0 0 enter exchange
4 0 enter MPI_Send
4 0 send 1 7 8
5 0 leave MPI_Send
10 0 enter MPI_Send
10 0 send 1 7 8
16 0 leave MPI_Send
20 0 enter MPI_Send
20 0 send 1 1 8
20.5 0 leave MPI_Send
21 0 enter MPI_Send
21 0 send 1 2 8
21.5 0 leave MPI_Send
22 0 enter MPI_Send
22 0 send 1 3 8
22.5 0 leave MPI_Send
26 0 leave exchange
30 0 enter MPI_Allreduce
34 0 coll_end allreduce world - 16 16
34 0 leave MPI_Allreduce
40 0 enter omp_set_lock
41 0 acquire_lock 1 1
41 0 leave omp_set_lock
45 0 enter omp_unset_lock
45 0 release_lock 1 1
45.5 0 leave omp_unset_lock
48 0 enter !$omp barrier @a.c:5
49 0 leave !$omp barrier @a.c:5
50 0 leave main
42 0.1 enter omp_set_lock
46 0.1 acquire_lock 1 2
46 0.1 leave omp_set_lock
47 0.1 enter omp_unset_lock
47 0.1 release_lock 1 2
47.5 0.1 leave omp_unset_lock
48.5 0.1 enter !$omp barrier @a.c:5
49 0.1 leave !$omp barrier @a.c:5
0 1 enter main
1 1 enter MPI_Recv
5 1 recv 0 7 8
5 1 leave MPI_Recv
14 1 enter MPI_Recv
16 1 recv 0 7 8
16 1 leave MPI_Recv
23 1 enter MPI_Recv
23.5 1 recv 0 3 8
23.5 1 leave MPI_Recv
24 1 enter MPI_Recv
24.5 1 recv 0 2 8
24.5 1 leave MPI_Recv
25 1 enter MPI_Recv
25.5 1 recv 0 1 8
25.5 1 leave MPI_Recv
33 1 enter MPI_Allreduce
34 1 coll_end allreduce world - 16 16
34 1 leave MPI_Allreduce
50 1 leave main
"""
COMPOUND_EVENTS_FOUND = """\
4.000000 s  Late Receiver            rank 0  main/exchange/MPI_Send
3.000000 s  Late Sender              rank 1  main/MPI_Recv
3.500000 s  Lock Competition         rank 0  omp_set_lock
1.000000 s  Messages in Wrong Order  rank 1  main/MPI_Recv
0.500000 s  Unbalanced Barrier       rank 0  main/!$omp barrier @a.c:5
3.000000 s  Wait at N x N            rank 0  main/MPI_Allreduce
"""

# Calls in functions in calls; a send whose message is never received, two of one call; a cancelled one.
NESTED = """unit 1
ranks 2
0 0 enter main
1 0 enter solve
1 0 enter MPI_Startall
1 0 isend 1 5 8 1
1 0 isend 1 5 16 2
2 0 leave MPI_Startall
3 0 enter MPI_Allreduce
4 0 enter combine
5 0 enter MPI_Send
5 0 send 1 6 8
6 0 leave MPI_Send
7 0 leave combine
8 0 coll_end allreduce self - 8 8
8 0 leave MPI_Allreduce
9 0 enter MPI_Isend
9 0 isend 1 5 8 3
9 0 request_cancelled 3
10 0 leave MPI_Isend
11 0 leave solve
11 0 enter solve
12 0 leave solve
13 0 leave main
0 1 enter main
3 1 enter MPI_Recv
4 1 recv 0 5 8
4 1 leave MPI_Recv
13 1 leave main
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
    # The example is about receives: probes wait for messages, too, and polling loops from their first test on.
    expected = {place: time for place, time in severities(trace, "mpi_latesender").items() if "robe" not in place[0]}
    has_loops = any(cell.metric.id == "latesender_polling" for cell in trace.severities)
    if name not in NOT_ONLY_LATE_SENDERS and not has_loops:
        assert dict(places) == expected, (name, places, expected)
        assert f"{trace.seconds(sum(expected.values())):.9f} s  in all" in output, output
    return trace


def check_waits(trace, name):
    """Wait states less their parts, and the parts, are the cells of the report. The waiting of a polling loop is that
    of its last call here, and where its time was spent there: its location's call paths are compared together."""
    own, sums, cells = [wait.ticks for wait in trace.waits], {}, {}
    polling = {cell.location.row for cell in trace.severities if cell.metric.id.endswith("_polling")}

    def add_to(amounts, metric, callpath, location, ticks):
        place = metric.id, "" if location.row in polling else callpath.path, location.row
        amounts[place] = amounts.get(place, 0) + ticks

    def add(metric, call, ticks):
        add_to(sums, metric, call.callpath, call.location, ticks)

    for part in trace.parts:
        own[part.wait.row] -= part.ticks
        add(part.metric, part.wait.call, part.ticks)
    for wait in trace.waits:
        add(wait.metric, wait.call, own[wait.row])
        assert wait.call.wait == wait
    kinds = {place[0] for place in sums}
    for cell in trace.severities:
        if cell.metric.id in kinds:
            add_to(cells, cell.metric, cell.callpath, cell.location, cell.exact)
    assert {place: ticks for place, ticks in sums.items() if ticks} == cells, (name, sums, cells)


def check_blame(trace, name):
    """Those who are blamed for a wait state cover it. That of a polling loop begins with the loop, before its call."""
    polling = {cell.location.row for cell in trace.severities if cell.metric.id.endswith("_polling")}
    for wait in trace.waits if len(trace.blame) else []:
        end = begin = wait.call.enter
        if wait.call.location.row in polling:
            end = begin = min((part.begin for part in trace.blamed(wait)), default=begin)
            assert begin <= wait.call.enter, (name, wait, begin)
        for part in trace.blamed(wait):
            assert part.wait == wait and part.begin == end and part.end > end, (name, wait, part)
            end = part.end
        assert end == begin + wait.ticks, (name, wait, end)


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


def check_state(trace, name, is_paused):
    """The region stack and the queue at each time are what the tables say row by row; executions of functions are
    the visits of the report."""
    times = sorted({time for table in (trace.functions, trace.calls) for time in (*table.enter, *table.leave)})
    step = 1 + len(times) * len(trace.locations) // 400
    received = {send.row: send.message.receive.leave for send in trace.sends if send.message}
    for location in trace.locations:
        rows = [row for table in (trace.functions, trace.calls) for row in table if row.location == location]
        sends = [send for send in trace.sends if send.destination and send.destination.rank == location.rank]
        for time in times[::step]:
            stack = trace.stack(location, time)
            assert set(stack) == {row for row in rows if row.enter <= time < row.leave}, (name, location, time)
            for outer, inner in zip(stack, stack[1:]):
                assert outer.enter <= inner.enter and inner.leave <= outer.leave, (name, outer, inner)
                assert outer in (inner.function, inner.inside) if inner.table is trace.calls else (
                    outer in (inner.parent, inner.call)), (name, outer, inner)
            queue = trace.queue(location.row, time)
            expected = [send for send in sends if send.call.enter <= time
                        and received.get(send.row, time + 1) > time]
            assert queue == sorted(expected, key=lambda send: (send.call.enter, send.row)), (name, location, time)
    visits = {}
    for row in trace.functions:
        visits[row.callpath.path, row.location.row] = visits.get((row.callpath.path, row.location.row), 0) + 1
    # A pause of the recording ends executions, which begin again after it.
    if not is_paused and not any(trace.functions.estimated) and not any(row.region is None for row in trace.functions):
        cells = {(cell.callpath.path, cell.location.row): cell.exact for cell in trace.severities
                 if cell.metric.id == "visits"}
        # The threads of a team inherit the stack of their master, without visits of their own.
        assert {place: cells.get(place, count) for place, count in visits.items()} == visits, (name, visits, cells)


def check_nesting(folder):
    archive = os.path.join(folder, "nested")
    fermata_command.synthesize(NESTED, archive)
    trace = fermata.Trace(archive)
    second = trace.ticks_per_second

    def names(time, location=0):
        return [row.region.name for row in trace.stack(location, time * second)]

    assert [(row.region.name, row.enter / second, row.leave / second) for row in trace.functions
            if row.location.row == 0] == [("main", 0, 13), ("solve", 1, 11), ("combine", 4, 7), ("solve", 11, 12)]
    assert names(0) == ["main"] and names(1) == ["main", "solve", "MPI_Startall"] and names(2) == ["main", "solve"]
    assert names(5) == ["main", "solve", "MPI_Allreduce", "combine", "MPI_Send"]
    assert names(7) == ["main", "solve", "MPI_Allreduce"] and names(11) == ["main", "solve"] and names(13) == []
    inner = trace.stack(trace.locations[0], 5 * second)
    assert inner[4].function == inner[3] and inner[4].inside == inner[2] and inner[3].call == inner[2]
    assert [(send.tag, send.bytes, send.message is None) for send in trace.sends] == [
        (5, 8, False), (5, 16, True), (6, 8, True)]
    assert [send.row for send in trace.queue(1, 1 * second)] == [0, 1] and trace.queue(1, second - 1) == []
    assert [send.row for send in trace.queue(1, 4 * second)] == [1]
    assert [send.row for send in trace.queue(1, 5 * second, source=0)] == [1, 2]
    assert trace.queue(1, 5 * second, source=trace.locations[1]) == [] and trace.queue(0, 5 * second) == []
    assert trace.stack(0, -1) == [] and trace.queue(0, 10 ** 12) == []
    for wrong in (lambda: trace.stack(2, 0), lambda: trace.queue(-1, 0)):
        try:
            wrong()
        except IndexError as error:
            assert "no location" in str(error)
        else:
            raise AssertionError("a location that does not exist")


def check_scenarios(folder):
    """A share of all scenarios, those with messages and locks among them."""
    checked = dict.fromkeys(("functions", "sends", "messages", "holds", "members", "parts", "blame", "operations",
                             "threads"), 0)
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
        with open(scenario, encoding="utf-8") as text:
            check_state(trace, name, " recording_off" in text.read())
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
    archive = os.path.join(folder, "compound-events")
    fermata_command.synthesize(COMPOUND_EVENTS, archive)
    _, output = example("compound_events.py", archive)
    assert output == COMPOUND_EVENTS_FOUND, output
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
    check_nesting(place)
    check_report(place)
    check_columns(place)
