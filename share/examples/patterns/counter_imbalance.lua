-- SPDX-License-Identifier: BSD-3-Clause
-- Imbalance of a counter that the program sets (fermata/counter.h): by how much the last value of
-- each location exceeds the mean. Example: --pattern counter_imbalance.lua:counter=cells
-- The name may be left out if there is one counter only.
local name = parameter("counter", "")
local last

return {
    id = "counter_imbalance",
    name = "Imbalance of " .. (name == "" and "the counter" or name),
    unit = "occurrences",
    description = "What a location counts more than the mean over all locations that count it.",
    formula = "max(0, c - mean of c), where c is the last value of the counter.",
    advice = "Distribute what is counted more evenly.",
    confidence = "high",
    on = {
        sample = function(sample)
            if name == "" and last and last.counter ~= sample.counter then
                error("there are several counters, " .. last.counter .. " and " .. sample.counter
                      .. " among them: choose one by counter=NAME")
            end
            if name == "" or sample.counter == name then
                last = sample
            end
        end,
    },
    finish = function()
        if last then
            report(last, last.value)
        end
    end,
    combine = function(severities)
        local sum = 0
        for _, severity in ipairs(severities) do
            sum = sum + severity.value
        end
        local mean = #severities > 0 and sum / #severities or 0
        for _, severity in ipairs(severities) do
            severity.value = math.max(0, severity.value - mean)
        end
    end,
}
