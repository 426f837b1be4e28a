#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows programs to `fermata doctor` that can and cannot be recorded.

usage: check_doctor.py FERMATA MPI_PROGRAM CC
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    fermata, program, compiler = sys.argv[1:]
    failures = []

    def expect(status, text, *arguments):
        result = subprocess.run([fermata, "doctor", *arguments], capture_output=True, text=True)
        if result.returncode != status or text not in result.stdout + result.stderr:
            failures.append(f"doctor {arguments}: {result.returncode}, expected {status} and"
                            f" '{text}': {result.stdout}{result.stderr}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "empty.c"
        source.write_text("int MPI_Init(void); int MPI_Init(void) { return 0; }\n"
                          "int PMPI_Init(void); int PMPI_Init(void) { return 0; }\n"
                          "int main(void) { return MPI_Init(); }\n")
        plain = folder / "plain.c"
        plain.write_text("int main(void) { return 0; }\n")
        subprocess.run([compiler, source, "-o", folder / "own_mpi"], check=True)
        static = subprocess.run([compiler, "-static", source, "-o", folder / "static"],
                                capture_output=True).returncode == 0
        shutil.copy(program, folder / "setuid")
        (folder / "setuid").chmod(0o4755)
        (folder / "script").write_text("#!/bin/sh\n")
        (folder / "script").chmod(0o755)
        (folder / "data").write_text("no program")

        for option in ("-g", "-g0", "-s"):
            subprocess.run([compiler, option, plain, "-o", folder / f"program{option}"], check=True)
        subprocess.run([compiler, "-g", "-fno-asynchronous-unwind-tables", "-Wl,--no-eh-frame-hdr",
                        plain, "-o", folder / "without_rules"], check=True)

        # Runtimes of OpenMP that are linked statically are in the program: so are these functions.
        runtime = folder / "runtime.c"
        for function, text in (("GOMP_parallel", "GCC's OpenMP runtime is linked statically into"),
                               ("__kmpc_fork_call", "LLVM's or Intel's OpenMP runtime is linked statically into")):
            runtime.write_text(f"void {function}(void); void {function}(void) {{}}\n"
                               f"int main(void) {{ {function}(); return 0; }}\n")
            subprocess.run([compiler, "-O0", runtime, "-o", folder / function], check=True)
            expect(0, text, "--", folder / function)

        # Sanitizers: shared runtimes of the compiler, where it has them; static ones are in the program.
        for option, text in (("address", "is built with AddressSanitizer: it is recorded"),
                             ("leak", "is built with LeakSanitizer: it is recorded"),
                             ("thread", "is built with ThreadSanitizer: it is recorded")):
            if subprocess.run([compiler, f"-fsanitize={option}", plain, "-o", folder / option],
                              capture_output=True).returncode == 0:
                expect(0, text, "--", folder / option)
        for function, status, text in (("__tsan_init", 0, "its threads are not recorded"),
                                       ("__msan_init", 1, "is built with MemorySanitizer"),
                                       ("__ubsan_handle_add_overflow", 0, "is built with UndefinedBehaviorSanitizer")):
            runtime.write_text(f"void {function}(void); void {function}(void) {{}}\n"
                               f"int main(void) {{ {function}(); return 0; }}\n")
            subprocess.run([compiler, "-O0", runtime, "-o", folder / function], check=True)
            expect(status, text, "--", folder / function)

        expect(0, "samples: ")
        expect(0, "with their lines", "--", folder / "program-g")
        expect(0, "by name, but without lines", "--", folder / "program-g0")
        expect(0, "is stripped: its functions are named by their addresses", "--",
               folder / "program-s")
        expect(0, "has no rules for unwinding", "--", folder / "without_rules")
        expect(0, "clock: ")
        expect(0, " uses ", "--", program)
        expect(1, "linked statically into", folder / "own_mpi")
        if static:
            expect(1, "nothing can be preloaded", folder / "static")
        expect(1, "setuid", folder / "setuid")
        expect(0, "no binary", folder / "script")
        expect(1, "cannot be executed", folder / "data")
        expect(1, "there is no program", folder / "missing")
        expect(2, "there is no option --unknown", "--unknown")
        expect(2, "give one program", "mpirun", program)
        # How much there is to note depends on the machine: on its clock, for one.
        lines = subprocess.run([fermata, "doctor", "--", folder / "program-g"], capture_output=True,
                               text=True).stdout.splitlines()
        notes = sum(line.startswith("note ") for line in lines)
        expect(0, f"\n0 problems, {notes} note{'' if notes == 1 else 's'}\n", "--", folder / "program-g")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
