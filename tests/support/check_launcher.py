# SPDX-License-Identifier: BSD-3-Clause
"""run_launcher() repeats a launcher that fails by itself before any rank begins, and nothing else.

usage: check_launcher.py
"""

import contextlib
import io
import pathlib
import tempfile

from mpi_launcher import run_launcher

ORTE = "[host:1] PMIX ERROR: UNREACHABLE in file server.c at line 2198"
HYDRA = "[mpiexec@host] HYDU_create_process (utils/launch.c:74): execvp error"
# What a launcher prints to stdout and stderr, its exit status, whether it is repeated.
CASES = (("", ORTE, 1, True), ("", HYDRA, 255, True), ("", ORTE, 0, False), ("rank 0", ORTE, 1, False),
         ("", "rank 0: wrong", 1, False), ("", "", 1, False),
         ("", f"{ORTE}\nrank 0 exited on signal 11 (Segmentation fault)", 139, False))


def check(folder, out, err, status, is_repeated):
    """The launcher fails in its first run only."""
    mark = pathlib.Path(folder, "mark")
    mark.unlink(missing_ok=True)
    script = 'echo run >>"$0"; [ $(wc -l <"$0") -gt 1 ] && exit 0; printf "%s" "$1"; printf "%s" "$2" >&2; exit $3'
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        outcome = run_launcher(["sh", "-c", script, str(mark), out, err, str(status)])
    runs = len(mark.read_text().splitlines())
    assert runs == (2 if is_repeated else 1), (out, err, status, runs)
    assert outcome.returncode == (0 if is_repeated else status), outcome
    assert printed.getvalue() == (f"launcher repeated: {err}\n" if is_repeated else ""), printed.getvalue()


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            check(folder, *case)
        with contextlib.redirect_stdout(io.StringIO()):  # scripts/test counts what is printed of real launchers
            mark = pathlib.Path(folder, "killed")
            died = run_launcher(["sh", "-c", f"[ -e {mark} ] && exit 2; touch {mark}; kill -PIPE $$"])
            assert died.returncode == 2, died
            always = run_launcher(["sh", "-c", f"echo '{ORTE}' >&2; exit 1"])
            assert always.returncode == 1, always
            recorded = run_launcher(["sh", "-c", f"echo '{ORTE}' >&2; exit 1"], lambda: True)
            assert recorded.returncode == 1, recorded


main()
