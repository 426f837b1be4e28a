# SPDX-License-Identifier: BSD-3-Clause
"""`fermata record|run --dry-run`: tells environment, place and command, and does nothing.

usage: check_dry_run.py FERMATA
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FERMATA = sys.argv[1]
MARKS = ("NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64")  # set unless another tool has set them
RANKS = ("OMPI_", "PMIX_", "PMI_")
JOBS = ("SLURM_", "PBS_", "LSB_", "FLUX_", "COBALT_", "SGE_", "JOB_")


def dry_run(folder, *arguments, **variables):
    clean = {name: text for name, text in os.environ.items()
             if not name.startswith(("FERMATA_", "LD_PRELOAD") + MARKS + RANKS + JOBS)}
    clean |= {"HOME": str(folder), "XDG_CONFIG_HOME": ""}
    return subprocess.run([FERMATA, *arguments], cwd=folder, env=clean | variables, text=True,
                          capture_output=True, check=False)


def settings(done):
    """Value and origin of each setting."""
    lines = done.stdout.split("environment:\n")[0].splitlines()
    assert done.returncode == 0 and lines[0] == "settings:", done
    return {name: (text, origin) for name, text, origin in
            (re.fullmatch(r"  ([a-z-]+) = (.+) \((.+)\)", line).groups() for line in lines[1:])}


def parts(done):
    """Variables, place and words of the command; checks the layout on the way."""
    assert done.returncode == 0 and done.stderr == "", done
    lines = done.stdout.splitlines()
    lines = lines[lines.index("environment:"):]
    assert lines[-2].startswith("experiment: ") and lines[-1].startswith("command: "), done.stdout
    assert all(line.startswith("  ") for line in lines[1:-2]), done.stdout
    variables = dict(shlex.split(line)[0].split("=", 1) for line in lines[1:-2])
    for name in MARKS:
        library = variables.pop(name)
        assert library.endswith("/libfermata-marks.so") and os.path.isfile(library), library
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

    done = dry_run(
        folder, "record", "--dry-run", "-o", "it's there", "--memory", "2M", "--progress", "async",
        "--callpath=depth=3", "--sample", "1kHz", "--verbose", "--", *command,
        LD_PRELOAD="libm.so.6", FERMATA_FLUSH_INTERVAL="0.5", FERMATA_TOTAL_MEMORY="3M",
        FERMATA_VERBOSE="no",
        # Of a sanitized build, which wants to be first.
        ASAN_OPTIONS=f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0")
    variables, place, _ = parts(done)
    assert variables == {
        "FERMATA_CALLPATH": "depth=3", "FERMATA_EXPERIMENT_DIRECTORY": f"{folder}/it's there",
        "FERMATA_FLUSH_INTERVAL": "0.5", "FERMATA_PROGRESS": "async",
        "FERMATA_SAMPLE": "1kHz", "FERMATA_TOTAL_MEMORY": "2M", "FERMATA_VERBOSE": "1",
        "LD_PRELOAD": f"libm.so.6:{preload}"}, variables
    assert place == f"{folder}/it's there", place
    assert settings(done) == settings(done) | {
        "output": (r"'it'\''s there'", "--output"), "memory": ("2M", "--memory"),
        "flush-interval": ("0.5", "FERMATA_FLUSH_INTERVAL"), "verbose": ("yes", "--verbose"),
        "clock-exchange": ("auto", "default")}, settings(done)

    done = dry_run(folder, "record", "--dry-run", "--marks=off", "--", *command, NVTX_INJECTION64_PATH="other.so")
    assert "other.so" in done.stdout and "libfermata-marks" not in done.stdout and done.stderr == "", done

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


def check_filter(folder):
    """A filter is read by processes anywhere; one that cannot be applied is told before the run."""
    rules = folder / "rules"
    rules.write_text("REGION_NAMES_BEGIN EXCLUDE a REGION_NAMES_END")
    arguments = ("record", "--dry-run", "--filter")
    variables, _, _ = parts(dry_run(folder, *arguments, "rules", "--min-duration", "1us", "ls"))
    assert variables["FERMATA_FILTERING_FILE"] == str(rules), variables
    assert variables["FERMATA_MIN_DURATION"] == "1us", variables
    rules.write_text("REGION_NAMES_BEGIN\nEXCLUDE a")
    for file, message in (("rules", "rules:1: the block that begins here has no REGION_NAMES_END"),
                          ("nothing", "cannot read the filter nothing")):
        done = dry_run(folder, *arguments, file, "ls")
        assert done.returncode == 2 and message in done.stderr, done


def check_configuration(folder):
    """A file's settings count behind options and variables; its mistakes are told."""
    file = folder / ".fermata.conf"
    file.write_text("memory = 1M\nsample = 100Hz # often\noutput = runs\n")
    (folder / "runs").mkdir()
    arguments = ("record", "--dry-run", "--memory=5M")
    done = dry_run(folder, *arguments, "--", "ls", FERMATA_SAMPLE="7Hz")
    variables, place, _ = parts(done)
    assert variables["FERMATA_TOTAL_MEMORY"] == "5M" and variables["FERMATA_SAMPLE"] == "7Hz"
    assert place == f"{folder}/runs (exists: the name will get a number)", place
    assert settings(done)["output"] == ("runs", ".fermata.conf:3"), settings(done)
    named = folder / "named"
    named.write_text("verbose = yes")
    done = dry_run(folder, *arguments, "--config", "named", "--", "ls")
    assert settings(done)["verbose"] == ("yes", "named:1"), settings(done)
    assert settings(done)["output"] == ("a new name", "default"), settings(done)
    done = dry_run(folder, *arguments, "--verbose=no", "--", "ls", FERMATA_CONFIG=str(named))
    assert settings(done)["verbose"] == ("no", "--verbose"), settings(done)
    assert parts(done)[0]["FERMATA_VERBOSE"] == "0"

    for text, message in (("memory = much", "named:1: memory needs a size such as 64M"),
                          ("memry = 1M", "named:1: 'memry' is no setting; see fermata record --help"),
                          ("a\033[31m = b", "named:1: 'a?[31m' is no setting; see fermata record "
                                            "--help")):
        named.write_text(text)
        for option in (), ("--dry-run",):
            done = dry_run(folder, "record", "--config", "named", *option, "touch", "it ran")
            assert (done.returncode, done.stdout) == (2, ""), done
            assert done.stderr == f"fermata record: {message}\n", done.stderr
    done = dry_run(folder, *arguments, "--config", "none", "ls")
    assert done.returncode == 4 and "none: No such file or directory" in done.stderr, done
    for option, message in (("--sample=soon", "--sample needs a frequency from"),
                            ("--output=", "--output needs a value"),
                            ("--nonsense", "there is no option --nonsense; see fermata")):
        done = dry_run(folder, "record", option, "touch", "it ran")
        assert done.returncode == 2 and message in done.stderr, done
    assert not (folder / "it ran").exists()


with tempfile.TemporaryDirectory() as temporary:
    check_configuration(pathlib.Path(temporary).resolve())
with tempfile.TemporaryDirectory() as temporary:
    check(pathlib.Path(temporary).resolve())
with tempfile.TemporaryDirectory() as temporary:
    check_filter(pathlib.Path(temporary).resolve())
