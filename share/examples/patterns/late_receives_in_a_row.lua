-- SPDX-License-Identifier: BSD-3-Clause
-- A chain of two patterns: call paths in which one receive after the other is posted late. Needs
-- late_posted_receive.lua.
local least = parameter("row", 2)
local previous, row

return {
    id = "late_receives_in_a_row",
    name = "Rows of receives posted late",
    unit = "occurrences",
    parent = "late_posted_receives",
    description = "Receives posted late that are at least number " .. least .. " of a row of " ..
        "such receives at the same call path, without another call in between.",
    formula = "Number of such instances of Receives posted late.",
    advice = "Post all receives before the first one is waited for.",
    confidence = "medium",
    on = {
        late_posted_receives = function(instance)
            local follows = previous and previous.path == instance.path and
                instance.number - previous.number <= 1
            row = follows and row + 1 or 1
            if row >= least then
                report(instance, instance.value)
            end
            previous = instance
        end,
    },
}
