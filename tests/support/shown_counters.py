# SPDX-License-Identifier: BSD-3-Clause
"""What `fermata counters show` prints of an experiment."""
import json
import subprocess


def shown_counters(fermata, experiment):
    """@return {name: counter, with its values by rank}, {name of a counter that cannot be had: reason}"""
    text = subprocess.run([fermata, "counters", "show", "--all", "--format", "json", experiment],
                          capture_output=True, text=True, check=True).stdout
    result = json.loads(text)
    return ({counter["name"]: counter for counter in result["counters"]},
            {lack["name"]: lack["reason"] for lack in result["unavailable"]})
