# SPDX-License-Identifier: BSD-3-Clause
"""extract_example.py DOCUMENT OUTPUT: writes the first block of C in a document to a file."""

import pathlib
import re
import sys

document, output = map(pathlib.Path, sys.argv[1:])
output.write_text(re.search(r"^```c\n(.*?)^```$", document.read_text(), re.DOTALL | re.MULTILINE)[1])
