# SPDX-License-Identifier: BSD-3-Clause
"""Records caf-put-sync (Hermanns 2005, figure 3): every call of the pairs is recorded, and the transfers
are drawn from the origin's put to the target, which is in the second meeting or comes to it.

usage: check_put_sync.py FERMATA MPIRUN PROGRAM
"""
import pathlib
import sys
import tempfile

from caf_archive import image_of, record, recorded, run, times
from transfers import transfers

IMAGES = 4
BYTES = 4096
SYNC, PUT = "caf sync images", "caf put"


def main():
    fermata, mpirun, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = record(fermata, experiment, mpirun, IMAGES, [program], ["--sample=off"])
        assert "caf-put-sync: right" in result.stdout, result.stdout + result.stderr
        calls = recorded(experiment / "traces.otf2")
        for image in range(1, IMAGES + 1):
            partner = image - 1 if image % 2 == 0 else image + 1
            meeting = f"sync images images:{partner}"
            put = [f"put put:{partner}:{BYTES} blocking:{partner} remote:{partner}"] if image % 2 == 0 else []
            own = [call for call in calls[image] if call.startswith(("put", "sync images"))]
            assert own == [meeting, *put, meeting], own
        run([fermata, "analyze", experiment])
        run([fermata, "export", "--to", "otf2-extended", experiment])
        ends, _ = times(experiment / "traces.otf2", (SYNC, PUT))
        expected = []
        for origin in range(2, IMAGES + 1, 2):
            enter, leave = ends[origin, PUT][0]
            expected += [(enter, "sent", origin, origin - 2, BYTES),
                         (leave, "received", origin - 1, origin - 1, BYTES)]
            assert ends[origin - 1, SYNC][1][1] > leave, "the target has not met the origin behind the put"
        assert transfers(experiment / "otf2-extended" / "traces.otf2", image_of) == sorted(expected)


main()
