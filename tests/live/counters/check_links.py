# SPDX-License-Identifier: BSD-3-Clause
"""Traffic by communicator and peer, of recordings of counters only: of a program with a known pattern
as it is, of others as their counters and traces have it.

usage: check_links.py FERMATA LAUNCHER LINKS|- PROGRAM...     (LINKS is links.c)
"""

import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recordings  # noqa: E402

fermata, mpirun, links, *programs = sys.argv[1:]
RANKS = range(4)
MODELS = ("mpi", "shmem", "armci", "caf")
COLUMNS = {"sent": ("messages_sent", "bytes_sent"), "received": ("messages_received", "bytes_received"),
           "put": ("puts", "bytes_put"), "get": ("gets", "bytes_got"), "atomic": ("atomics", "bytes_atomic")}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240,
                          check=False, **options)


def record(experiment, *words):
    recordings.record(fermata, recordings.COUNTERS_ONLY, [mpirun, "-n", "4", *words], experiment)


def record_trace(experiment, *words):
    if links == "-" or words[0] == links:
        recordings.record(fermata, ["--callpath=flat"], [mpirun, "-n", "4", *words], experiment)
    else:
        recordings.record_trace(fermata, mpirun, 4, *words, experiment)


def shown(*words):
    done = run(fermata, "counters", *words)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


def matrix(experiment):
    """Messages and bytes by kind, sender or origin, and receiver or target."""
    rows = csv.DictReader(shown("matrix", experiment, "--format", "csv").splitlines())
    return {(row["kind"], int(row["from"]), int(row["to"])): (int(row["messages"]), int(row["bytes"]))
            for row in rows}


def pattern():
    """What links.c does."""
    known = collections.defaultdict(lambda: [0, 0])

    def add(kind, origin, target, number, size):
        for each in (kind, "received") if kind == "sent" else (kind,):
            known[each, origin, target][0] += number
            known[each, origin, target][1] += number * size

    for rank in RANKS:
        after, opposite = (rank + 1) % 4, (rank + 2) % 4
        add("sent", rank, after, rank + 1, 100 * (rank + 1))
        add("sent", rank, opposite, 3, 7)            # the other one of its half
        add("sent", rank, after, 5, 64)
        add("sent", rank, (rank + 3) % 4, 1, 1024)
        add("sent", rank, opposite, 1, 11)           # of the remote group
        add("sent", rank, rank, 1, 9)
        add("put", rank, opposite, 1, 16)
        add("put", rank, opposite, 2, 40)
        add("get", rank, 0, 1, 24)
        add("atomic", rank, after, 1, 8)
    return {key: tuple(sums) for key, sums in known.items()}


