# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of counters only: the same numbers as beside a trace, and nothing else on disk.

usage: check_only.py FERMATA MPIRUN KILLED PROGRAM...     (KILLED kills its rank 1)
"""

import collections
import csv
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recordings  # noqa: E402
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, killed, *programs = sys.argv[1:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_osc="^rdma")
# How often these are called, and what they find, depends on time.
TIMED = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "usleep", "nanosleep", "clock_nanosleep", "poll",
         "read", "write", "select", "MPI_Win_test")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240,
                          env=ENVIRONMENT, check=False, **options)


def numbers(experiment):
    """Counters that do not depend on time, with their values in all ranks."""
    done = run(fermata, "counters", "show", "--format", "json", experiment)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert all(rank["state"] == "ended" for rank in shown["ranks"]), shown["ranks"]
    return {counter["name"]: counter["values"] for counter in shown["counters"]
            if counter["kind"] in ("count", "bytes", "bins", "histogram")
            and not counter["name"].startswith(("usage.", "recorder."))
            and not counter["name"].startswith(tuple("calls:" + name for name in TIMED))
            and counter["name"] not in ("mpi.requests_tested", "mpi.locks_tried")}


def check_sites(experiment):
    """Calls by call path add up to the counters, and paths begin with main."""
    done = run(fermata, "counters", "sites", experiment, "--format", "json")
    assert done.returncode == 0, done.stderr
    sites = json.loads(done.stdout)["sites"]
    shown = json.loads(run(fermata, "counters", "show", "--format", "json", experiment).stdout)
    totals = {counter["name"]: counter["total"] for counter in shown["counters"]}
    for name in {site["function"] for site in sites}:
        calls = sum(site["calls"] for site in sites if site["function"] == name)
        seconds = sum(site["seconds"] for site in sites if site["function"] == name)
        assert calls == totals["calls:" + name], (name, calls, totals["calls:" + name])
        assert abs(seconds - totals["time:" + name]) <= 0.01 * seconds + 1e-6, (name, seconds)
    assert sum(site["bytes_sent"] for site in sites) == sum(
        totals.get(name, 0) for name in ("mpi.bytes_sent", "mpi.collective_bytes_sent"))
    assert sum(site["bytes_received"] for site in sites) == sum(
        totals.get(name, 0) for name in ("mpi.bytes_received", "mpi.collective_bytes_received"))
    done = run(fermata, "counters", "sites", experiment, "MPI_Nothing")
    assert done.returncode == 1 and "has no calls of MPI_Nothing" in done.stderr and done.stdout == "", done
    done = run(fermata, "counters", "sites", experiment, "MPI_Nothing", "MPI_Finalize")
    assert done.returncode == 0 and "has no calls of MPI_Nothing" in done.stderr, done
    assert "MPI_Finalize" in done.stdout and "of MPI_Finalize" not in done.stderr, done
    of_mpi = [site for site in sites if site["function"].startswith("MPI_")]
    assert any(site["path"].split(" ")[0] == "main" for site in of_mpi), of_mpi[:3]
    assert all(site["path"] for site in of_mpi), [site for site in of_mpi if not site["path"]]


def check_difference(first, second):
    """A change in percent is that of the values that are printed."""
    done = run(fermata, "counters", "diff", "--all", first, second, "time:*")
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert done.returncode == 0 and rows, done
    for name, before, after, difference, change in rows:
        if "not" in (before, after):
            continue
        microseconds = [round(1e6 * float(value)) for value in (before, after, difference)]
        assert microseconds[1] - microseconds[0] == microseconds[2], (name, before, after, difference)
        assert (change == "-") == (microseconds[0] == 0), (name, before, after, change)
        assert change == "-" or abs(float(change.rstrip("%")) - 100 * microseconds[2] / microseconds[0]) <= 0.051, (
            name, before, after, change)


def cells(experiment):
    """The report's values by metric, function and rank."""
    done = run(fermata, "export", "--to", "csv", "-o", "-", experiment)
    assert done.returncode == 0, done.stderr
    sums = collections.Counter()
    for row in csv.DictReader(done.stdout.splitlines()):
        function = row["callpath"].split("/")[-1].split("@")[0]
        sums[row["metric"], function, int(row["rank"])] += float(row["value"])
    return sums


