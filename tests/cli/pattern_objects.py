# SPDX-License-Identifier: BSD-3-Clause
"""Patterns of the user in shared objects (fermata/pattern.h).

usage: pattern_objects.py FERMATA EXAMPLES INCLUDE CC [--without-lua]
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402
import share  # noqa: E402

EXAMPLES, INCLUDE, CC = sys.argv[2:5]
OBJECTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pattern_objects")
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]

# An object that is wrong, or goes wrong: what is in the place of take(), other members, the message.
FAULTY = (
    ("fermata_report(at, call, -1);", "", "fermata_report: -1 is no severity"),
    ("fermata_fail(at, \"not today\");", "", ": not today"),
    ("fermata_number(at, \"nothing\");", "", "the parameter 'nothing' is no number"),
    ("", ".begin = report_early,", "fermata_report: is for functions of subscriptions"),
    ("fermata_report(at, call, 1);", ".combine = below_zero,", "combine: -1 is no severity"),
    ("static int calls; fermata_report(at, call, calls++);", "", "depends on the order"),
)
WRONG = (
    (".version = FERMATA_PATTERN_VERSION + 1,", "is made for version 2"),
    (".id = NULL,", "'id' is missing"), (".unit = \"hours\",", "'unit' is none of"),
    (".confidence = NULL,", "'confidence' is none of"),
    (".subscriptions = NULL,", "'subscriptions' is missing"),
    (".subscriptions = twice,", "'subscriptions' has a name twice"),
    (".parent = \"nothing\",", "no metric 'nothing'"), (".memory_size = (size_t)1 << 40,", "'memory_size'"),
)
SOURCE = """#include <fermata/pattern.h>
static inline void take(fermata_location_t *at, const fermata_event_t *call) { (void)at; (void)call; %s }
static inline void report_early(fermata_location_t *at) { fermata_event_t e = {0}; fermata_report(at, &e, 1); }
static inline void below_zero(fermata_severity_t *s, size_t count) { if (count > 0) s[0].value = -1; }
static const fermata_subscription_t subscriptions[] = {{"call", take}, {NULL, NULL}};
static const fermata_subscription_t twice[] = {{"call", take}, {"call", take}, {NULL, NULL}};
const void *const kept[] = {(const void *)twice};
const fermata_pattern_t fermata_pattern = { .version = FERMATA_PATTERN_VERSION, .id = "own",
    .name = "Own", .unit = "occurrences", .description = "d.", .confidence = "low",
    .subscriptions = subscriptions, %s };