def check_pattern(experiment):
    found, known = matrix(experiment), pattern()
    assert found == known, {key: (found.get(key), known.get(key))
                            for key in found.keys() | known.keys() if found.get(key) != known.get(key)}
    rows = json.loads(shown("communicators", experiment, "--format", "json"))
    assert (rows["ranks"], rows["ranks_counted"], rows["lost_operations"]) == (4, 4, 0), rows
    of = [(row["communicator"], row["size"], row["remote_size"], row["ranks"], row["sent"]["count"],
           row["sent"]["bytes"], row["received"]["bytes"], row["put"]["bytes"],
           row["collective_bytes_sent"] + row["collective_bytes_received"], row["most_rank"])
          for row in rows["communicators"]]
    split = "MPI_Comm_split of MPI_COMM_WORLD, rank "
    # 3 sums of 8 bytes to and from each rank; 2 broadcasts of 32, which the root sends to all.
    assert of[:2] == [("halo", 4, 0, 4, 24, 4 * (5 * 64 + 1024), 4 * (5 * 64 + 1024), 0, 768, 0),
                      ("MPI_COMM_WORLD", 4, 0, 4, 10, 3000, 3000, 4 * 80, 512, 3)], of
    assert sorted(of[2:4]) == [(split + "2 first", 2, 0, 2, 6, 42, 42, 32, 0, 0),
                               (split + "3 first", 2, 0, 2, 6, 42, 42, 32, 0, 1)], of
    assert of[4] == ("MPI_Intercomm_create, rank 0 first", 2, 2, 4, 4, 44, 44, 0, 0, 0), of
    assert of[5] == ("MPI_Comm_dup", 1, 0, 4, 4, 36, 36, 0, 0, 0), of
    assert {row[0] for row in of[6:]} <= {split + "0 first", split + "2 first", "MPI_COMM_SELF"}, of
    text = shown("communicators", experiment)
    assert len(text.splitlines()) == 1 + len(of), text
    assert re.search(r"^ +\d+ +4 +24 +5,376 .* halo$", text, re.M), text
    assert re.search(r"^ +\d+ +2\+2 +4 +44 ", text, re.M), text
    table = list(csv.DictReader(shown("communicators", experiment, "--format", "csv").splitlines()))
    assert [row["communicator"] for row in table] == [row[0] for row in of], table
    picture = shown("matrix", experiment, "put")
    assert picture.startswith("<svg") and "0 to 2: 96 bytes, 3 operations" in picture, picture
    for kind in ("user", "collective"):
        done = run(fermata, "counters", "matrix", experiment, kind)
        assert done.returncode == 2 and f"{kind} is none of sent" in done.stderr, done


def total(values, name):
    """A counter of all models of communication, of each rank."""
    of = [values[f"{model}.{name}"] for model in MODELS if f"{model}.{name}" in values]
    return [sum(int(numbers[rank]) for numbers in of) for rank in RANKS]


def check_sums(experiment):
    """Links and communicators add up to the counters, of each rank."""
    counters = json.loads(shown("show", "--all", "--format", "json", experiment))["counters"]
    values = {counter["name"]: counter["values"] for counter in counters}
    found = matrix(experiment)
    for kind, names in COLUMNS.items():
        for position, name in enumerate(names):
            sums = [sum(number[position] for (of, origin, target), number in found.items()
                        if of == kind and rank == (target if kind == "received" else origin))
                    for rank in RANKS]
            assert sums == total(values, name), (name, sums, total(values, name))
    rows = json.loads(shown("communicators", experiment, "--format", "json"))["communicators"]
    for name in ("collectives", "collective_bytes_sent", "collective_bytes_received"):
        assert sum(row[name] for row in rows) == sum(total(values, name)), (name, rows)
    for kind, names in COLUMNS.items():
        for position, column in enumerate(("count", "bytes")):
            assert sum(row[kind][column] for row in rows) == sum(total(values, names[position])), (kind, rows)
    return found


def check_reports(experiment, found):
    """A report has the same messages and operations."""
    for option, kinds in (("messages", ("sent",)), ("rma", ("put", "get", "atomic"))):
        done = run(fermata, "report", experiment, "--matrix=" + option, "--format=csv")
        assert done.returncode == 0, done
        sums = collections.Counter()
        for row in csv.DictReader(done.stdout.splitlines()):
            ends = (int(row["from_rank"]), int(row["to_rank"]))
            sums[ends, "count"] += int(row["count"])
            sums[ends, "bytes"] += int(row["bytes"])
        known = collections.Counter()
        for (kind, origin, target), (number, size) in found.items():
            if kind in kinds:
                known[(origin, target), "count"] += number
                known[(origin, target), "bytes"] += size
        assert +sums == +known, (option, done.stdout, found)


def links_of(experiment):
    """The rows of the matrix; of one of a run that was cut off, which it states."""
    done = run(fermata, "counters", "matrix", experiment, "--format", "csv")
    assert done.returncode == 0, done
    return done.stdout, "4 of 4 ranks did not reach their regular end: they are counted up to" in done.stderr