def check_report(traced, only, folder):
    """The report of counters has the calls of the report of a trace, and states no waiting."""
    done = run(fermata, "analyze", "--quiet", traced)
    assert done.returncode == 0, done.stderr
    of_trace, of_counters = cells(traced), cells(only)
    visits = {key for key in of_trace | of_counters if key[0] == "visits" and key[1] not in TIMED
              and key[1].startswith("MPI_")}
    assert len(visits) > 10, of_counters
    for key in visits:
        assert of_trace[key] == of_counters[key], (key, of_trace[key], of_counters[key])
    for rank in range(4):
        both = [sum(value for (metric, _, of), value in sums.items() if of == rank and metric.startswith("bytes"))
                for sums in (of_trace, of_counters)]
        one_sided = any(key[0].startswith("comms_rma") for key in of_trace)
        assert one_sided or both[0] == both[1], (rank, both)
    run_delay = "delay_measured_time"  # of the scheduler, not a cost of waiting
    waits = {key for key in of_counters if "wait" in key[0] or "late" in key[0]
             or (key[0].startswith("delay") and key[0] != run_delay)}
    assert not waits, waits
    sent = {rank: of_counters["counter:mpi.messages_sent", program_of(of_counters), rank] for rank in range(4)}
    assert list(sent.values()) == (numbers(only).get("mpi.messages_sent") or [0] * 4), sent
    text = run(fermata, "report", only).stdout
    assert "Not known: the report has totals only" in " ".join(text.split()), text
    assert "without waiting" not in text, text
    done = run(fermata, "diff", traced, only)
    assert done.returncode in (0, 1) and not done.stderr.startswith("fermata diff:"), done
    done = run(fermata, "view", only, "--html", folder / "page.html")
    assert done.returncode == 0 and (folder / "page.html").stat().st_size > 100000, done
    done = run(fermata, "analyze", "--check", only)
    assert done.returncode == 2 and "no trace" in done.stderr, done


def program_of(sums):
    """The root of the call tree, which has the time outside of calls."""
    return max((key for key in sums if key[0] == "comp"), key=lambda key: sums[key])[1]


def check(program, folder):
    command = [mpirun, "-n", "4", program]
    traced, only = folder / "traced", folder / "only"
    done = recordings.record(fermata, ["--counters", "--callpath=flat"], command, traced)
    assert (traced / "traces.otf2").exists(), done.stderr
    done = recordings.record(fermata, recordings.COUNTERS_ONLY, command, only)
    assert "counters of 4 processes; no trace" in done.stderr, done.stderr
    check_sites(only)
    names = sorted(path.name for path in only.iterdir())
    assert names == ["counters", "environment.json", "log", "report.fer"], names
    assert json.loads((only / "environment.json").read_text())["complete"], "not complete"
    check_difference(traced, only)
    with_trace, without = numbers(traced), numbers(only)
    check_info(only)
    assert len(without) > 10, without
    for name in with_trace.keys() | without.keys():
        assert with_trace.get(name) == without.get(name), (program, name, with_trace.get(name),
                                                           without.get(name))
    check_report(traced, only, folder)


def check_selection(program, folder):
    """What is not selected is not counted; the memory for its records stays small, too."""
    for name, words in (("all", []), ("some", ["--ranks", "0,2"])):
        recordings.record(fermata, [*recordings.COUNTERS_ONLY, *words], [mpirun, "-n", "4", program], folder / name)
    everything, some = numbers(folder / "all"), numbers(folder / "some")
    for name in ("mpi.messages_sent", "mpi.bytes_sent", "mpi.messages_received"):
        expected = [value if rank in (0, 2) else 0 for rank, value in enumerate(everything[name])]
        assert some[name] == expected, (name, everything[name], some[name])
    # Ranks that are left out count MPI_Init and MPI_Finalize, and no other call.
    calls = {name: values[1] for name, values in some.items() if name.startswith("calls:MPI_")}
    assert {name for name, value in calls.items() if value != 0} == {
        next(name for name in calls if name.startswith("calls:MPI_Init") and calls[name] != 0),
        "calls:MPI_Finalize"}, calls


def check_killed(folder):
    """What a rank that was killed had counted is there, by call path and peer, too, and said to be incomplete."""
    experiment = folder / "killed"
    (folder / "go").touch()
    done = run(fermata, "record", "--counters-only", "-o", experiment, "--",
               *mpi_command(mpirun, 2, [killed, folder]))
    assert "did not reach their regular end; no trace" in done.stderr, done.stderr
    done = run(fermata, "counters", "show", "--ranks", experiment, "calls:MPI_Recv")
    rows = [line.split()[1:] for line in done.stdout.splitlines()[-2:]]
    assert rows == [["0", "0"], ["1", "1,003"]], done.stdout
    check_survived(experiment)
    text = " ".join(run(fermata, "report", experiment).stdout.split())
    assert "2 of 2 processes did not reach their regular end: their times end with the last call" in text, text
    assert not list((experiment / "counters").glob("tables.*")) and not (experiment / "counters/journal").exists()
    check_without_calls(experiment)


def check_survived(experiment):
    """The receives of the rank that was killed, which no process has written at its end."""
    done = run(fermata, "counters", "sites", "--format", "json", experiment, "MPI_Recv")
    assert done.returncode == 0, done.stderr
    sites = json.loads(done.stdout)["sites"]
    assert sum(site["calls"] for site in sites) == 1003, sites
    assert all(site["path"].startswith("main") for site in sites), sites
    done = run(fermata, "counters", "matrix", "--format", "csv", experiment)
    received = [row for row in csv.DictReader(done.stdout.splitlines()) if row["kind"] == "received"]
    assert [(row["from"], row["to"], row["messages"]) for row in received] == [("0", "1", "1003")], done
    assert "MPI_COMM_WORLD" in run(fermata, "counters", "communicators", experiment).stdout


