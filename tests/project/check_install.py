# SPDX-License-Identifier: BSD-3-Clause
"""Installs fermata into a folder of its own, moves that, and uses it as others would: programs in C,
C++ and Fortran are built with what pkg-config tells, run without the recorder, and with it.

usage: check_install.py --cmake CMAKE --build FOLDER --cc CC [--cxx CXX] [--fortran FC]
                        [--mpicc MPICC --mpirun MPIRUN]

With MPICC, only the recording of a program of MPI.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 300  # seconds
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]

EVERYTHING = """
#include <fermata/fermata.h>
#include <stddef.h>
static void work(int depth)
{
    FERMATA_SCOPE("work");
    FERMATA_SCOPE("inside of it");
    if (depth > 0)
        work(depth - 1);
}
int main(void)
{
    int i;
    FERMATA_BEGIN("main");
    for (i = 0; i < 3; i++) {
        FERMATA_ITERATION("step");
        FERMATA_PARAMETER_INT("i", i);
        FERMATA_PARAMETER_STRING("name", "value");
        FERMATA_COUNTER_INT("cells", "", FERMATA_TOTAL, i);
        FERMATA_COUNTER_DOUBLE("residual", "", FERMATA_LEVEL, 0.5);
        if (i == 1)
            continue;
        work(i);
    }
    FERMATA_ITERATIONS_END("step");
    for (i = 0; i < 2; i++) {
        FERMATA_PHASE_SCOPE("phase");
        fermata_marker("in a phase");
    }
    FERMATA_PHASE_BEGIN("more");
    FERMATA_PHASE_END("more");
    FERMATA_END("main");
    return 0;
}
"""

FORTRAN = """
program p
    use fermata
    implicit none
    type(fermata_region), save :: work
    call fermata_region_begin(work, 'work')
    call fermata_region_end(work)
end program p
"""

MPI = """
#include <fermata/fermata.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    FERMATA_BEGIN("marked up");
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
"""

TRACE = """
#include <fermata/trace.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char why[256];
    fermata_trace_t *trace = fermata_trace_open(argv[argc - 1], 1, why, sizeof why);
    const int64_t *enter;
    const char *const *names;
    fermata_frame_t frames[1];
    size_t calls;
    if (trace == NULL) {
        fprintf(stderr, "%s\\n", why);
        return 1;
    }
    calls = fermata_trace_find_table(trace, "calls");
    enter = fermata_trace_int64(trace, "calls", "enter");
    names = fermata_trace_text(trace, "regions", "name");
    printf("%d %s %lu\\n", fermata_trace_version(), names[0],
           (unsigned long)fermata_trace_rows(trace, calls));
    if (enter == NULL || fermata_trace_int32(trace, "calls", "enter") != NULL ||
        fermata_trace_int64(trace, "calls", "nothing") != NULL ||
        fermata_trace_find_table(trace, "nothing") != fermata_trace_tables(trace)) {
        return 2;
    }
    if (fermata_trace_stack(trace, 0, enter[0], frames, 1) != 2 || frames[0].row != 0 ||
        strcmp(frames[0].table, "functions") != 0 ||
        fermata_trace_stack(trace, 1, enter[0], NULL, 0) != 0 ||
        fermata_trace_queue(trace, 0, enter[0], NULL, 0) != 0) {
        return 3;
    }
    fermata_trace_close(trace);
    return 0;
}
"""

PATTERN = """
#include <fermata/pattern.h>
static void take(fermata_location_t *at, const fermata_event_t *event)
{
    fermata_report(at, event, 1);
}
static const fermata_subscription_t subscriptions[] = {{"call", take}, {NULL, NULL}};
const fermata_pattern_t fermata_pattern = {
    FERMATA_PATTERN_VERSION, "own", "Own", "occurrences", NULL, "d.", NULL, NULL, "low", NULL,
    subscriptions, 0, NULL, NULL, NULL, NULL};
