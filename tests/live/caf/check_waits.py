# SPDX-License-Identifier: BSD-3-Clause
"""Records waits.f90 and compares the waiting times that the analysis finds with the trace.

usage: check_waits.py FERMATA MPIRUN PROGRAM
"""
import csv
import io
import pathlib
import sys
import tempfile

from caf_archive import record, run, times

IMAGES = 3
SHORTEST = 0.02  # seconds; the planted delay is 0.06, of which others may have slept through a part
NAMES = ("caf sync images", "caf event post", "caf event wait", "caf lock", "caf unlock", "caf co_sum")


def found(fermata, experiment, metric):
    """@return by image: seconds of a metric"""
    text = run([fermata, "report", experiment, "--metric", metric, "--format=csv"]).stdout
    seconds = {image: 0.0 for image in range(1, IMAGES + 1)}
    for row in csv.DictReader(io.StringIO(text)):
        seconds[int(row["rank"]) + 1] += float(row["value"])
    return seconds


def main():
    fermata, mpirun, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = record(fermata, experiment, mpirun, IMAGES, [program], ["--sample=off"])
        assert result.stdout.count("is done") == IMAGES, result.stdout + result.stderr
        run([fermata, "analyze", "--check", experiment])
        calls, second = times(experiment / "traces.otf2", NAMES)

        def enter(image, statement, number=0):
            return calls[image, "caf " + statement][number][0]

        def leave(image, statement, number=0):
            return calls[image, "caf " + statement][number][1]

        def check(metric, image, until, since):
            """The first wait of the image; what it waits for in other statements is short."""
            wanted = (until - since) / second
            assert wanted > SHORTEST, f"{metric}: only {wanted} s are in the trace"
            seconds = found(fermata, experiment, metric)[image]
            assert 0.99 * wanted <= seconds, f"{metric} on image {image}: {seconds} s, not {wanted} s"
            return seconds, wanted

        check("caf_sync_images_wait", 1, enter(2, "sync images"), enter(1, "sync images"))
        seconds, wanted = check("caf_event_wait", 1, enter(2, "event post"), enter(1, "event wait"))
        assert seconds <= 1.01 * wanted, f"event wait: {seconds} s, not {wanted} s"
        seconds, wanted = check("caf_lock_contention", 3,
                                min(leave(1, "unlock"), leave(3, "lock")), enter(3, "lock"))
        assert seconds <= 1.01 * wanted, f"lock: {seconds} s, not {wanted} s"
        for image in (1, 2):
            seconds, wanted = check("caf_wait_nxn", image, enter(3, "co_sum"), enter(image, "co_sum"))
            assert seconds <= 1.01 * wanted, f"co_sum: {seconds} s, not {wanted} s"
        assert found(fermata, experiment, "caf_wait_nxn")[3] == 0


main()
