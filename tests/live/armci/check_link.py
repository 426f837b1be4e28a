# SPDX-License-Identifier: BSD-3-Clause
"""`fermata link`, and linking by `fermata cc` and `fermata fc`; programs of Global Arrays in C and Fortran
have the functions that they call in the call paths of ARMCI's calls.

usage: check_link.py FERMATA LIBRARY LAUNCHER MPICC [PROGRAM_OF_GLOBAL_ARRAYS MPIFORT]

LIBRARY: openmpi or mpich.
"""
import pathlib
import shlex
import shutil
import sys
import tempfile

import otf2
from otf2.events import Enter, Leave

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "shmem"))

from shmem_archive import run  # noqa: E402


def shown(fermata, command, *words):
    return run([fermata, command, "--show", *words]).stdout.split()


def check_words(fermata, library):
    words = shown(fermata, "link", "mpicc", "-o", "x", "x.o", "-lga", f"-larmci-{library}", "-lm")
    assert words[:7] == ["mpicc", "-o", "x", "x.o", "-lga", f"-larmci-{library}", "-lm"], words
    assert words[7].startswith("-Wl,@") and words[9].endswith("libfermata-link.a"), words
    assert words[8] == "-Wl,--start-group" and words[-1] == "-Wl,--end-group", words
    assert words[10:-1] == ["-lga", f"-larmci-{library}", "-lm"], words
    # Members of archives that are linked as a whole must not be linked twice; `-l NAME` are two words.
    words = shown(fermata, "link", "--", "ld", "-Wl,--whole-archive", "a.a", "-Wl,--no-whole-archive", "b.a",
                  "-l", "c")
    assert words[-4:] == ["b.a", "-l", "c", "-Wl,--end-group"] and words.count("a.a") == 1, words
    words = shown(fermata, "link", "gcc", "-fuse-ld=lld", "x.o", "-larmci")
    assert words[-5:-2] == ["-Wl,--whole-archive", words[-4], "-Wl,--no-whole-archive"], words
    for command in ("cc", "fc"):
        assert "-Wl,--end-group" in shown(fermata, command, "gcc", "x.o", "/usr/lib/libarmci.a")
        assert "-Wl,--end-group" in shown(fermata, command, "gcc", "x.o", "-lga")
        for without in (["-c", "x.c", "-larmci"], ["x.o", "-lm"]):
            assert "-Wl,--end-group" not in shown(fermata, command, "gcc", *without)


def paths_of(archive, prefix):
    """@return the call paths, as tuples of names, of the functions whose names begin so"""
    stacks, paths = {}, set()
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if isinstance(event, Enter):
                stack = stacks.setdefault(location, [])
                stack.append(event.region.name)
                if event.region.name.startswith(prefix):
                    paths.add(tuple(stack))
            elif isinstance(event, Leave):
                stacks[location].pop()
    return paths


def record(fermata, launcher, experiment, program, *options):
    command = [*shlex.split(launcher), "-n", 2, program, *options]
    run(command)  # also without the recorder
    run([fermata, "record", "--sample=off", "-o", experiment, "--", *command])
    assert "0 findings" in run([fermata, "check", experiment]).stdout
    run([fermata, "analyze", "--check", "-q", experiment])
    return paths_of(experiment / "traces.otf2", "ARMCI_")


def check_linked(fermata, library, launcher, mpicc, folder):
    """An object that is linked behind its libraries' usual place, in a group of its own, and by `cc`."""
    run([*shlex.split(mpicc), "-c", HERE / "ending.c", "-o", folder / "ending.o"])
    objects = [folder / "ending.o", "-Wl,--start-group", f"-larmci-{library}", "-Wl,--end-group"]
    ways = {"link": ("link",), "cc": ("cc",), "lld": ("link", "-fuse-ld=lld")}
    if shutil.which("ld.lld") is None:
        ways.pop("lld")
    for name, (command, *options) in ways.items():
        program = folder / name
        run([fermata, command, *shlex.split(mpicc), *options, "-o", program, *objects])
        paths = record(fermata, launcher, folder / f"by-{name}", program, "regular")
        assert any(path[-2:] == ("communicate", "ARMCI_Put") for path in paths), paths
        found = run([fermata, "doctor", "--", program], may_fail=True).stdout
        assert "was linked by `fermata link`" in found, found
    plain = folder / "plain"
    run([*shlex.split(mpicc), "-o", plain, *objects])
    found = run([fermata, "doctor", "--", plain], may_fail=True).stdout
    assert "contains ARMCI, whose calls cannot be recorded" in found, found


def check_arrays(fermata, library, launcher, program, mpifort, folder):
    paths = record(fermata, launcher, folder / "c", program)
    assert any("get_block" in path and "NGA_NbGet" in path for path in paths), paths
    assert any("NGA_Create" in path and path[-1] == "ARMCI_Malloc" for path in paths), paths
    fortran = folder / "arrays"
    run([*shlex.split(mpifort), "-cpp", "-fdefault-integer-8", "-I/usr/include", "-c", HERE / "arrays.f90",
         "-o", folder / "arrays.o"])
    run([fermata, "link", *shlex.split(mpifort), "-o", fortran, folder / "arrays.o", f"-lga-{library}",
         f"-lscalapack-{library}", "-llapack", "-lblas", f"-larmci-{library}"])
    paths = record(fermata, launcher, folder / "fortran", fortran)
    assert any("nga_get_" in path and path[-1].startswith("ARMCI_") for path in paths), paths
    assert any("ga_sync_" in path and path[-1] == "ARMCI_AllFence" for path in paths), paths


def main():
    fermata, library, launcher, mpicc, *arrays = sys.argv[1:]
    check_words(fermata, library)
    with tempfile.TemporaryDirectory() as folder:
        check_linked(fermata, library, launcher, mpicc, pathlib.Path(folder))
        if arrays:
            check_arrays(fermata, library, launcher, *arrays, pathlib.Path(folder))


main()
