# SPDX-License-Identifier: BSD-3-Clause
"""The shares of a suite's run. Random executions, damaged files and the like are many: a run looks at as
many as find most mistakes. FERMATA_TEST_FACTOR in the environment is how many times as many are looked at:
`FERMATA_TEST_FACTOR=10 scripts/test properties`."""

import os

FACTOR = max(int(os.environ.get("FERMATA_TEST_FACTOR") or 1), 1)


def count(number):
    """How many to look at where a run of the suite looks at `number`."""
    return FACTOR * number


def some(cases, each):
    """Those of a list to look at where a run of the suite looks at one of `each`."""
    return cases[::max(each // FACTOR, 1)]