"""

SCENARIO = """unit 1
ranks 1
0 0 enter main
1 0 enter MPI_Test
2 0 leave MPI_Test
3 0 leave main
"""


class Failure(Exception):
    """A command that should have worked."""


def run(command, **settings):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", **settings)
    done = subprocess.run([str(word) for word in command], env=environment, timeout=TIMEOUT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"exit code {done.returncode}: {' '.join(map(str, command))}\n"
                      f"{done.stdout}{done.stderr}")
    return done.stdout


class Installed:
    """The installed tree, and programs built with it."""

    def __init__(self, prefix, folder):
        self.prefix, self.folder, self.programs = prefix, folder, 0
        (self.pkg_config,) = prefix.rglob("pkgconfig")

    def flags(self, *options, package="fermata"):
        return run(["pkg-config", *options, package], PKG_CONFIG_PATH=str(self.pkg_config)).split()

    def build(self, compiler, suffix, text, *words):
        """Builds and runs a program; a word `LIBS` stands for what it links."""
        self.programs += 1
        source = self.folder / f"program{self.programs}{suffix}"
        source.write_text(text)
        program = source.with_suffix("")
        run([*compiler, *self.flags("--cflags"), source, "-o", program, *words])
        return program


def check_licences(installed):
    """A package made of the installed tree has the licences of fermata and of the viewer in it."""
    folder = installed.prefix / "share" / "doc" / "fermata"
    for source in (ROOT / "LICENSE", ROOT / "web" / "LICENSES.md"):
        copy = folder / source.name
        if not copy.is_file() or copy.read_bytes() != source.read_bytes():
            raise Failure(f"{source.name} is not installed in share/doc/fermata")


def check_languages(installed, options):
    libs = installed.flags("--libs")
    for standard in ("c99", "gnu17"):
        compiler = [options.cc, f"-std={standard}", "-pedantic", *STRICT]
        run([installed.build(compiler, ".c", EVERYTHING, *libs)])
        run([installed.build(compiler, ".c", EVERYTHING, "-DFERMATA_DISABLE")])
    # Without dynamic loading there is nothing to be found, and nothing to complain about.
    run([installed.build([options.cc, "-static", *STRICT], ".c", EVERYTHING, *libs)])
    for standard in ("c++98", "c++20") if options.cxx else ():
        compiler = [options.cxx, f"-std={standard}", "-pedantic", *STRICT]
        run([installed.build(compiler, ".cc", EVERYTHING, *libs)])
        run([installed.build(compiler, ".cc", EVERYTHING, "-DFERMATA_DISABLE")])
    if options.fortran:
        module = installed.flags("--cflags", "--libs", package="fermata-fortran")
        run([installed.build([options.fortran], ".f90", FORTRAN, *module)])
        # As with any other compiler than the one that fermata was built with.
        source = next(installed.prefix.rglob("fermata.f90"))
        compiler = [options.fortran, f"-J{installed.folder}", source]
        run([installed.build(compiler, ".f90", FORTRAN, *libs)])


def check_trace(installed, options):
    """Programs in C and C++, and Python, read an archive with the installed library."""
    fermata, archive = installed.prefix / "bin" / "fermata", installed.folder / "archive"
    scenario = installed.folder / "one.scn"
    scenario.write_text(SCENARIO)
    run([fermata, "synth", scenario, "-o", archive])
    (library,) = installed.prefix.rglob("libfermata-trace.so")
    words = [f"-L{library.parent}", f"-Wl,-rpath,{library.parent}", "-lfermata-trace"]
    for compiler, suffix in ((options.cc, ".c"), (options.cxx, ".cc")):
        if compiler:
            strict = [compiler, "-std=c99" if suffix == ".c" else "-std=c++11", "-pedantic", *STRICT]
            program = installed.build(strict, suffix, TRACE, *words)
            if run([program, archive]).split()[::2] != ["2", "1"]:
                raise Failure(f"a program in {suffix} reads something else")
    (module,) = installed.prefix.rglob("fermata/__init__.py")
    found = run([sys.executable, "-B", "-c", "import fermata, sys; trace = fermata.Trace(sys.argv[1]);"
                 "print(len(trace.calls), trace.calls[0].region.name)", archive],
                PYTHONPATH=str(module.parent.parent))
    if found.split() != ["1", "MPI_Test"]:
        raise Failure(f"the installed Python module reads {found}")


def check_pattern(installed, options):
    """The header of patterns is one of C and of C++."""
    for compiler, suffix, standard in ((options.cc, ".c", "c99"), (options.cxx, ".cc", "c++98")):
        if compiler:
            strict = [compiler, f"-std={standard}", "-pedantic", *STRICT, "-shared", "-fPIC", "-Wno-long-long"]
            installed.build(strict, suffix, PATTERN)


def check_recording(installed, options):
    program = installed.build([options.mpicc], ".c", MPI, *installed.flags("--libs"))
    fermata = installed.prefix / "bin" / "fermata"
    experiment = installed.folder / "experiment"
    run([fermata, "record", "-o", experiment, "--", options.mpirun, "-n", "2", program])
    info = json.loads(run([fermata, "info", "--format=json", experiment]))
    visits = {region["name"]: region["visits"] for region in info["regions"]}
    if visits.get("marked up") != 2:
        raise Failure(f"the installed recorder saw {visits}")
    # The program of a ping-pong is installed, too.
    shown = json.loads(run([fermata, "counters", "calibrate", "SEND", "-n", "1", "--format=json", "--", options.mpirun,
                            "-n", "2"], OMPI_MCA_mpi_yield_when_idle="1"))
    if len(shown["ping_pong"]["variants"]) != 3:
        raise Failure(f"the installed ping-pong has measured {shown}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--cmake", "--build", "--cc"):
        parser.add_argument(name, required=True)
    parser.add_argument("--without-trace", action="store_true")
    for name in ("--cxx", "--fortran", "--mpicc", "--mpirun"):
        parser.add_argument(name)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-install-") as name:
        folder = pathlib.Path(name)
        try:
            run([options.cmake, "--install", options.build, "--prefix", folder / "first"])
            (folder / "first").rename(folder / "moved")
            installed = Installed(folder / "moved", folder)
            if options.mpicc:
                check_recording(installed, options)
                return
            check_licences(installed)
            check_languages(installed, options)
            check_pattern(installed, options)
            if not options.without_trace:
                check_trace(installed, options)
        except Failure as failure:
            sys.exit(str(failure))


main()
