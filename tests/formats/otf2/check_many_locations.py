# SPDX-License-Identifier: BSD-3-Clause
"""Archives of more locations than one OTF2 reader is told of: each location is read by a reader of its
part, and what is wrong with one of them is said of this one only.

usage: check_many_locations.py FERMATA SYNTHESIZE_SOR
"""

import os
import subprocess
import sys
import tempfile

RANKS = 1200  # three parts
CUT = {"700.def": "location 700 ", "1000.evt": "location 1000 ", "1199.evt": "location 1199 "}


def run(status, *command):
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def main():
    fermata, synthesize = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        run(0, synthesize, "--ranks", str(RANKS), "--iterations", "3", trace)
        whole = run(0, fermata, "check", trace).stdout
        events = int(whole.split(", ")[1].split()[0])
        assert f"{RANKS} locations" in whole, whole
        assert f"analysed {events} events of {RANKS} locations" in \
            run(0, fermata, "analyze", trace).stdout
        assert f"{RANKS} locations" in run(0, fermata, "info", trace).stdout

        for name in CUT:
            path = os.path.join(trace, "traces", name)
            os.truncate(path, os.path.getsize(path) - 20)
        findings = run(1, fermata, "check", trace).stdout.splitlines()[:-1]
        for location in CUT.values():
            assert any(line.startswith(location) for line in findings), findings
        for line in findings:
            assert line.startswith(tuple(CUT.values())), line
        done = run(0, fermata, "analyze", "-j3", trace)
        assert f"of {RANKS} locations" in done.stdout, done.stdout
        assert f"warning: {len(CUT)} locations could not be read to their end" in done.stderr, \
            done.stderr


if __name__ == "__main__":
    main()