"""


def build(folder, source, *options):
    """Compiles a file, or a text; returns the path of the object."""
    if not os.path.exists(source):
        path = os.path.join(folder, "own.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        source = path
    target = os.path.join(folder, os.path.basename(source)[:-2] + ".so")
    done = subprocess.run([CC, *options, "-I" + INCLUDE, "-shared", "-fPIC", "-o", target, source],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def analyze(archive, *patterns, status=0, check=True):
    arguments = [word for pattern in patterns for word in ("--pattern", pattern)]
    found, _, error = fermata_command.run("analyze", archive, *(["--check"] if check else []), *arguments)
    assert found == status, (patterns, found, error)
    return error


def values(archive, metric):
    """{(call path, location): value} of a metric."""
    status, output, error = fermata_command.run("report", archive, "--format", "json")
    assert status == 0, error
    return {(cell["callpath"], cell["location"]): cell["value"]
            for cell in json.loads(output)["severities"] if cell["metric"] == metric}


def synthesized(folder, name):
    archive = os.path.join(folder, os.path.basename(name))
    scenario = os.path.join(fermata_command.SCENARIOS, name + ".scn")
    return archive if fermata_command.run("synth", scenario, "-o", archive)[0] == 0 else None


def check_examples(folder, with_scripts):
    """The examples in C find what those in Lua find."""
    late = build(folder, os.path.join(EXAMPLES, "late_sender_in_function.c"), *STRICT)
    small = build(folder, os.path.join(EXAMPLES, "small_messages.c"), *STRICT)
    archive = synthesized(folder, "p2p/wrong-order-same-source")
    for objects, script, metric in (
            ([late], "late_sender_in_function.lua", "late_sender_in_function"),
            ([small + ":limit=1G"], "small_messages.lua:limit=1G", "small_messages_in_a_row")):
        analyze(archive, *objects)
        found = values(archive, metric)
        if with_scripts:
            analyze(archive, os.path.join(EXAMPLES, script))
            assert found == values(archive, metric), (metric, found)
    assert found
    analyze(archive, small + ":limit=0")
    assert not values(archive, "small_messages_in_a_row")
    analyze(archive, small)
    status, output, _ = fermata_command.run("report", archive, "--explain", "small_messages_in_a_row")
    assert status == 0 and "Confidence: medium" in " ".join(output.split()), output
    assert "has no parameter 'limits'" in analyze(archive, small + ":limits=1", status=2)
    assert "'x' is no number" in analyze(archive, small + ":limit=x", status=3)
    analyze(archive, folder)  # all that end in .so
    assert values(archive, "small_messages_in_a_row")
    if with_scripts:  # a script of instances of an object
        script = os.path.join(folder, "chain.lua")
        with open(script, "w", encoding="utf-8") as file:
            file.write("""return { id = "chain", name = "Chain", unit = "occurrences", description = "d.",
                confidence = "low", parent = "small_messages_in_a_row",
                on = { small_messages_in_a_row = function(m) report(m, m.value) end } }""")
        analyze(archive, script, small + ":limit=1G")
        assert values(archive, "chain") and not values(archive, "small_messages_in_a_row")
        os.unlink(script)


def check_events(folder):
    """All kinds of events have their fields, in some scenarios that have them and a share of all."""
    every = build(folder, os.path.join(OBJECTS, "every_event.c"), *STRICT)
    kinds = {"call", "send", "receive", "operation", "collective", "lock", "thread", "phase"}
    wanted = dict.fromkeys(kinds, 0)
    have = [fermata_command.ALL_EVENTS, *(os.path.join(fermata_command.SCENARIOS, name + ".scn")
                                          for name in ("p2p/late-sender-recv", "collective/barrier-wait",
                                                       "phases/iterations", "polling/flush"))]
    chosen = [scenario for scenario in have for _ in kinds] + share.some(fermata_command.scenarios(), 4)
    for number, scenario in enumerate(chosen):
        archive = os.path.join(folder, "of-events")
        subprocess.run(["rm", "-rf", archive], check=True)
        if fermata_command.run("synth", scenario, "-o", archive)[0] != 0:
            continue
        kind = sorted(kinds)[number % len(kinds)]
        status, _, error = fermata_command.run("analyze", archive, "--pattern", f"{every}:report={kind}")
        assert status == 0 and "left out" not in error, (scenario, error)
        found = values(archive, "every_event").values()
        assert all(value % 2 == 0 for value in found), found
        wanted[kind] += sum(found)
    assert all(wanted.values()), wanted


def check_faults(folder):
    archive = synthesized(folder, "p2p/late-sender-recv")
    for body, member, message in FAULTY:
        own = build(folder, SOURCE % (body, member))
        error = analyze(archive, own, status=1)
        assert message in error, (body, error)
        if "depends" not in message:
            error = analyze(archive, own, check=False)
            assert message in error and "own is left out" in error and not values(archive, "own"), error
    for member, message in WRONG:
        own = build(folder, SOURCE % ("", member), "-Wno-override-init")
        error = analyze(archive, own, status=3)
        assert message in error and own in error, (member, error)
    own = build(folder, "int nothing;\n")
    assert "does not define fermata_pattern" in analyze(archive, own, status=3)
    with open(os.path.join(folder, "text.so"), "w", encoding="utf-8") as file:
        file.write("no object")
    assert "cannot load" in analyze(archive, file.name, status=3)
    assert "cannot open" in analyze(archive, os.path.join(folder, "nothing.so"), status=4)
    own = build(folder, SOURCE % ("__builtin_trap();", ""))
    found, _, error = fermata_command.run("analyze", archive, "--pattern", own)
    assert found == 3, (found, error)
    assert "a pattern in a shared object, or OTF2's reader, crashed" in error or "Sanitizer" in error, error


with fermata_command.Folder() as place:
    check_examples(place, "--without-lua" not in sys.argv)
    check_events(place)
    check_faults(place)
