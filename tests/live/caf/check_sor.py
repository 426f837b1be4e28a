# SPDX-License-Identifier: BSD-3-Clause
"""Records caf-sor with an image that comes late. Its output is that of a run without the recorder, and the
report's first problem is the function in which the image comes late, with what the others wait for it.

usage: check_sor.py FERMATA MPIRUN PROGRAM IMAGES

All images are neighbours of the late one: there are two or three, and it is the second.
"""
import csv
import io
import json
import pathlib
import sys
import tempfile

from caf_archive import run, times
from mpi_launcher import mpi_command

ITERATIONS, MILLISECONDS, LATE = 5, 60, 2
SYNC, PUT, START, SLEEP = "caf sync images", "caf put", "caf sync all", "usleep"


def waited_for(calls, images):
    """Ticks by the trace that the other images wait for the late one because of its delays. In each exchange
    an image puts, and meets the late image: either call waits until the late one puts or meets, too, as far
    as the delay made it late. A put does not wait if the late image is in a call when it begins."""
    total = 0
    for image in range(1, images + 1):
        puts_of_late = len(calls[LATE, PUT]) // len(calls[LATE, SYNC])
        for number, (slept_from, slept_until) in enumerate(calls[LATE, SLEEP]):
            first = calls[LATE, PUT][puts_of_late * number][0]
            waited = 0
            if image != LATE:
                (put, put_end), (meet, meet_end) = calls[image, PUT][number], calls[image, SYNC][number]
                until = calls[LATE, SYNC][number][0]
                is_busy = any(enter <= put < leave for name in (SYNC, START)
                              for enter, leave in calls[LATE, name])
                waited = first - put if put < first <= put_end and not is_busy else max(0, until - meet)
            total += min(waited, slept_until - slept_from)
    return total


def main():
    fermata, mpirun, program = sys.argv[1:4]
    images = int(sys.argv[4])
    command = mpi_command(mpirun, images, [program, "--iterations", str(ITERATIONS), "--late",
                                           f"{MILLISECONDS}:{LATE}"])

    def result(text):
        return [line for line in text.splitlines() if line.startswith("caf-sor:")]

    plain = result(run(command).stdout)
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        output = run([fermata, "run", "-o", experiment, "--", *command]).stdout
        assert plain and plain[0].endswith("right") and result(output) == plain, output
        assert f"`relaxation::come_late/usleep` on image {LATE} makes others wait" in output, output
        calls, second = times(experiment / "traces.otf2", (SYNC, PUT, START, SLEEP))
        assert len(calls[LATE, SYNC]) == 2 * ITERATIONS, calls
        run([fermata, "analyze", "--check", experiment])
        report = json.loads(run([fermata, "report", experiment, "--format=json"]).stdout)
        problem = report["problems"][0]
        cost = sum(symptom["cost"] for symptom in problem["symptoms"]
                   if symptom["metric"] in ("caf_sync_images_wait", "caf_comm_wait_for_progress"))
        assert problem["cause"]["locations"] == [LATE - 1], problem
        wanted = waited_for(calls, images) / second
        planted = (images - 1) * 2 * ITERATIONS * MILLISECONDS / 1000
        # Others that are late, too, wait less.
        assert wanted > 0.5 * planted, f"only {wanted} s of waiting are in the trace"
        assert abs(cost - wanted) <= 0.05 * wanted, f"{cost} s of waiting are found instead of {wanted} s"
        stolen = run([fermata, "report", experiment, "--metric", "stolen_time", "--format=csv"]).stdout
        lost = sum(float(row["value"]) for row in csv.DictReader(io.StringIO(stolen))
                   if row["callpath"].endswith(SLEEP))
        assert lost < 0.2 * planted, f"a sleep counts as {lost} s without a processor"


main()
