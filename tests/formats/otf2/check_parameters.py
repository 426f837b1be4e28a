# SPDX-License-Identifier: BSD-3-Clause
"""`fermata check` finds values of parameters that are not defined or have another type, in an archive of
random events.

usage: check_parameters.py FERMATA WRITE_RANDOM_EVENTS"""

import os
import re
import subprocess
import sys
import tempfile


def main():
    fermata, write = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "random")
        subprocess.run([write, archive, "5", "12000"], check=True)
        done = subprocess.run([fermata, "check", "--max", "1000000", archive], text=True,
                              capture_output=True, timeout=300)
    assert done.returncode == 1, done.stderr
    names = "ParameterString|ParameterInt|ParameterUnsignedInt"
    missing = re.findall(rf"({names}) of parameter (\d+), which is not defined", done.stdout)
    other = re.findall(rf"({names}) of parameter (\d+), which is defined with another type", done.stdout)
    # write_random_events.c defines 0 to 5, of the types text, signed and unsigned in turn.
    assert {int(number) for _, number in missing} == {6, 7}, missing
    types = ["ParameterString", "ParameterInt", "ParameterUnsignedInt"]
    expected = {(name, number) for name in types for number in range(6)
                if types[number % 3] != name}
    assert {(name, int(number)) for name, number in other} == expected, other


main()
