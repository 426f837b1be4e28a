# SPDX-License-Identifier: BSD-3-Clause
"""Records program.c, which carries marks, and compares the regions of the archive with what it does.

usage: check_marks.py --fermata F --mpirun M --program P --kind K exact|late|flood|wrong|choice
"""

import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "user"))
import user_archive  # noqa: E402

RANKS = 2
VARIABLES = {"nvtx": "NVTX_INJECTION64_PATH", "itt": "INTEL_LIBITTNOTIFY64"}
OUTSIDE = {"nvtx": "", "itt": "program::"}  # what stands in front of names without a domain of the program
FORMS = {"nvtx": ["solver::registered", "wide é", "wide event"],
         "itt": ["solver::one string"]}  # carried_forms()
FOUND_WITHOUT_VARIABLE = {"nvtx"}  # by a function of the preload library
STEPS, FIRST_LATE, LATE, STEP, EXCESS = 600, 300, 40, 0.002, 0.008
DISTURBED, TRIES = 0.15, 3  # seconds that other processes add to a rank's steps; runs until one is not disturbed
FLOOD = 2000000


class Recorded:
    """The regions of user code: how often each path of them was visited, in the main threads and others."""

    def __init__(self, anchor):
        self.visits, self.others = collections.Counter(), collections.Counter()
        self.problems = []
        stacks = collections.defaultdict(list)
        with otf2.reader.open(str(anchor)) as archive:
            for location, event in archive.events:
                if not isinstance(event, (otf2.events.Enter, otf2.events.Leave)):
                    continue
                stack = stacks[location]
                if isinstance(event, otf2.events.Enter):
                    stack.append(event.region)
                    if event.region.paradigm == otf2.Paradigm.USER:
                        path = tuple(region.name for region in stack if region.paradigm == otf2.Paradigm.USER)
                        rank = int(location.group.name.split()[-1])
                        counter = self.visits if location.name == "Master thread" else self.others
                        counter[rank, path] += 1
                elif not stack or stack.pop() != event.region:
                    self.problems.append(f"{location.name}: a region ends that is not the innermost one")


def expected_exact(kind):
    """@return {path: visits} of the main thread, and of the other one"""
    outside = OUTSIDE[kind]
    step, recursive, started = (outside + name for name in ("step", "recursive", "started"))
    visits = {(step,): 10, (step, "solver::multiply"): 30, (started,): 5, (started, outside + "in started"): 5}
    visits.update({(recursive,) * depth: 1 for depth in (1, 2, 3)})
    visits.update({(form,): 1 for form in FORMS[kind]})
    thread = outside + "in a thread"
    return visits, {(thread,): 1, (thread, "solver::inside"): 1}


def compare(expected, found, what):
    for key in sorted(set(expected) | set(found)):
        if expected.get(key, 0) != found.get(key, 0):
            yield f"{what}: {found.get(key, 0)} visits of {key}, not {expected.get(key, 0)}"


def environment(experiment):
    return json.loads((experiment / "environment.json").read_text(encoding="utf-8"))


def record(options, folder, part, words=(), **how):
    """@return the experiment, what is wrong, and what was printed on stderr"""
    messages = []
    run = user_archive.run

    def listen(command, *arguments, **settings):
        done = run(command, *arguments, **settings)
        if command[1] == "record":
            messages.append(done.stderr)
        return done

    user_archive.run = listen
    try:
        experiment, problems = user_archive.record(options, folder, [*words, options.program, part], ranks=RANKS, **how)
    finally:
        user_archive.run = run
    return experiment, problems, "".join(messages)


def check_exact(options, folder):
    experiment, problems, messages = record(options, folder, "exact")
    recorded = Recorded(experiment / "traces.otf2")
    main, other = expected_exact(options.kind)
    for rank in range(RANKS):
        problems += compare({(rank, path): count for path, count in main.items()},
                            {key: count for key, count in recorded.visits.items() if key[0] == rank}, "main thread")
        problems += compare({(rank, path): count for path, count in other.items()},
                            {key: count for key, count in recorded.others.items() if key[0] == rank}, "thread")
    problems += recorded.problems
    if environment(experiment).get("marks") != [options.kind]:
        problems.append(f"environment.json lists {environment(experiment).get('marks')}")
    if "warning" in messages:
        problems.append(f"messages: {messages}")
    return problems


def is_disturbed(messages):
    needed = re.search(r"needed ([\d.]+) ([\d.]+)", messages)
    planned = STEPS * STEP, STEPS * STEP + LATE * EXCESS
    print(f"ranks needed {needed.groups()} s, planned {planned} s")
    return any(float(seconds) > plan + DISTURBED for seconds, plan in zip(needed.groups(), planned))


