-- SPDX-License-Identifier: BSD-3-Clause
-- Small messages in a row: messages below a size that a process sends to the same partner one
-- after the other. They could be sent as one message. Example: --pattern small_messages.lua:limit=4K
local limit = parameter("limit", 1024)
local longest_gap = parameter("gap", 0) -- seconds between two sends; 0: any
local previous -- the last message of this location

return {
    id = "small_messages_in_a_row",
    name = "Small messages in a row",
    unit = "occurrences",
    description = "Messages below " .. limit .. " bytes that follow another one to the same " ..
        "process directly: candidates for sending them as one message.",
    formula = "Number of small messages whose predecessor on the same location is small and has " ..
        "the same receiver.",
    advice = "Collect the data of several messages in one.",
    confidence = "medium",
    on = {
        send = function(message)
            if message.bytes < limit and previous and previous.bytes < limit and
                previous.peer == message.peer and (longest_gap == 0 or
                seconds(message.enter - previous.leave) <= longest_gap) then
                report(message, 1)
            end
            previous = message
        end,
    },
}
