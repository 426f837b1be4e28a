# SPDX-License-Identifier: BSD-3-Clause
"""The launcher of the stub library. usage: stub_run.py PES PROGRAM [ARGUMENT...]"""
import os
import subprocess
import sys
import tempfile

BYTES = 32 << 20

with tempfile.NamedTemporaryFile() as file:
    file.truncate(BYTES)
    size = int(sys.argv[1])
    pes = [subprocess.Popen(sys.argv[2:], env=dict(os.environ, STUB_PE=str(pe), STUB_SIZE=str(size),
                                                   STUB_FILE=file.name))
           for pe in range(size)]
    sys.exit(max(pe.wait() for pe in pes))
