# SPDX-License-Identifier: BSD-3-Clause
"""Records a program in Fortran or C++ and looks for its constructs at their lines.

usage: check_languages.py FERMATA SOURCE PROGRAM OUTPUT CONSTRUCT:MARK:VISITS...
"""
import pathlib
import sys
import tempfile

from openmp_archive import Archive, marked_lines, run


def text_marks(source):
    """@return the lines of the marks, which stand behind ! or //"""
    lines = marked_lines(source)
    for number, text in enumerate(source.read_text().splitlines(), 1):
        if "// LINE " in text:
            lines[text.split("// LINE ")[1].split()[0]] = number
    return lines


def main():
    fermata, source, program, output = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    lines = text_marks(source)
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([fermata, "record", "--sample=off", "-o", experiment, "--", program])
        assert recorded.stdout == output + "\n", recorded.stdout
        run([fermata, "check", experiment])
        run([fermata, "analyze", "--check", experiment])
        archive = Archive(experiment)
    for expected in sys.argv[5:]:
        construct, mark, visits = expected.split(":")
        name = f"!$omp {construct} @{source.name}:{lines[mark]}" if mark else construct
        found = len(archive.of(name))
        assert found == int(visits), (name, found, sorted(archive.names()))


main()
