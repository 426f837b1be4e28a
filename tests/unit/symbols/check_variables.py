# SPDX-License-Identifier: BSD-3-Clause
"""fermata-symbols names the variables at addresses: their elements, members and places by debug information,
which may be in a separate file, else by their symbols.

usage: check_variables.py FERMATA_SYMBOLS
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# Per source: compilers, and [symbol (pattern), offset of what is asked for as (another symbol's size, n), answer].
C = [
    ("plain", "0", "plain (variables.c:14)"),
    ("table", "0", "table[0] (variables.c:15)"),
    ("table", "size / 4", "table[1] (variables.c:15)"),
    ("table", "size / 4 * 3 + 8", "table[3]+8 (variables.c:15)"),
    ("grid", "size / 6 * 5", "grid[1][2] (variables.c:17)"),
    ("queues", "0", "queues[0] (variables.c:16)"),
    ("queues", "size / 3", "queues[1] (variables.c:16)"),
    ("queues", "size / 3 * 2 + 16", "queues[2].inner.guard (variables.c:16)"),
    ("queues", "size / 3 - 48", "queues[0].conditions[1] (variables.c:16)"),
    ("shared", "8", "shared+8 (variables.c:21)"),
    (r"inside\.\d+|main\.inside|inside", "0", "inside (variables.c:25)"),
]
CXX = [
    ("_ZN5store5Owner3allE", "0", "store::Owner::all (variables.cpp:18)"),
    ("_ZN5store12_GLOBAL__N_1L?6tablesE", "size / 2 + 8",
     "store::(anonymous namespace)::tables[1].guard (variables.cpp:15)"),
    ("_ZN5store12_GLOBAL__N_1L?6tablesE", "size / 2 + 56",
     "store::(anonymous namespace)::tables[1].lock (variables.cpp:15)"),
    ("_ZZ4mainE6inside", "0", "main::inside (variables.cpp:25)"),
]
# Without debug information.
PLAIN = [("table", "size / 4", "table+40"), ("plain", "0", "plain"), ("queues", "size / 3", None)]


def run(*command, **arguments):
    return subprocess.run(command, check=True, capture_output=True, text=True, **arguments).stdout


def symbols_of(program):
    """{name: (address, size)}"""
    lines = [line.split() for line in run("nm", "-S", program).splitlines()]
    return {line[3]: (int(line[0], 16), int(line[1], 16)) for line in lines if len(line) == 4}


def ask(helper, program, addresses):
    questions = [f"M - {program}"] + [f"V 0 {address:x}" for address in addresses]
    answers = run(helper, input="\n".join(questions) + "\n").split(".\n")[:-1]
    return [answer[2:].rstrip("\n") if answer.startswith("V ") else None for answer in answers]


def check(helper, program, symbols, expected):
    addresses, wanted = [], []
    for pattern, offset, answer in expected:
        names = [name for name in symbols if re.fullmatch(pattern, name)]
        assert len(names) == 1, (pattern, sorted(symbols))
        address, size = symbols[names[0]]
        addresses.append(address + int(eval(offset.replace("/", "//"), {"size": size})))
        wanted.append(f"queues+{size // 3}" if answer is None else answer)
    # A static member: some compilers name the line of its declaration, others that of its definition.
    found = [answer and answer.replace("cpp:20", "cpp:18") for answer in ask(helper, program, addresses)]
    assert found == wanted, "\n".join(f"{is_!r} instead of {should!r}" for is_, should in zip(found, wanted)
                                      if is_ != should)


def main():
    helper = sys.argv[1]
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for compiler, source, expected in (("gcc", "variables.c", C), ("clang", "variables.c", C),
                                           ("g++", "variables.cpp", CXX), ("clang++", "variables.cpp", CXX)):
            if shutil.which(compiler) is None:
                continue
            program = folder / compiler
            run(compiler, "-g", "-O1", HERE / source, "-o", program, "-pthread")
            symbols = symbols_of(program)
            check(helper, program, symbols, expected)
            checked += 1
            if source == "variables.c":
                separate, stripped = folder / f"{compiler}.debug", folder / f"{compiler}-stripped"
                run("objcopy", "--only-keep-debug", program, separate)
                run("objcopy", "--strip-all", f"--add-gnu-debuglink={separate}", program, stripped)
                check(helper, stripped, symbols, expected)
                bare = folder / f"{compiler}-bare"
                run("objcopy", "--strip-debug", program, bare)
                check(helper, bare, symbols, PLAIN)
                assert ask(helper, bare, [1]) == [None]
    assert checked, "no compiler"


main()
