"""Records caf-sor with an image that comes late. Its output is that of a run without the recorder, and the
report's first problem is the function in which the image comes late, with what the others wait for it.

usage: check_sor.py FERMATA MPIRUN PROGRAM
"""
import json
import pathlib
import sys
import tempfile

from caf_archive import run, times
from mpi_launcher import mpi_command

IMAGES, LATE, ITERATIONS, MILLISECONDS = 4, 3, 10, 30
SYNC = "caf sync images"


def waited(calls, second):
    """Seconds that the late image makes its neighbours, and they make theirs, wait in sync images, by the
    trace: an image waits until the last of its neighbours enters."""
    total = 0
    for image in range(1, IMAGES + 1):
        others = [other for other in (image - 1, image + 1) if 1 <= other <= IMAGES]
        for number, (enter, leave) in enumerate(calls[image, SYNC]):
            last = max(calls[other, SYNC][number][0] for other in others)
            if enter < last <= leave:
                total += last - enter
    return total / second


def main():
    fermata, mpirun, program = sys.argv[1:]
    command = mpi_command(mpirun, IMAGES, [program, "--iterations", str(ITERATIONS), "--late",
                                           f"{MILLISECONDS}:{LATE}"])

    def result(text):
        return [line for line in text.splitlines() if line.startswith("caf-sor:")]

    plain = result(run(command).stdout)
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        output = run([fermata, "run", "-o", experiment, "--", *command]).stdout
        assert plain and plain[0].endswith("right") and result(output) == plain, output
        assert f"`relaxation::come_late/usleep` on image {LATE} makes others wait" in output, output
        calls, second = times(experiment / "traces.otf2", (SYNC,))
        assert len(calls[LATE, SYNC]) == 2 * ITERATIONS, calls
        run([fermata, "analyze", "--check", experiment])
        report = json.loads(run([fermata, "report", experiment, "--format=json"]).stdout)
        problem = report["problems"][0]
        symptoms = {symptom["metric"]: symptom["cost"] for symptom in problem["symptoms"]}
        assert problem["cause"]["locations"] == [LATE - 1], problem
        wanted, cost = waited(calls, second), symptoms.get("caf_sync_images_wait", 0)
        least = (IMAGES - 1) * ITERATIONS * MILLISECONDS / 1000
        assert wanted > least, f"only {wanted} s of waiting are in the trace"
        assert abs(cost - wanted) <= 0.05 * wanted, f"{cost} s of waiting are found instead of {wanted} s"


main()