def check_late(options, folder):
    """The first problem is the planted function, and the gain without it what was planted."""
    for attempt in range(TRIES):
        place = folder / str(attempt)
        place.mkdir()
        experiment, problems, messages = record(options, place, "late", FERMATA_CALLPATH="stack")
        if not is_disturbed(messages):
            break
    else:
        print("not judged: other processes made the steps longer")
        sys.exit(77)
    shown = user_archive.run([options.fermata, "report", "--format=json", str(experiment)], folder)
    report = json.loads(shown.stdout)
    regions = {path["id"]: path["region"] for path in report["callpaths"]}
    first = report["problems"][0]
    found = regions.get(first["cause"]["callpath"])
    ranks = [location["rank"] for location in report["locations"] if location["id"] in first["cause"]["locations"]]
    gain, planted = first["gain"]["removed"], LATE * EXCESS
    print(f"{found} of ranks {ranks}: gain {gain} s, planted {planted:.4f} s; {first['when']}")
    if found != OUTSIDE[options.kind] + "assemble" or ranks != [1]:
        problems.append(f"the first problem is {found} of ranks {ranks}")
    elif not 0.8 * planted <= gain <= 1.3 * planted:
        problems.append(f"the gain without it is {gain} s, planted {planted:.4f} s")
    text = user_archive.run([options.fermata, "report", str(experiment)], folder).stdout
    if "assemble" not in text[:2000]:
        problems.append(f"the report does not begin with the function: {text[:2000]}")
    return problems


def check_flood(options, folder):
    experiment, problems, _ = record(options, folder, "flood")
    size = sum(file.stat().st_size for file in experiment.rglob("*") if file.is_file())
    print(f"{size / 1e6:.1f} MB for {RANKS * FLOOD} marks")
    if size > RANKS * FLOOD * 24 / 2:
        problems.append(f"{size} bytes: the marks are not merged")
    shown = user_archive.run([options.fermata, "report", "--format=json", str(experiment)], folder)
    report = json.loads(shown.stdout)
    paths = {path["id"] for path in report["callpaths"] if path["region"] == OUTSIDE[options.kind] + "short"}
    visits = sum(row["value"] for row in report["severities"]
                 if row["metric"] == "visits" and row["callpath"] in paths)
    if visits != RANKS * FLOOD:
        problems.append(f"{visits} visits instead of {RANKS * FLOOD}")
    return problems


def check_wrong(options, folder):
    experiment, problems, messages = record(options, folder, "wrong")
    recorded = Recorded(experiment / "traces.otf2")
    problems += recorded.problems
    outside = OUTSIDE[options.kind]
    ends = {outside + "after": 1, outside + "never closed": 1, "solver::crossing": 3, "output::crossed": 3,
            outside + "elsewhere": 1, outside + "first": 1, outside + "second": 3}
    for name, visits in ends.items():
        found = sum(count for (rank, path), count in recorded.visits.items() if rank == 0 and path[-1] == name)
        if found != visits:
            problems.append(f"{found} visits of {name}, not {visits}")
    if messages.count("marks of the program") != 1:
        problems.append(f"messages: {messages}")
    for text in ("6 ended before marks inside them", "3 were ended by another thread", "4 ended without a begin",
                 "1 never ended"):
        if text not in messages:
            problems.append(f"no word of `{text}`: {messages}")
    return problems


def check_choice(options, folder):
    """Marks that are switched off, and a variable that another tool has set."""
    problems = []
    variable = VARIABLES[options.kind]
    other = folder / "no-library.so"
    for name, how in (("off", {"how": ["--marks=off"]}), ("taken", {variable: str(other)})):
        place = folder / name
        place.mkdir()
        experiment, wrong, messages = record(options, place, "exact", chatty=name == "taken", **how)
        recorded = Recorded(experiment / "traces.otf2")
        problems += [f"{name}: {text}" for text in wrong]
        if recorded.visits or "marks" in environment(experiment):
            problems.append(f"{name}: {recorded.visits}")
        if (f"{variable} names {other}" in messages) != (name == "taken"):
            problems.append(f"{name}: {messages}")
    if options.kind in FOUND_WITHOUT_VARIABLE:
        place = folder / "removed"
        place.mkdir()
        experiment, wrong, _ = record(options, place, "exact", words=["env", "-u", variable])
        problems += wrong
        if environment(experiment).get("marks") != [options.kind]:
            problems.append("without the variable nothing is recorded")
    health = user_archive.run([options.fermata, "doctor"], folder, **{variable: str(other)}).stdout
    if f"{variable} names {other}" not in health:
        problems.append(f"doctor: {health}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program", "--kind"):
        parser.add_argument(name, required=True)
    parser.add_argument("part", choices=["exact", "late", "flood", "wrong", "choice"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-marks-") as name:
        problems = globals()[f"check_{options.part}"](options, pathlib.Path(name))
    for problem in problems[:20]:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
