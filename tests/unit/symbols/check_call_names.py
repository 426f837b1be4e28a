#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fermata-symbols names functions of libraries as the calls of them do: those that a resolver chooses (ifunc) have
no exported name. Functions that are called through pointers keep what names they have, or none.

usage: check_call_names.py FERMATA_SYMBOLS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIBRARY = """
static __attribute__((noinline)) double inner(double x) { return x * x; }
static double chosen(double x) { return inner(x) + 1; }
static double (*resolve(void))(double) { return chosen; }
double choose(double x) __attribute__((ifunc("resolve")));
double (*pointer(void))(double) { return chosen; }
double alias(double x) __attribute__((alias("named")));
double named(double x) { return inner(x) + 2; }
"""
PROGRAM = """
double choose(double), alias(double), (*pointer(void))(double);
static double (*function)(double);
void calls_choose(double *x) { *x = choose(*x) + 1; }
void calls_alias(double *x) { *x = alias(*x) + 1; }
void calls_pointer(double *x) { *x = function(*x) + 1; }
__attribute__((noinline)) void calls_itself(double *x) { if (*x > 1) { *x -= 1; calls_itself(x); *x += 1; } }
int main(void) { double x = 2; function = pointer(); calls_choose(&x); calls_alias(&x); calls_pointer(&x);
                 calls_itself(&x); return x < 0; }
"""
WAYS = {"lazy": ["-Wl,-z,lazy"], "now": ["-Wl,-z,now"], "no stubs": ["-fno-plt"], "fixed": ["-no-pie", "-fno-pie"]}
CALLS = {"x86_64": r"call\w*", "aarch64": r"blr?"}


def run(*command, **arguments):
    return subprocess.run(command, check=True, capture_output=True, text=True, **arguments).stdout


def build(tools, folder, name, source, *options):
    """Builds a file with symbols, and without. @return the latter, {function: address}"""
    whole, stripped = folder / f"{name}.whole", folder / name
    run(f"{tools}gcc", "-O1", "-g0", "-fno-optimize-sibling-calls", "-x", "c", "-o", str(whole), "-", "-x", "none",
        *options, input=source)
    run(f"{tools}strip", "-o", str(stripped), str(whole))
    symbols = (line.split() for line in run(f"{tools}nm", str(whole)).splitlines())
    return stripped, {fields[2]: int(fields[0], 16) for fields in symbols if len(fields) == 3}


def last_byte_of_call(tools, path, begin, call):
    """The last byte of the first call instruction at an address or behind it."""
    lines = run(f"{tools}objdump", "-d", f"--start-address={begin:#x}", f"--stop-address={begin + 200:#x}", str(path))
    addresses = re.findall(r"^\s*([0-9a-f]+):\t[0-9a-f ]+\t(\S+)", lines, re.MULTILINE)
    for (_, operation), (behind, _) in zip(addresses, addresses[1:]):
        if re.fullmatch(call, operation):
            return int(behind, 16) - 1
    raise AssertionError(lines)


def check(symbols, tools, call, options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        library, inside = build(tools, folder, "libchosen.so", LIBRARY, "-fPIC", "-shared")
        program, callers = build(tools, folder, "program", PROGRAM, *options, "-L", str(folder), "-lchosen")
        calls = {caller: last_byte_of_call(tools, folder / "program.whole", callers[caller], call)
                 for caller in ("calls_choose", "calls_alias", "calls_pointer", "calls_itself")}
        # (binary of the function, function, call) -> name; the program's code is its own, whatever it is called
        expected = {(1, inside["chosen"], calls["calls_choose"]): "choose",
                    (1, inside["chosen"], calls["calls_pointer"]): None,
                    (1, inside["named"], calls["calls_pointer"]): "named",
                    (0, callers["calls_itself"], calls["calls_itself"]): None,
                    (1, inside["chosen"], callers["calls_choose"]): None}
        # Those of libraries have the names by which they are called, also where they have other ones.
        runtime, _ = build(tools, folder, "libm.so.6", LIBRARY, "-fPIC", "-shared")
        expected[(2, inside["named"], calls["calls_alias"])] = "alias"
        questions = [f"M - {path}" for path in (program, library, runtime)]
        questions += [f"T {binary} {function:x} 0 {address:x}" for binary, function, address in expected]
        answers = run(symbols, input="\n".join(questions) + "\n").split(".\n")
        found = [answer.split("\t")[1] if answer.startswith("F ") else None for answer in answers[:len(expected)]]
        # Two names of one address: the table of symbols has no first one.
        found = ["named" if name == "alias" and list(expected.values())[i] == "named" else name
                 for i, name in enumerate(found)]
        assert found == list(expected.values()), (options, found, expected)


def main():
    checked = 0
    for tools in ("", "aarch64-linux-gnu-"):
        processor = run(f"{tools}gcc", "-dumpmachine").split("-")[0] if shutil.which(f"{tools}gcc") else ""
        for way, options in WAYS.items() if processor in CALLS else ():
            if not (way == "no stubs" and processor == "aarch64"):  # an instruction before the call loads the address
                check(sys.argv[1], tools, CALLS[processor], options)
                checked += 1
    sys.exit(0 if checked else 77)


main()
