# SPDX-License-Identifier: BSD-3-Clause
"""How worlds end: one is killed, one ends later than the other or stays connected, each process spawns a world of its
own, no launcher knows of the worlds, the join was interrupted.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import recorded_worlds
from recorded_worlds import TIMEOUT, fermata_run, mpi_command, run_launcher


# Rank 0 starts a second after the other.
LATE = ["sh", "-c", 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 || sleep 1; exec "$0" "$@"']


def command(chosen, mode, wrapper=()):
    return mpi_command(chosen.mpirun, 2, [*wrapper, chosen.program, mode])


def record(chosen, experiment, mode, wrapper=()):
    outcome = run_launcher([chosen.fermata, "record", "-o", str(experiment), "--", *command(chosen, mode, wrapper)],
                           experiment.exists)
    if not experiment.exists():
        sys.exit(f"{mode}: no experiment, exit code {outcome.returncode}: {outcome.stdout}{outcome.stderr}")
    return outcome


def check_connected(chosen, folder):
    """The worlds do not disconnect, the children end later."""
    experiment = folder / "connected"
    outcome = record(chosen, experiment, "connected")
    report = recorded_worlds.Report(chosen, experiment)
    if outcome.returncode != 0 or len(report.ranks()) != 4:
        yield f"ranks {report.ranks()}: {outcome.stderr}"
    if report.waits("mpi_latesender", "MPI_Recv")[0] < 0.2:
        yield "rank 0 does not wait for the message of rank 3"
    if not recorded_worlds.environment(experiment)["complete"]:
        yield "the experiment is incomplete"


def check_each(chosen, folder):
    """Two worlds are spawned at the same time, with equal sizes: each message has come from the right one."""
    experiment = folder / "each"
    record(chosen, experiment, "each")
    report = recorded_worlds.Report(chosen, experiment)
    if sorted(world for _, world, _ in report.ranks()) != [0, 0, 1, 1, 2, 2]:
        yield f"ranks {report.ranks()}"
    messages = {(row["from"], row["to"]): row["count"] for row in report.document["matrices"]["messages"]["links"]}
    senders = {to: sender for sender, to in messages}
    if sorted(senders) != [0, 1] or set(senders.values()) != {3, 5} or set(messages.values()) != {1}:
        yield f"the messages are {messages}"


def check_killed(chosen, folder):
    """A child is killed, and with it all others: what was recorded before is joined, too."""
    experiment = folder / "killed"
    outcome = record(chosen, experiment, "killed")
    if outcome.returncode == 0:
        yield "the program has not been killed"
    missing = recorded_worlds.environment(experiment).get("incomplete", "")
    if "world 0: the program ended without MPI_Finalize" not in missing or "world 1: " not in missing:
        yield f"missing is: {missing}\n{outcome.stderr}"
    report = recorded_worlds.Report(chosen, experiment)
    if len(report.ranks()) != 4 or report.waits("mpi_latesender", "MPI_Recv")[0] < 0.2:
        yield f"ranks {report.ranks()}, waits {report.waits('mpi_latesender', 'MPI_Recv')}"


def check_unlaunched(chosen, folder):
    """Without `fermata record` the worlds do not find each other's experiment: a warning says so."""
    environment = {**os.environ, "LD_PRELOAD": chosen.preload}
    outcome = subprocess.run(command(chosen, "message"), capture_output=True, text=True, timeout=TIMEOUT,
                             cwd=folder, env=environment)
    experiments = sorted(folder.glob("fermata-*"))
    if len(experiments) != 2:
        yield f"experiments: {experiments}: {outcome.stderr}"
    if "MPI_Comm_spawn: processes that were spawned or connected have experiments of their own" not in " ".join(outcome.stderr.split()):
        yield f"no warning: {outcome.stderr}"
    for experiment in experiments:
        warnings = recorded_worlds.Report(chosen, experiment).warnings
        if not any("are not in this experiment" in warning for warning in warnings):
            yield f"warnings of {experiment}: {warnings}"


def check_unrecorded(chosen, folder):
    """The spawned processes are not recorded: nothing hangs, and a warning says so."""
    experiment = folder / "unrecorded"
    outcome = record(chosen, experiment, "unrecorded")
    report = recorded_worlds.Report(chosen, experiment)
    expected = "the processes that rank 0 spawned are not in this experiment"
    if outcome.returncode != 0 or report.ranks() != [(0, 0, 0), (1, 0, 1)]:
        yield f"{outcome.returncode}, ranks {report.ranks()}: {outcome.stderr}"
    if not any(expected in warning for warning in report.warnings) or expected not in outcome.stderr:
        yield f"warnings {report.warnings}: {outcome.stderr}"
    if report.waits("mpi_comm_wait", "MPI_Comm_spawn") or report.waits("mpi_barrier_wait", "MPI_Barrier"):
        yield "ranks wait for processes that are not known"


def check_elsewhere(chosen, folder):
    """The spawned processes are on a node of another name: clocks are compared by the time of day, whichever of a
    world's processes starts first."""
    if subprocess.run(["unshare", "-u", "hostname", "elsewhere"], capture_output=True).returncode != 0:
        return
    experiment = folder / "elsewhere"
    begin = time.monotonic()
    outcome = record(chosen, experiment, "elsewhere", LATE)
    wall = time.monotonic() - begin
    report = recorded_worlds.Report(chosen, experiment)
    if len(report.ranks()) != 4 or report.waits("mpi_latesender", "MPI_Recv")[0] < 0.2:
        yield (f"ranks {report.ranks()}, waits {report.waits('mpi_latesender', 'MPI_Recv')}, "
               f"warnings {report.warnings}: {outcome.stderr}")
    if not any("world 1 was compared with that of world 0 by the time of day" in text for text in report.warnings):
        yield f"warnings {report.warnings}"
    waits = report.waits("mpi_comm_wait", "MPI_Comm_spawn")
    if not 0 < waits[0] < wall:
        yield f"rank 0 waits {waits[0]} s in MPI_Comm_spawn, in a run of {wall} s"


