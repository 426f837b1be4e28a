-- SPDX-License-Identifier: BSD-3-Clause
-- Receives that were posted after their message had been sent: the message had to be kept as an
-- unexpected one. late_receives_in_a_row.lua uses the instances of this pattern.
return {
    id = "late_posted_receives",
    name = "Receives posted late",
    unit = "occurrences",
    description = "Receives that were posted after the call that sent their message had " ..
        "returned, so that the library had to keep the message or let it wait.",
    formula = "Number of messages whose sending call was left before the receive was posted.",
    advice = "Post receives before their messages are sent.",
    confidence = "medium", -- the time of the arrival is not in the trace
    on = {
        receive = function(message)
            if message.partner.leave < message.posted then
                report(message, 1)
            end
        end,
    },
}
