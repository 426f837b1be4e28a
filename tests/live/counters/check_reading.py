# SPDX-License-Identifier: BSD-3-Clause
"""Counters are read while a program runs, and after one of its ranks was killed.

usage: check_reading.py FERMATA MPIRUN PROGRAM READER
"""

import json
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program, reader = sys.argv[1:]
MESSAGES, BYTES = 1003, 1000 * 100 + 3 * 20000


def shown(experiment):
    done = subprocess.run([fermata, "counters", "show", "--all", "--format", "json", experiment],
                          capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    values = {counter["name"]: counter["values"] for counter in result["counters"]}
    return [rank["state"] for rank in result["ranks"]], values


def read(experiment, rank, counter):
    done = subprocess.run([reader, f"{experiment}/counters/rank.{rank}", counter],
                          capture_output=True, text=True, check=False)
    return done.stdout.split(" ")[0] if done.returncode == 0 else done.stderr


def check_values(experiment, values):
    assert values["mpi.messages_sent"] == [MESSAGES, 0], values["mpi.messages_sent"]
    assert values["mpi.bytes_sent"] == [BYTES, 0], values["mpi.bytes_sent"]
    assert values["mpi.messages_received"] == [0, MESSAGES], values["mpi.messages_received"]
    assert values["mpi.bytes_received"] == [0, BYTES], values["mpi.bytes_received"]
    assert values["mpi.messages_by_boundary"] == [MESSAGES, 0]
    assert values["calls:MPI_Send"] == [MESSAGES, 0], values["calls:MPI_Send"]
    assert values["calls:MPI_Iprobe"] in ([50, 50], [0, 0]), values["calls:MPI_Iprobe"]
    assert values["calls:MPI_Initialized"] == [0, 0], "a forked child has counted"
    assert read(experiment, 0, "OMPI_SPC_BYTES_SENT_USER") == str(BYTES)
    assert read(experiment, 1, "OMPI_SPC_RECV") == str(MESSAGES)
    assert read(experiment, 1, "mpi.message_sizes") == "0"
    assert "does not have" in read(experiment, 0, "OMPI_SPC_UNEXPECTED")
    assert "does not have" in read(experiment, 0, "nonsense")


def check_size_bins(experiment):
    done = subprocess.run([fermata, "counters", "show", "--format", "json", experiment,
                           "mpi.messages_by_size"], capture_output=True, text=True, check=True)
    counter, = json.loads(done.stdout)["counters"]
    assert [(bin["name"], bin["values"]) for bin in counter["bins"]] == [
        ("up to 99", [0, 0]), ("100", [1000, 0]), ("101-1024", [0, 0]), ("1025-19999", [0, 0]),
        ("above 19999", [3, 0])], counter
    done = subprocess.run([fermata, "counters", "show", experiment, "mpi.messages_by_size"],
                          capture_output=True, text=True, check=True)
    assert "  above 19999 " in done.stdout and "1025" not in done.stdout, done.stdout


def check_pace(experiment, state):
    """top has a row for each rank, and ends when all ranks have ended; so does watch."""
    limit = ["-n", "2"] if state == "running" else []
    time.sleep(1.1 if limit else 0)  # more than ten periods: both ranks are outside of calls
    done = subprocess.run([fermata, "top", experiment, "-p", "0.1", *limit], capture_output=True,
                          text=True, check=True)
    assert ("no call has ended on any rank for" in done.stdout) == bool(limit), done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert len(rows) == (4 if limit else 2) and rows[1][:2] == ["1", state], done.stdout
    assert "; rates of the last 0." in done.stdout and " preempt/s " in done.stdout, done.stdout
    # The recorder reads the kernel's counters every 2 s: two readings are not seen in less time.
    assert all(row[9:11] == ["-", "-"] for row in rows), done.stdout
    done = subprocess.run([fermata, "counters", "watch", experiment, "-p", "0.1", "--all", *limit,
                           "--format", "csv", "mpi.bytes_sent", "mpi.requests_open"],
                          capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    assert len(rows) == (4 if limit else 0), done.stdout
    assert all(row[3] == (str(BYTES) if row[1] == "mpi.bytes_sent" else "2") for row in rows), rows
    assert all(row[4] == ("0" if row[1] == "mpi.bytes_sent" else "") for row in rows), done.stdout


def check_reset(experiment):
    """Both ranks wait in no call; of up to 5 requests, one is open."""
    def most():
        return shown(experiment)[1]["mpi.requests_open_most"]
    assert most() == [5, 5], most()
    done = subprocess.run([fermata, "counters", "reset", experiment], capture_output=True, text=True,
                          check=True)
    assert "watermarks of 2 of 2 ranks" in done.stdout, done
    assert most() == [1, 1], most()
    assert shown(experiment)[1]["mpi.requests_open"] == [1, 1]


def check_snapshots(experiment):
    """Snapshots have distinct times, and lead from the begin of the run to the last values. A picture has rates."""
    path = f"{experiment}/counters/snapshots.csv"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with open(path, encoding="ascii") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    times = [float(row[0]) for row in rows if row[1] == ""]
    assert len(times) >= 2 and times == sorted(set(times)), times
    last = {(int(row[1]), row[2]): row[3] for row in rows if row[1] != ""}
    assert last[0, "mpi.bytes_sent"] == str(BYTES) and last[1, "calls:MPI_Recv"] == str(MESSAGES)
    done = subprocess.run([fermata, "counters", "heatmap", experiment, "OMPI_SPC_BYTES_SENT_USER",
                           "--format", "csv"], capture_output=True, text=True, check=True)
    cells = [line.split(",") for line in done.stdout.splitlines()[1:]]
    assert len(cells) == 2 * len(times), done.stdout
    assert float(cells[0][0]) == 0 and float(cells[0][1]) == times[0], done.stdout
    for rank, total in ((0, BYTES), (1, 0)):
        changes = sum(int(cell[3]) for cell in cells if cell[2] == str(rank))
        assert changes == total, done.stdout
    done = subprocess.run([fermata, "counters", "heatmap", experiment, "mpi.bytes_sent"],
                          capture_output=True, text=True, check=True)
    picture = xml.dom.minidom.parseString(done.stdout)
    titles = [title.firstChild.data for title in picture.getElementsByTagName("title")]
    assert {title.split(",")[0] for title in titles} == {"rank 0", "rank 1"}, titles
    for begin, end, rank, change in (cell[:4] for cell in cells):
        rate = int(change) / (float(end) - float(begin))
        place = f"rank {rank}, {float(begin):.3f}-"
        shown = [title for title in titles if title.startswith(place)]
        assert rate == 0 or abs(number_of(shown[0]) - rate) <= 1 + 1e-3 * rate, (shown, rate)
    assert any(text.firstChild.data == "mpi.bytes_sent (bytes/s)"
               for text in picture.getElementsByTagName("text")), done.stdout
    check_difference(experiment)
    check_grid(experiment)


def check_difference(experiment):
    """A run less itself is 0 everywhere; less one whose snapshots have half the values, half of it."""
    def shown(*experiments):
        csv = subprocess.run([fermata, "counters", "heatmap", *experiments, "mpi.bytes_sent", "--format",
                              "csv"], capture_output=True, text=True, check=True).stdout
        return [[float(part) for part in line.split(",")] for line in csv.splitlines()[1:]]

    cells = shown(experiment)
    assert [cell[3] for cell in shown(experiment, experiment)] == [0] * len(cells)
    with tempfile.TemporaryDirectory() as folder:
        half = os.path.join(folder, "half")
        shutil.copytree(experiment, half)
        path = os.path.join(half, "counters", "snapshots.csv")
        with open(path, encoding="ascii") as file:
            rows = [line.split(",") for line in file]
        with open(path, "w", encoding="ascii") as file:
            for row in rows:
                if row[2] == "mpi.bytes_sent":
                    row[3] = f"{int(row[3]) / 2}\n"
                file.write(",".join(row))
        for cell, difference in zip(cells, shown(half, experiment), strict=True):
            assert difference[:3] == cell[:3]
            assert abs(difference[3] - cell[3] / 2) <= 1e-6 * BYTES, (difference, cell)
        picture = subprocess.run([fermata, "counters", "heatmap", experiment, half, "mpi.bytes_sent"],
                                 capture_output=True, text=True, check=True).stdout
        assert "#0d0d67" in picture and ", the second run less the first<" in picture, picture


def number_of(title):
    """The number in "rank 0, 0.500-1.000 s: 12,345 bytes/s"."""
    return float(title.split(": ")[1].split(" ")[0].replace(",", ""))


def check_grid(experiment):
    """The values on a grid of processes: the last dimension varies fastest."""
    done = subprocess.run([fermata, "counters", "heatmap", experiment, "mpi.bytes_sent", "--grid",
                           "1x2", "--format", "csv"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["x,y,z,rank,value", f"0,0,0,0,{BYTES}", "0,1,0,1,0"], done
    done = subprocess.run([fermata, "counters", "heatmap", experiment, "mpi.bytes_sent", "--grid",
                           "2"], capture_output=True, text=True, check=True)
    picture = xml.dom.minidom.parseString(done.stdout)
    cells = [cell for cell in picture.getElementsByTagName("rect")
             if cell.getElementsByTagName("title")]
    titles = [cell.getElementsByTagName("title")[0].firstChild.data for cell in cells]
    assert titles == [f"rank 0 (0, 0, 0): {BYTES:,}", "rank 1 (1, 0, 0): 0"], titles
    assert [cell.getAttribute("fill") for cell in cells] == ["#670d0d", "#fff5f5"], done.stdout
    assert float(cells[0].getAttribute("x")) < float(cells[1].getAttribute("x"))
    for grid, message in (("3", "a grid of 3 processes for a run of 2"),
                          ("1x2x1x1", "up to three dimensions"), ("0x2", "up to three dimensions"),
                          ("2x", "up to three dimensions")):
        done = subprocess.run([fermata, "counters", "heatmap", experiment, "mpi.bytes_sent",
                               "--grid", grid], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and message in done.stderr, done


def tag(line, name):
    """What a line of a description has, as the thesis' script takes it."""
    assert line.startswith(f"<{name}>") and line.endswith(f"</{name}>\n"), (name, line)
    return line[len(name) + 2:-len(name) - 4]


def read_spc(description):
    """The values and bins of a rank, read line by line as by the script of the thesis' appendix B."""
    with open(description, encoding="ascii") as file:
        assert [next(file), next(file)] == ['<?xml version="1.0"?>\n', "<SPC>\n"]
        path, size = tag(next(file), "filename"), int(tag(next(file), "file_size"))
        count, mhz = int(tag(next(file), "num_counters")), int(tag(next(file), "freq_mhz"))
        with open(path, "rb") as data:
            content = data.read()
        assert len(content) == size and size % 4096 == 0 and mhz > 0, (len(content), size, mhz)
        values, bins = {}, {}
        for _ in range(count):
            assert next(file) == "<counter>\n"
            name = tag(next(file), "name")
            value, rules, first = (int(tag(next(file), f"{what}_offset"))
                                   for what in ("value", "rules", "bin"))
            assert next(file) == "</counter>\n"
            values[name] = struct.unpack_from("q", content, value)[0]
            if rules >= 0:
                assert rules % 64 == 0 and first % 8 == 0 and rules >= 8 * count
                number, boundary = struct.unpack_from("ii", content, rules)
                bins[name] = boundary, struct.unpack_from(f"{number}q", content, first)
        assert next(file) == "</SPC>\n"
    return values, bins


def snapshots_of(experiment):
    """[seconds of each snapshot], {rank, counter: [value at each snapshot]} as recorded"""
    with open(f"{experiment}/counters/snapshots.csv", encoding="ascii") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    times, values = [], {}
    for seconds, rank, counter, value in rows:
        if rank == "":
            times.append(float(seconds))
            for series in values.values():
                series.append(series[-1])
        else:
            values.setdefault((int(rank), counter), [0.0] * len(times))[-1] = float(value)
    return times, values


def check_converted_snapshots(experiment, spc, names):
    """The script of the thesis' appendix B takes names of five parts for snapshots: it sorts them by
    rank and time, reads a value of 8 bytes for each counter, divides those of names with TIME by the
    frequency, and draws the differences of consecutive ones."""
    times, recorded = snapshots_of(experiment)
    files = sorted((name for name in names if len(name.split(".")) == 5 and not name.endswith(".xml")),
                   key=lambda name: [int(part) for part in name.split(".")[3:]])
    assert len(files) == 2 * (len(times) + 1), (files, times)
    stamps = [int(name.split(".")[4]) for name in files if name.split(".")[3] == "0"]
    begin = stamps[0]  # of the counting, where all counters are 0
    for stamp, seconds in zip(stamps[1:], times, strict=True):
        assert abs((stamp - begin) / 1e9 - seconds) < 1e-6, (stamp, begin, seconds)
    for rank in range(2):
        own = [name for name in files if name.split(".")[3] == str(rank)]
        described, _ = read_spc(f"{spc}/{next(n for n in names if n.endswith(f'.{rank}.xml'))}")
        order = list(described)
        content = [struct.unpack(f"{len(order)}q", pathlib.Path(spc, name).read_bytes()) for name in own]
        assert set(content[0]) == {0}, content[0]
        for counter, source in (("OMPI_SPC_SEND", "calls:MPI_Send"),
                                ("OMPI_SPC_BYTES_SENT_USER", "mpi.bytes_sent"),
                                ("OMPI_SPC_BYTES_RECEIVED_USER", "mpi.bytes_received"),
                                ("OMPI_SPC_P2P_MESSAGE_SIZE", "mpi.messages_by_boundary")):
            series = [values[order.index(counter)] for values in content]
            assert series[1:] == recorded.get((rank, source), [0] * len(times)), (counter, series)
            differences = [later - earlier for earlier, later in zip(series, series[1:])]
            assert sum(differences) == described[counter] and min(differences) >= 0, differences


def check_converted(experiment, spc):
    subprocess.run([fermata, "counters", "convert", experiment, spc], check=True)
    names = sorted(os.listdir(spc))
    modes = {stat.S_IMODE(os.stat(f"{spc}/{name}").st_mode) for name in names}
    assert modes == {0o600}, modes
    check_converted_snapshots(experiment, spc, names)
    names = [name for name in names if name.endswith(".xml") or len(name.split(".")) == 4]
    assert len(names) == 4 and all(len(name.split(".")) in (4, 5) for name in names), names
    for rank, (sent, received) in enumerate([(MESSAGES, 0), (0, MESSAGES)]):
        values, bins = read_spc(f"{spc}/{names[2 * rank + 1]}")
        assert values["OMPI_SPC_SEND"] == sent and values["OMPI_SPC_RECV"] == received
        assert values["OMPI_SPC_BYTES_SENT_USER"] == (BYTES if sent else 0)
        assert bins["OMPI_SPC_P2P_MESSAGE_SIZE"] == (12288, (1000, 3) if sent else (0, 0)), bins
        assert "OMPI_SPC_UNEXPECTED" not in values and len(values) == 100, len(values)
        xml.dom.minidom.parse(f"{spc}/{names[2 * rank + 1]}")
    done = subprocess.run([fermata, "counters", "convert", experiment, spc], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 4 and "File exists" in done.stderr, done.stderr


def begin_live_conversion(experiment, spc):
    """The files of the SPC have the values of the running program. @return the command that keeps them"""
    keeper = subprocess.Popen([fermata, "counters", "convert", "--period", "0.05", experiment, spc])
    while not os.path.isdir(spc) or sum(name.endswith(".xml") for name in os.listdir(spc)) < 2:
        assert keeper.poll() is None, keeper.returncode
        time.sleep(0.05)
    name = next(name for name in os.listdir(spc) if name.endswith(".0.xml"))
    while True:  # the description is written last
        try:
            values, _ = read_spc(f"{spc}/{name}")
            break
        except (StopIteration, AssertionError):
            time.sleep(0.05)
    assert values["OMPI_SPC_SEND"] == MESSAGES and values["OMPI_SPC_WAIT"] == 4, values
    return keeper


def values_of(spc):
    return {name.split(".")[-2]: read_spc(f"{spc}/{name}") for name in os.listdir(spc)
            if name.endswith(".xml")}


def main():
    with tempfile.TemporaryDirectory() as folder:
        experiment = f"{folder}/experiment"
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        job = subprocess.Popen([fermata, "record", "--counters", "--snapshot", "0.1", "-o",
                                experiment, "--size-bins", "99,100,1K,19999", "--",
                                *mpi_command(mpirun, 2, [program, folder])],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=environment)
        while not all(os.path.exists(f"{folder}/ready.{rank}") for rank in range(2)):
            assert job.poll() is None, job.stdout.read()
            time.sleep(0.05)
        states, values = shown(experiment)
        assert states == ["running", "running"], states
        check_values(experiment, values)
        for rank in range(2):
            mode = os.stat(f"{experiment}/counters/rank.{rank}").st_mode
            assert stat.S_IMODE(mode) == 0o600, oct(mode)
        check_pace(experiment, "running")
        check_reset(experiment)
        check_size_bins(experiment)
        keeper = begin_live_conversion(experiment, f"{folder}/live")
        pathlib.Path(folder, "go").touch()
        job.communicate(timeout=240)
        assert keeper.wait(timeout=120) == 0
        states, values = shown(experiment)
        assert states[1] == "killed", states
        check_values(experiment, values)
        assert values["mpi.requests_open_most"] == [1, 1], values["mpi.requests_open_most"]
        done = subprocess.run([fermata, "counters", "reset", experiment], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 1 and "none of 2 ranks runs on this host" in done.stderr, done
        for counter in ("usage.page_faults_minor", "usage.memory_most"):
            assert all(value > 0 for value in values[counter]), (counter, values[counter])
        check_pace(experiment, "killed")
        check_snapshots(experiment)
        check_converted(experiment, f"{folder}/spc")
        assert values_of(f"{folder}/live") == values_of(f"{folder}/spc")  # the last ones, too
        text = subprocess.run([fermata, "counters", "show", experiment], capture_output=True,
                              text=True, check=True).stdout
        assert "killed without closing the counters" in text, text


main()