def check_two_launchers(chosen, folder):
    """Two launchers of Open MPI, started by one of fermata, whose programs connect by a port."""
    server = shutil.which("ompi-server")
    if server is None:
        return
    place, experiment = folder / "server.txt", folder / "connected"
    running = subprocess.Popen([server, "--no-daemonize", "-r", str(place)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        while not place.exists() or not place.read_text().endswith("\n"):
            time.sleep(0.05)
        launch = mpi_command(chosen.mpirun, 1, [chosen.program])
        launch[1:1] = ["--ompi-server", f"file:{place}"]
        script = '"$@" serving "$0" & "$@" calling "$0"; wait'
        outcome = subprocess.run([chosen.fermata, "record", "-o", str(experiment), "--", "sh", "-c", script,
                                  str(folder / "port"), *launch], capture_output=True, text=True, timeout=TIMEOUT)
    finally:
        running.terminate()
        running.wait()
    if not experiment.exists():
        yield f"no experiment, exit code {outcome.returncode}: {outcome.stdout}{outcome.stderr}"
        return
    report = recorded_worlds.Report(chosen, experiment)
    if report.ranks() != [(0, 0, 0), (1, 1, 0)] or any("not in this experiment" in text for text in report.warnings):
        yield f"ranks {report.ranks()}, warnings {report.warnings}: {outcome.stderr}"
    if sum(report.waits("mpi_latesender", "MPI_Recv").values()) < 0.2:
        yield f"nobody waits for the message: {report.waits('mpi_latesender', 'MPI_Recv')}"


def check_interrupted(chosen, folder):
    """The launcher is killed; later a join is killed in the middle: each time the next command completes it."""
    experiment = folder / "interrupted"
    launcher = subprocess.Popen([chosen.fermata, "record", "-o", str(experiment), "--",
                                 "sh", "-c", '"$@"; kill -KILL $PPID', "sh", *command(chosen, "message")],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if launcher.wait(TIMEOUT) != -signal.SIGKILL or not (experiment / "worlds" / "1" / "traces.otf2").exists():
        yield "the worlds are joined already"
        return
    whole = folder / "whole"
    shutil.copytree(experiment, whole)
    fermata_run.run([chosen.fermata, "analyze", "--check", "-q", str(whole)])
    expected = sorted(file.name for file in (whole / "traces").iterdir())
    # States in which a join may have been killed: while the first archive was moved away, and behind that.
    for moved in (1, 3, 5):
        broken = folder / f"broken-{moved}"
        shutil.copytree(experiment, broken)
        (broken / "worlds" / "0").mkdir()
        for name in ("traces.otf2", "world.def", "traces.def", "traces.marker", "traces")[:moved]:
            if (broken / name).exists():
                (broken / name).rename(broken / "worlds" / "0" / name)
        if moved == 5:
            (broken / "traces").mkdir()  # of the joined archive
        ranks = recorded_worlds.Report(chosen, broken).ranks()
        found = sorted(file.name for file in (broken / "traces").iterdir())
        if found != expected or len(ranks) != 4:
            yield f"after {moved} files were moved: {found} instead of {expected}"


def check_damaged(chosen, folder):
    """Definitions of a world that are damaged are reported."""
    experiment = folder / "damaged"
    subprocess.run([chosen.fermata, "record", "-o", str(experiment), "--", "sh", "-c", '"$@"; kill -KILL $PPID', "sh",
                    *command(chosen, "message")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT)
    for name in ("world.def", "worlds/1/world.def"):
        content = (experiment / name).read_bytes()
        for place in range(0, len(content), len(content) // 8):
            damaged = bytearray(content)
            damaged[place] ^= 0x15
            for bad in (damaged, content[:place]):
                (experiment / name).write_bytes(bad)
                outcome = subprocess.run([chosen.fermata, "analyze", "-q", str(experiment)], capture_output=True,
                                         text=True, timeout=TIMEOUT)
                if name == "world.def" and "world.def is damaged" not in outcome.stderr or outcome.returncode < 0:
                    yield f"{name} at {place}: {outcome.returncode}: {outcome.stderr}"
                if not (experiment / "world.def").exists():  # joined without the damaged world
                    missing = recorded_worlds.environment(experiment).get("incomplete", "")
                    if "1 more world of spawned processes left nothing" not in missing:
                        yield f"{name} at {place}: {missing}"
                    return


def main():
    chosen = recorded_worlds.options()
    recorded_worlds.skip_without_spawn(chosen, 2, "message")
    failures = []
    for check in (check_connected, check_each, check_killed, check_unlaunched, check_unrecorded, check_elsewhere, check_two_launchers, check_interrupted,
                  check_damaged):
        with tempfile.TemporaryDirectory(prefix="fermata-worlds-") as folder:
            failures += [f"{check.__name__}: {failure}" for failure in check(chosen, pathlib.Path(folder))]
    if failures:
        sys.exit("\n".join(failures))


main()
