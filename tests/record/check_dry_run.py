"""`fermata record|run --dry-run`: tells environment, place and command, and does nothing.

usage: check_dry_run.py FERMATA
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

FERMATA = sys.argv[1]
RANKS = ("OMPI_", "PMIX_", "PMI_")
JOBS = ("SLURM_", "PBS_", "LSB_", "FLUX_", "COBALT_", "SGE_", "JOB_")


def dry_run(folder, *arguments, **variables):
    clean = {name: text for name, text in os.environ.items()
             if not name.startswith(("FERMATA_", "LD_PRELOAD") + RANKS + JOBS)}
    return subprocess.run([FERMATA, *arguments], cwd=folder, env=clean | variables, text=True,
                          capture_output=True, check=False)


def parts(done):
    """Variables, place and words of the command; checks the layout on the way."""
    assert done.returncode == 0 and done.stderr == "", done
    lines = done.stdout.splitlines()
    assert lines[0] == "environment:", done.stdout
    assert lines[-2].startswith("experiment: ") and lines[-1].startswith("command: "), done.stdout
    assert all(line.startswith("  ") for line in lines[1:-2]), done.stdout
    variables = dict(shlex.split(line)[0].split("=", 1) for line in lines[1:-2])
    return variables, lines[-2].removeprefix("experiment: "), shlex.split(lines[-1])[1:]


def check(folder):
    command = ["touch", "it ran", "isn't it", ""]
    for name in ("record", "run"):
        variables, place, words = parts(dry_run(folder, name, "--dry-run", "--", *command))
        preload = variables.pop("LD_PRELOAD")
        assert preload.endswith("/libfermata-preload.so") and os.path.isfile(preload), preload
        assert variables == {}, variables
        assert place == f"{folder}/fermata-<app>-<ranks>x<threads>-<time>", place
        assert words == command, words

    variables, place, _ = parts(dry_run(
        folder, "record", "--dry-run", "-o", "there", "--memory", "2M", "--progress", "async",
        "--callpath=depth=3", "--sample", "1kHz", "--verbose", "--", *command,
        LD_PRELOAD="libm.so.6", FERMATA_FLUSH_INTERVAL="it's no number",
        # Of a sanitized build, which wants to be first.
        ASAN_OPTIONS=f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"))
    assert variables == {
        "FERMATA_CALLPATH": "depth=3", "FERMATA_EXPERIMENT_DIRECTORY": f"{folder}/there",
        "FERMATA_FLUSH_INTERVAL": "it's no number", "FERMATA_PROGRESS": "async",
        "FERMATA_SAMPLE": "1kHz", "FERMATA_TOTAL_MEMORY": "2M", "FERMATA_VERBOSE": "1",
        "LD_PRELOAD": f"libm.so.6:{preload}"}, variables
    assert place == f"{folder}/there", place

    _, place, _ = parts(dry_run(folder, "record", "--dry-run", "--", *command,
                                SLURM_JOB_ID="4711"))
    assert place == f"{folder}/fermata-<app>-<ranks>x<threads>-job4711-<time>", place
    assert os.listdir(folder) == [], os.listdir(folder)

    (folder / "there").mkdir()
    _, place, _ = parts(dry_run(folder, "record", "--dry-run", "--", *command,
                                FERMATA_EXPERIMENT_DIRECTORY="there"))
    assert place == f"{folder}/there (exists: the name will get a number)", place
    done = dry_run(folder, "record", "--dry-run", "-o", "there", "--", *command)
    assert done.returncode != 0 and done.stdout == "", done
    assert "there exists; an experiment is never overwritten" in done.stderr, done.stderr
    assert os.listdir(folder) == ["there"] and os.listdir(folder / "there") == []


with tempfile.TemporaryDirectory() as temporary:
    check(pathlib.Path(temporary).resolve())
