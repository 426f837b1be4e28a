"""The performance bars: the programs that each bar runs and the computation of its ratio."""
