-- SPDX-License-Identifier: BSD-3-Clause
-- Late Sender in one function: the part of Late Sender that is waited below the function with this
-- name. Example: --pattern late_sender_in_function.lua:function=exchange
local name = parameter("function", "main")

return {
    id = "late_sender_in_function",
    name = "Late Sender in " .. name,
    unit = "time",
    parent = "mpi_latesender",
    description = "The part of Late Sender, without its sub-patterns, in calls below " .. name .. ".",
    formula = "Sum of the Late Sender waiting times in calls whose call path contains the function.",
    advice = "Let the partners of this function begin their sends earlier.",
    confidence = "high",
    on = {
        mpi_latesender = function(wait)
            if wait:within(name) then
                report(wait, wait.own)
            end
        end,
    },
}
