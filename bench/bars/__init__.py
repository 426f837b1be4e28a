"""The performance bars: what each of them runs and how its ratio is computed."""
