# SPDX-License-Identifier: BSD-3-Clause
"""The shares of a suite's run. Random executions, damaged files and the like are many: `scripts/test --all` looks
at as many as find most mistakes. FERMATA_TEST_FACTOR in the environment is how many times as many are looked at:
`FERMATA_TEST_FACTOR=10 scripts/test properties`; `scripts/test` without arguments sets a fraction of one."""

import os

FACTOR = float(os.environ.get("FERMATA_TEST_FACTOR") or 1)
assert FACTOR > 0, "FERMATA_TEST_FACTOR must be above 0"


def count(number):
    """How many to look at where a run of the suite looks at `number`; at least one."""
    return max(round(FACTOR * number), 1)


def some(cases, each):
    """Those of a list to look at where a run of the suite looks at one of `each`."""
    return cases[::max(round(each / FACTOR), 1)]
