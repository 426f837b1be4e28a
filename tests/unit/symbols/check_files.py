# SPDX-License-Identifier: BSD-3-Clause
"""fermata-symbols names source files by their whole paths, however the compiler was called: the recorder reads
them when it runs elsewhere. Functions of libraries that programs use have the library instead.

usage: check_files.py FERMATA_SYMBOLS
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = """#include "inner.h"
int outer(int x);
int outer(int x) { return inner(x) + 1; }
int main(void) { return outer(-1); }
"""
HEADER = "static inline __attribute__((always_inline)) int inner(int x) { return x * x; }\n"


def run(*command, **arguments):
    return subprocess.run(command, check=True, capture_output=True, text=True, **arguments).stdout


def files_of(helper, program):
    """The files of the function `outer` and of all that is inlined into it."""
    line = next(line for line in run("nm", program).splitlines() if line.endswith(" outer"))
    begin = int(line.split()[0], 16)
    questions = [f"M - {program}"] + [f"S 0 {begin:x} {begin + i:x}" for i in range(8)]
    answers = run(helper, input="\n".join(questions) + "\n").splitlines()
    return {name for answer in answers if answer.startswith("F ") for name in answer.split("\t")[3:] if name}


def file_of_exported(helper, library, function):
    line = next(line for line in run("nm", "-D", library).splitlines() if line.split("@")[0].endswith(" " + function))
    begin = line.split()[0]
    answers = run(helper, input=f"M - {library}\nS 0 {begin} {begin}\n").splitlines()
    return next(answer for answer in answers if answer.startswith("F ")).split("\t")[3]


def check_libraries(helper, root):
    """Runtimes of languages wherever they are; other libraries by their folder (not the program's own)."""
    installed = run("gcc", "-print-file-name=libm.so.6").strip()
    assert file_of_exported(helper, installed, "cbrt") == "libm.so.6"
    (root / "part.c").write_text("double cbrt(double x);\ndouble cbrt(double x) { return x; }\n")
    for name, options, file in (("libm.so.6", [], "libm.so.6"), ("libpart.so", [], ""),
                                ("libpart.so", ["-g"], str(root / "part.c"))):
        run("gcc", *options, "-shared", "-fPIC", "-o", name, "part.c", cwd=root)
        found = file_of_exported(helper, root / name, "cbrt")
        assert found == file, (name, options, found)


def check_names(helper, root):
    """Instances of templates with a local class have no linkage name; their names are shortened, too."""
    (root / "local.cpp").write_text("""#include <vector>
        template <typename List, typename Body> __attribute__((noinline)) void each(List &list, Body body)
        { for (auto &item : list) { body(item); } }
        int main() { std::vector<std::vector<int>> list(3); each(list, [](std::vector<int> &x) { x.clear(); }); }""")
    run("g++", "-g", "-O1", "-o", "local", "local.cpp", cwd=root)
    line = next(line for line in run("nm", root / "local").splitlines() if "_Z4each" in line)
    begin = line.split()[0]
    answers = run(helper, input=f"M - {root / 'local'}\nS 0 {begin} {begin}\n").splitlines()
    name = next(answer for answer in answers if answer.startswith("F ")).split("\t")[1]
    assert name.startswith("each<std::vector<std::vector<int>>"), answers


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        (root / "src").mkdir()
        source, header = root / "src" / "outer.c", root / "src" / "inner.h"
        source.write_text(SOURCE)
        header.write_text(HEADER)
        expected = {str(source), str(header)}
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                continue
            for version in (4, 5):
                for name in (str(source), "src/outer.c", "./src/outer.c"):
                    run(compiler, f"-gdwarf-{version}", "-O1", "-o", "program", name, cwd=root)
                    found = files_of(sys.argv[1], root / "program")
                    assert str(source) in found and found <= expected, (compiler, version, name, found)
                run(compiler, f"-gdwarf-{version}", "-O1", "-o", "../program", "outer.c", cwd=root / "src")
                found = files_of(sys.argv[1], root / "program")
                assert str(source) in found and found <= expected, (compiler, version, found)
        check_libraries(sys.argv[1], root)
        if shutil.which("g++") is not None:
            check_names(sys.argv[1], root)


main()
