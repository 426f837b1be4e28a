# SPDX-License-Identifier: BSD-3-Clause
"""Patterns of the user: the examples, what a script may do, how it is stopped, and where its metric
appears."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

EXAMPLES = sys.argv[2]

# Rank 1 waits 3 s for rank 0 in `exchange`, 1 s in `other`. Rank 0 sends three small messages in a
# row to rank 1; the last two are received late.
MESSAGES = """unit 1
ranks 2
0 0 enter main
4 0 enter MPI_Send
4 0 send 1 7 8
5 0 leave MPI_Send
6 0 enter MPI_Send
6 0 send 1 7 1024
7 0 leave MPI_Send
8 0 enter MPI_Send
8 0 send 1 7 8
9 0 leave MPI_Send
9 0 enter MPI_Send
9 0 send 1 7 8
10 0 leave MPI_Send
20 0 leave main
0 1 enter main
0 1 enter exchange
1 1 enter MPI_Recv
5 1 recv 0 7 8
5 1 leave MPI_Recv
5 1 leave exchange
5 1 enter other
5 1 enter MPI_Recv
7 1 recv 0 7 1024
7 1 leave MPI_Recv
12 1 enter MPI_Recv
13 1 recv 0 7 8
13 1 leave MPI_Recv
14 1 enter MPI_Recv
15 1 recv 0 7 8
15 1 leave MPI_Recv
15 1 leave other
20 1 leave main
"""

# A barrier behind an Allreduce, in which rank 0 waits 1 s, and one behind computation, 2 s.
BARRIERS = "unit 1\nranks 2\n" + "".join(f"""0 {r} enter main
1 {r} enter MPI_Allreduce
1 {r} coll_begin
3 {r} coll_end allreduce world - 8 8
3 {r} leave MPI_Allreduce
{3 + r} {r} enter MPI_Barrier
{3 + r} {r} coll_begin
5 {r} coll_end barrier world - 0 0
5 {r} leave MPI_Barrier
5 {r} enter work
{6 + 2 * r} {r} leave work
{6 + 2 * r} {r} enter MPI_Barrier
{6 + 2 * r} {r} coll_begin
9 {r} coll_end barrier world - 0 0
9 {r} leave MPI_Barrier
10 {r} leave main
""" for r in (0, 1))

# Iterations of 2 s: four of each rank.
ITERATIONS = "unit 1\nranks 2\nphase step\n" + "".join(
    f"0 {r} enter main\n" +
    "".join(f"{2 * i} {r} enter step\n{2 * i + 2} {r} leave step\n" for i in range(4)) +
    f"10 {r} leave main\n" for r in (0, 1))

HEAD = """id = "own", name = "Own", unit = "occurrences", description = "d.", confidence = "low","""

# Scripts that must be stopped: text, and what the message says with file and line.
HOSTILE = (
    ("endless loop", "on = { call = function(c)\nwhile true do end\nend }", ":4: stopped after"),
    ("huge table", "on = { call = function(c)\nlocal t = {}\nfor i = 1, 1e9 do t[i] = {} end\nend }",
     ":5: stopped"),
    ("long text", "on = { call = function(c)\nlocal t = 'x'\nwhile true do t = t .. t end\nend }",
     ":5: stopped: more than 32 MiB of memory"),
    ("recursion", "on = { call = function(c)\nlocal function f() return 1 + f() end\nf()\nend }",
     ":4: "),
    ("no file", "on = { call = function(c)\nio.open('/etc/passwd')\nend }", ":4: attempt to index"),
    ("no system", "on = { call = function(c)\nos.exit(0)\nend }", ":4: attempt to index"),
    ("no code", "on = { call = function(c)\nload('x = 1')()\nend }", ":4: attempt to call"),
    ("no escape", "on = { call = function(c)\npcall(f)\nend }", ":4: attempt to call"),
    ("no endless text", "on = { call = function(c)\nlocal s = ('x'):rep(1e18)\nend }", ":4: "),
    ("no address", "on = { call = function(c)\nstring.format('%p', {})\nend }", ":4: %p is not"),
    ("no order", "on = { call = function(c)\nfor k in pairs({[{}] = 1}) do end\nend }",
     ":4: pairs: a key is a table"),
    ("no such field", "on = { call = function(c)\nreturn c.bytes\nend }",
     ":4: a call has no field 'bytes'"),
    ("negative", "on = { call = function(c)\nreport(c, -1)\nend }", ":4: report: -1"),
    ("error", "on = { call = function(c)\nerror('not today')\nend }", ":4: not today"),
)

# Scripts that are refused before the trace is read.
WRONG = (
    ("x = ", ":1: unexpected symbol"), ("return 1", "does not return the table"),
    ("return {}", "'id' is missing"), ("return {" + HEAD + "}", "'on'"),
    ("return {" + HEAD + "on = {}, colour = 1}", "'colour' is no key"),
    ("return {" + HEAD + "on = { calls = function() end }}", "on.calls: there is no such event"),
    ("return {" + HEAD + "parent = 'nothing', on = {}}", "no metric 'nothing'"),
    ("return {" + HEAD + "parent = 'time', on = {}}", "'time' has another unit"),
    ("return {" + HEAD.replace("own", "time", 1) + "on = {}}", "'time' is no id of a new metric"),
    ("return {" + HEAD.replace("own", "counter:own", 1) + "on = {}}", "'counter:own' is no id of a new metric"),
    ("while true do end", ":1: stopped after"),
)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def values(archive, metric):
    """The exclusive values of a metric: {(call path, rank): value}, of the threads of a rank together."""
    status, output, error = fermata_command.run("report", archive, "--format", "json")
    assert status == 0, error
    report = json.loads(output)
    paths = {}
    for path in report["callpaths"]:
        parent = paths.get(path["parent"])
        paths[path["id"]] = (parent + "/" if parent else "") + path["region"]
    found = {}
    for s in report["severities"]:
        if s["metric"] == metric:
            place = paths[s["callpath"]], report["locations"][s["location"]]["rank"]
            found[place] = found.get(place, 0) + s["value"]
    return found


def analyze(archive, *patterns, check=True, status=0, words=()):
    arguments = [word for pattern in patterns for word in ("--pattern", pattern)]
    found, output, error = fermata_command.run(
        "analyze", archive, *(["--check"] if check else []), *arguments, *words)
    assert found == status, (patterns, found, output, error)
    return error


def example(name):
    return os.path.join(EXAMPLES, name)


def examples(folder):
    archive = os.path.join(folder, "messages")
    fermata_command.synthesize(MESSAGES, archive)
    analyze(archive)
    assert values(archive, "mpi_latesender") == {("main/exchange/MPI_Recv", 1): 3,
                                                 ("main/other/MPI_Recv", 1): 1}
    analyze(archive, example("late_sender_in_function.lua:function=exchange"))
    assert values(archive, "late_sender_in_function") == {("main/exchange/MPI_Recv", 1): 3}
    assert values(archive, "mpi_latesender") == {("main/other/MPI_Recv", 1): 1}

    analyze(archive, example("small_messages.lua"))
    assert values(archive, "small_messages_in_a_row") == {("main/MPI_Send", 0): 1}
    analyze(archive, example("small_messages.lua:limit=2K"))
    assert values(archive, "small_messages_in_a_row") == {("main/MPI_Send", 0): 3}
    # 1024 bytes are not below the limit, or they are: K, M and G are powers of 1024.
    for limit, count in (("1K", 1), ("1.001K", 3), ("0.001M", 3), ("0.0009M", 1), ("0.000001G", 3)):
        analyze(archive, example(f"small_messages.lua:limit={limit}"))
        assert values(archive, "small_messages_in_a_row") == {("main/MPI_Send", 0): count}, limit

    for order in (1, -1):  # the one that is needed may be named last
        analyze(archive, *[example("late_posted_receive.lua"),
                           example("late_receives_in_a_row.lua")][::order])
        assert values(archive, "late_posted_receives") == {("main/other/MPI_Recv", 1): 1}
        assert values(archive, "late_receives_in_a_row") == {("main/other/MPI_Recv", 1): 1}
    error = analyze(archive, example("late_receives_in_a_row.lua"), status=3)
    assert "no metric 'late_posted_receives'" in error or "no such event" in error, error

    archive = os.path.join(folder, "barriers")
    fermata_command.synthesize(BARRIERS, archive)
    analyze(archive, example("barrier_behind_allreduce.lua"))
    assert values(archive, "barrier_behind_nxn_operation") == {("main/MPI_Barrier", 0): 1}
    assert values(archive, "mpi_barrier_wait") == {("main/MPI_Barrier", 0): 2}

    archive = os.path.join(folder, "iterations")
    fermata_command.synthesize(ITERATIONS, archive)
    analyze(archive, example("iterations_per_second.lua:phase=step,per=100"))
    assert values(archive, "iterations_per_second") == {("main/step", 0): 50, ("main/step", 1): 50}


def appearances(folder):
    """The metric is in all outputs, without the script."""
    archive = os.path.join(folder, "messages")
    analyze(archive, EXAMPLES)
    status, output, _ = fermata_command.run("report", archive)
    assert status == 0 and "Small messages in a row" in output, output
    status, output, _ = fermata_command.run("report", archive, "--metric", "small_messages_in_a_row")
    assert status == 0 and "MPI_Send" in output, output
    status, output, _ = fermata_command.run("report", archive, "--explain", "late_posted_receives")
    assert status == 0 and "Confidence: medium" in " ".join(output.split()), output
    status, output, _ = fermata_command.run("report", archive, "--explain", "all")
    assert status == 0 and "late_posted_receives" in output
    status, _, error = fermata_command.run("report", "--explain", "late_posted_receives")
    assert status == 2 and "no metric" in error
    for kind in ("csv", "json"):
        status, output, _ = fermata_command.run("report", archive, "--format", kind)
        assert status == 0 and "small_messages_in_a_row" in output, kind
    status, output, error = fermata_command.run(
        "report", archive, "--define", "share = late_posted_receives / comms_recv")
    assert status == 0 and "share" in output, error
    for words in (["cubex"], ["speedscope", "--metric", "late_posted_receives"]):
        file = os.path.join(folder, words[0])
        status, _, error = fermata_command.run("export", "--to", *words, "-o", file, archive)
        assert status == 0 and os.path.getsize(file) > 0, error
    mean = os.path.join(folder, "mean.fer")
    assert fermata_command.run("mean", "-o", mean, archive, archive)[0] == 0
    assert values(mean, "small_messages_in_a_row") == {("main/MPI_Send", 0): 1}
    page = os.path.join(folder, "page.html")
    status, _, error = fermata_command.run("view", archive, "--html", page)
    assert status == 0 and not error, error  # with its timeline
    plain = os.path.join(folder, "plain.fer")
    assert fermata_command.run("analyze", archive, "-o", plain)[0] == 0
    status, output, _ = fermata_command.run("diff", plain, os.path.join(archive, "report.fer"))
    assert status == 0 and "Small messages in a row" in output, output
    late, own = output.index("Late Sender "), output.index("Late Sender in main")
    assert late < own < output.index("Visits"), output  # in its tree
    status, _, error = fermata_command.run("diff", plain, os.path.join(archive, "report.fer"),
                                           "--fail-if", "small_messages_in_a_row > 0")
    assert status == 1 and "--fail-if" in error, error


def failures(folder):
    archive = os.path.join(folder, "messages")
    for name, text, message in HOSTILE:
        script = write(folder, "hostile.lua", "return {\n" + HEAD + "\n" + text + "\n}\n")
        error = analyze(archive, script, example("small_messages.lua"), check=False)
        assert script + message in error and "own is left out" in error, (name, error)
        omitted = [line for line in error.splitlines() if "is left out" in line]
        error = analyze(archive, script, example("small_messages.lua"), check=False, words=["-q"])
        assert error.splitlines() == omitted, (name, error)
        status, output, _ = fermata_command.run("report", archive)
        assert status == 0 and "is left out" in output, (name, output)
        assert values(archive, "small_messages_in_a_row"), name  # the others are not
        assert not values(archive, "own"), name
        assert script + message in analyze(archive, script, status=1), name
    for text, message in WRONG:
        script = write(folder, "wrong.lua", text)
        error = analyze(archive, script, status=3)
        assert script in error and message in error, (text, error)
    error = analyze(archive, example("small_messages.lua:limits=3"), status=2)
    assert "has no parameter 'limits'" in error, error
    for limit in ("x", "K", "1k"):
        error = analyze(archive, example(f"small_messages.lua:limit={limit}"), status=3)
        assert f"'{limit}' is no number" in error, error
    error = analyze(archive, example("no_such_file.lua"), status=4)
    assert "cannot open" in error, error
    error = analyze(archive, folder + "/messages", status=2)
    assert "has no file that ends in .lua" in error, error


def synthesized(folder, name):
    archive = os.path.join(folder, os.path.basename(name))
    scenario = os.path.join(fermata_command.SCENARIOS, name + ".scn")
    if not os.path.exists(archive):
        assert fermata_command.run("synth", scenario, "-o", archive)[0] == 0
    analyze(archive)
    return archive


def kept_events(folder):
    """What a script keeps of the events is valid until its end."""
    archive = synthesized(folder, "active/late-complete")
    expected = values(archive, "mpi_rma_late_complete")
    assert expected
    script = write(folder, "kept.lua", """local waits = {}
        return { id = "kept", name = "Kept", unit = "time", description = "d.", confidence = "low",
            on = { mpi_rma_late_complete = function(w) waits[#waits + 1] = w end },
            finish = function() for _, w in ipairs(waits) do report(w, w.own) end end }""")
    analyze(archive, script)
    assert values(archive, "kept") == expected


def sub_patterns(folder):
    """What a wait state has of a metric is what the report has of it, also of parts."""
    archive = synthesized(folder, "p2p/wrong-order-same-source")
    late, same = values(archive, "mpi_latesender"), values(archive, "mpi_lswo_same")
    assert same
    analyze(archive, example("late_sender_in_function.lua"))
    assert values(archive, "late_sender_in_function") == late
    assert values(archive, "mpi_lswo_same") == same
    for name, metric in (("p2p/wrong-order-same-source", "mpi_lswo_same"),
                         ("active/late-complete", "mpi_rma_early_wait"),
                         ("active/late-complete", "mpi_rma_late_complete")):
        archive = synthesized(folder, name)
        expected = values(archive, metric)
        assert expected, metric
        script = write(folder, "part.lua", """return { id = "part", name = "Part", unit = "time",
            parent = "%s", description = "d.", confidence = "low",
            on = { %s = function(w) report(w, w.own) end } }""" % (metric, metric))
        analyze(archive, script)
        assert values(archive, "part") == expected, metric


# Scripts that add up what events say: subscription, what is reported, of which rank.
COUNTS = (
    ("passive/contention-chain-of-four", "lock",
     "function(l) if l.blocked_by then report(l, l.waited) report(l.blocked_by, 0) "
     "assert(l.blocked_by.released <= l.acquired or l.blocked_by.lock == l.lock) end end"),
    ("passive/contention-in-rput", "operation",
     "function(o) assert(o.action == 'put' or o.action == 'get' or o.action == 'atomic') "
     "report(o, 1) end"),
    ("threads/mutex-queue", "lock", "function(l) if l.waited > 0 then report(l, l.waited) end end"),
)


def other_events(folder):
    """Locks, one-sided operations and threads: as the tables of the run have them."""
    for name, event, function in COUNTS:
        archive = synthesized(folder, name)
        script = write(folder, "events.lua", """return { id = "own", name = "Own", unit = "time",
            description = "d.", confidence = "low", on = { %s = %s } }""" % (event, function))
        analyze(archive, script)
        found = values(archive, "own")
        assert found, name
        status, output, error = fermata_command.run("report", archive, "--format", "json")
        assert status == 0, error
        if event == "lock":
            waited = sum(lock["waiting"] for lock in json.loads(output)["locks"])
            assert abs(sum(found.values()) - waited) < 1e-9, (name, found, waited)
    scenario = os.path.join(fermata_command.SCENARIOS, "threads")
    kinds = set()  # that are found
    for file in sorted(os.listdir(scenario)):
        if not file.endswith(".scn"):
            continue
        archive = os.path.join(folder, "of-threads-" + file)
        if fermata_command.run("synth", os.path.join(scenario, file), "-o", archive)[0] != 0:
            continue
        for action in ("fork", "team_begin", "create", "task_create"):
            script = write(folder, "threads.lua", """return { id = "own", name = "Own",
                unit = "occurrences", description = "d.", confidence = "low",
                on = { thread = function(t) if t.action == "%s" and t.path then assert(t.time >= 0 and t.id)
                report(t, 1) end end } }""" % action)
            analyze(archive, script)
            kinds |= {action} if values(archive, "own") else set()
        if len(kinds) >= 3:
            break
    assert {"fork", "team_begin"} <= kinds, kinds


def tree(folder):
    """A part is within its parent, and beside the other parts."""
    archive = os.path.join(folder, "messages")
    script = write(folder, "whole.lua", """return { id = "whole", name = "Whole", unit = "time",
        parent = "mpi_latesender", description = "d.", confidence = "low",
        on = { mpi_latesender = function(w) report(w, w.waited) end } }""")
    analyze(archive, script)
    assert values(archive, "mpi_latesender") == {}
    error = analyze(archive, script, example("late_sender_in_function.lua"), check=False)
    assert "late_sender_in_function is left out" in error and "has only 0 there" in error, error
    assert len(values(archive, "whole")) == 2
    script = write(folder, "more.lua", """return { id = "whole", name = "Whole", unit = "time",
        parent = "mpi_latesender", description = "d.", confidence = "low",
        on = { mpi_latesender = function(w) report(w, w.waited + 1) end } }""")
    error = analyze(archive, script, status=1)
    assert "main/exchange/MPI_Recv of rank 1" in error and "has only 3 there" in error, error


def main():
    status, _, error = fermata_command.run("analyze", "nothing", "--pattern",
                                           example("small_messages.lua"))
    if "built without Lua" in error:
        fermata_command.skip("fermata is built without Lua")
    with fermata_command.Folder() as folder:
        examples(folder)
        appearances(folder)
        failures(folder)
        sub_patterns(folder)
        kept_events(folder)
        tree(folder)
        other_events(folder)


main()
