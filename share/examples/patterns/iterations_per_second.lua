-- SPDX-License-Identifier: BSD-3-Clause
-- Iterations per second: how many instances of a phase each location completes in a second of its
-- own time in them. Values are whole numbers: for slow iterations give a longer time than a second.
-- Example: --pattern iterations_per_second.lua:phase=step,per=3600
local name = parameter("phase", "")
local per = parameter("per", 1) -- seconds
local first, last, count, end_time

return {
    id = "iterations_per_second",
    name = per == 1 and "Iterations per second" or "Iterations per " .. per .. " s",
    unit = "occurrences",
    description = "Iterations that a location completes in " .. per .. " s, rounded; the sum over " ..
        "all locations is the rate of all of them together.",
    formula = "Number of instances of the phase / (end of the last one - begin of the first one), " ..
        "times " .. per .. " s.",
    confidence = "high",
    on = {
        phase = function(phase)
            if name == "" or phase.region == name then
                first = first or phase
                last = phase
                end_time = math.max(end_time or 0, phase.leave)
                count = (count or 0) + 1
            end
        end,
    },
    finish = function()
        if first and end_time > first.enter then
            report(last, per * count / seconds(end_time - first.enter))
        end
    end,
}