def check_unfinished(folder):
    """The launcher was killed, too: the next command that needs the calls completes the recording. With files that are
    damaged it ends regularly."""
    experiment = folder / "unfinished"
    (folder / "go").touch()
    run("sh", "-c", '"$@" & wait $!', "sh", fermata, "record", "--counters-only", "-o", experiment, "--",
        "sh", "-c", '"$@"; kill -KILL $PPID', "sh", *mpi_command(mpirun, 2, [killed, folder]))
    kept = sorted((experiment / "counters").glob("tables.1.*"))
    assert kept and not (experiment / "counters/calls.1").exists(), kept
    for seed in range(20):
        damaged = folder / "damaged"
        shutil.copytree(experiment, damaged)
        chance = random.Random(seed)
        for path in [*(damaged / "counters").glob("tables.*"), *(damaged / "counters/journal").iterdir()]:
            content = bytearray(path.read_bytes())
            for _ in range(30):
                content[chance.randrange(min(len(content), 200000))] = chance.randrange(256)
            path.write_bytes(content[:chance.choice([len(content), len(content) // 2])])
        done = run(fermata, "counters", "sites", damaged)
        assert done.returncode in (0, 1, 2, 3), (seed, done)
        shutil.rmtree(damaged)
    check_survived(experiment)


def check_without_calls(experiment):
    """Where nothing of the calls is left, what was not measured is not 0."""
    for path in [*(experiment / "counters").glob("calls.*"), *(experiment / "counters").glob("links.*")]:
        path.unlink()
    run(fermata, "analyze", "--quiet", experiment)
    done = run(fermata, "counters", "sites", experiment)
    assert done.returncode == 3 and "no calls by call site" in done.stderr, done
    done = run(fermata, "score", experiment)
    assert done.returncode == 3 and "and none has" in done.stderr, done
    text = " ".join(run(fermata, "report", experiment).stdout.split())
    assert "2 of 2 processes did not reach their regular end" in text, text
    assert "Run time Not known, on 2 ranks, 1 node: none of them reached its regular end" in text, text
    assert "Calls Not known by call path." in text and "mpi.messages_received" in text, text
    assert " 0 s" not in text and "All time" not in text and "Shares of all time" not in text, text
    assert "0 in this selection" not in text, text
    text = run(fermata, "report", "--metric", "time", experiment).stdout
    assert "Time is not known: no process reached its regular end." in text, text
    text = run(fermata, "report", "--efficiency", experiment).stdout
    assert "Not known: no process reached its regular end." in text, text


def check_info(experiment):
    """fermata info states what is in an experiment without a trace."""
    done = run(fermata, "info", experiment)
    assert done.returncode == 0 and "counters, no trace" in done.stdout, done
    assert re.search(r"^size +4 of 4 processes, of which 4 reached their regular end$", done.stdout, re.MULTILINE), done
    done = run(fermata, "info", "--format", "json", experiment)
    info = json.loads(done.stdout)
    assert (info["processes"], info["processes_ended"], info["has_trace"]) == (4, 4, False), info
    assert info["environment"]["ranks"] == 4, info
    recorder = info["environment"]["recorder"]
    assert recorder["nanoseconds_per_call"] > 0 and recorder["overhead_percent"] > 0, recorder
    assert re.search(r"^recorder +makes the run (less than|about|at least) [0-9.]+(% longer| times as long)$",
                     run(fermata, "info", experiment).stdout, re.MULTILINE)
    report = json.loads(run(fermata, "report", "--format", "json", experiment).stdout)
    stated = report["experiment"]["overhead_percent"]
    assert abs(stated - recorder["overhead_percent"]) <= 1e-3, (stated, recorder)
    assert re.search(r"Recording +makes the run", run(fermata, "report", experiment).stdout)
    done = run(fermata, "info", pathlib.Path(experiment) / "counters")
    assert done.returncode != 0 or "counters, no trace" in done.stdout, done
    assert run(fermata, "info", "/dev").returncode != 0


def main():
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            check(program, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_selection(programs[0], pathlib.Path(folder))
        check_killed(pathlib.Path(folder))
        check_unfinished(pathlib.Path(folder))
        done = run(fermata, "run", "--counters-only", "-o", folder + "/run", "--",
                   *mpi_command(mpirun, 2, [programs[0]]), cwd=folder)
        assert "function" in done.stdout and "MPI_Finalize" in done.stdout, done
    for words in (["--counters=none"], ["--flight-recorder", "1M"]):
        done = run(fermata, "record", "--counters-only", *words, "--", "true")
        assert done.returncode == 2 and "remove" in done.stderr, done


main()