def check_survived(whole, cut):
    """A rank that is killed behind its traffic ends the others: nothing of it is lost."""
    record(whole, links)
    rows, is_cut = links_of(whole)
    assert not is_cut and len(rows.splitlines()) > 10, rows
    assert links_of(cut) == (rows, True), links_of(cut)
    both = [run(fermata, "counters", "communicators", experiment, "--format", "csv").stdout for experiment in (whole, cut)]
    rows = [[row | {"collectives": 0} if row["communicator"] == "MPI_COMM_WORLD" else row  # MPI_Finalize, the last barrier
             for row in csv.DictReader(text.splitlines())] for text in both]
    assert rows[0] == rows[1] and len(rows[0]) > 5, both


def check_killed(experiment):
    """A killed rank without room has no file, which is stated; without any file there is no answer."""
    for rank in (1, 2):
        file = experiment / "counters" / f"links.{rank}"
        if file.exists():
            file.unlink()
    for verb in ("matrix", "communicators"):
        done = run(fermata, "counters", verb, experiment)
        assert done.returncode == 0 and "2 of 4 ranks did not reach their regular end" in done.stderr, done
    for file in (experiment / "counters").glob("links.*"):
        file.unlink()
    for verb in ("matrix", "communicators"):
        done = run(fermata, "counters", verb, experiment)
        assert done.returncode == 3 and "there is no file counters/links.N" in done.stderr, done


def check_damage(experiment):
    file = experiment / "counters" / "links.2"
    text = file.read_text()
    rows = text.splitlines(keepends=True)
    traffic = next(i for i, row in enumerate(rows) if row.startswith("messages"))
    for damaged, reason in (("", "empty"), ("fermata-links 0\n", "this version"), (text[:-1], f":{len(rows)}: not a row"),
                            ("".join(rows[:-1]), f"cut behind line {len(rows) - 1}"), (text + "end\n", f":{len(rows) + 1}: not a row"),
                            ("".join(rows[:traffic] + ["messages\t0\t4\t1\t1\t1\t1\n"]), "rank 4 of 4"),
                            ("".join(rows[:1] + rows[traffic:]), "unknown communicator"),
                            (text.replace("communicator\t0\t4", "communicator\t0\t5"), "5 processes, and 4"),
                            (text.replace("messages\t", "message\t", 1), f":{traffic + 1}: not a row")):
        file.write_text(damaged)
        for verb in ("matrix", "communicators"):
            done = run(fermata, "counters", verb, experiment)
            assert done.returncode == 3 and reason in done.stderr and done.stdout == "", (damaged, done)
    file.write_text(text.removesuffix("end\n") + "messages\t-\t-\t3\t30\t1\t10\ncollectives\t-\t1\t0\t0\nend\n")
    for verb in ("matrix", "communicators"):
        done = run(fermata, "counters", verb, experiment, "--format", "json")
        assert done.returncode == 0 and "5 operations are in no link and communicator" in done.stderr, done
    assert json.loads(done.stdout)["lost_operations"] == 5, done
    done = run(fermata, "analyze", experiment)
    assert done.returncode == 0 and "5 messages, one-sided operations and collectives are in no" in done.stderr, done
    file.write_text(text)


with tempfile.TemporaryDirectory(prefix="fermata-links-") as name:
    folder = pathlib.Path(name)
    for number, program in enumerate(programs if links == "-" else (links, *programs)):
        only, traced = folder / f"only-{number}", folder / f"traced-{number}"
        record(only, *program.split())
        traffic = check_sums(only)
        check_reports(only, traffic)
        record_trace(traced, *program.split())
        done = run(fermata, "analyze", "--quiet", traced)
        assert done.returncode == 0, done
        check_reports(traced, traffic)
    if links != "-":
        check_pattern(folder / "only-0")
        check_damage(folder / "only-0")
        check_killed(folder / "only-0")
        record(folder / "killed", links, "killed")
        check_survived(folder / "survived", folder / "killed")
