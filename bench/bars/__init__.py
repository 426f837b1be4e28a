# SPDX-License-Identifier: BSD-3-Clause
"""The performance bars: the programs that each bar runs and the computation of its ratio."""
