"""Records caf-sor with an image that comes late. Its output is that of a run without the recorder, and the
report's first problem is the function in which the image comes late, with what the others wait for it.

usage: check_sor.py FERMATA MPIRUN PROGRAM IMAGES
"""
import json
import pathlib
import sys
import tempfile

from caf_archive import run, times
from mpi_launcher import mpi_command

ITERATIONS, MILLISECONDS = 10, 30
SYNC, PUT = "caf sync images", "caf put"
# Calls in which an image makes progress, from the second exchange to the end of the last one.
PROGRESSING = (SYNC, PUT, "caf sync all", "caf co_max")


def waited_in_sync(calls, images):
    """Ticks of waiting in sync images by the trace: an image waits until the last of its neighbours
    enters."""
    total = 0
    for image in range(1, images + 1):
        others = [other for other in (image - 1, image + 1) if 1 <= other <= images]
        for number, (enter, leave) in enumerate(calls[image, SYNC]):
            last = max(calls[other, SYNC][number][0] for other in others)
            if enter < last <= leave:
                total += last - enter
    return total


def waited_in_puts(calls, images):
    """Ticks of waiting in puts: until the target calls the library, if it does not at the begin. An image
    puts to the left first."""
    total = 0
    for image in range(1, images + 1):
        targets = [other for other in (image - 1, image + 1) if 1 <= other <= images]
        for number, (enter, leave) in enumerate(calls[image, PUT]):
            target = targets[number % len(targets)]
            first = min((call for name in PROGRESSING for call in calls[target, name] if call[1] > enter),
                        default=(enter, enter))
            if enter < first[0] <= leave:
                total += first[0] - enter
    return total


def main():
    fermata, mpirun, program = sys.argv[1:4]
    images = int(sys.argv[4])
    late = images // 2 + 1
    command = mpi_command(mpirun, images, [program, "--iterations", str(ITERATIONS), "--late",
                                           f"{MILLISECONDS}:{late}"])

    def result(text):
        return [line for line in text.splitlines() if line.startswith("caf-sor:")]

    plain = result(run(command).stdout)
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        output = run([fermata, "run", "-o", experiment, "--", *command]).stdout
        assert plain and plain[0].endswith("right") and result(output) == plain, output
        assert f"`relaxation::come_late/usleep` on image {late} makes others wait" in output, output
        calls, second = times(experiment / "traces.otf2", PROGRESSING)
        assert len(calls[late, SYNC]) == 2 * ITERATIONS, calls
        run([fermata, "analyze", "--check", experiment])
        report = json.loads(run([fermata, "report", experiment, "--format=json"]).stdout)
        problem = report["problems"][0]
        cost = sum(symptom["cost"] for symptom in problem["symptoms"]
                   if symptom["metric"] in ("caf_sync_images_wait", "caf_comm_wait_for_progress"))
        assert problem["cause"]["locations"] == [late - 1], problem
        wanted = (waited_in_sync(calls, images) + waited_in_puts(calls, images)) / second
        least = (images - 1) * ITERATIONS * MILLISECONDS / 1000
        assert wanted > least, f"only {wanted} s of waiting are in the trace"
        assert abs(cost - wanted) <= 0.05 * wanted, f"{cost} s of waiting are found instead of {wanted} s"


main()
