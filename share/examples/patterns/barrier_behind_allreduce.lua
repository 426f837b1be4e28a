-- SPDX-License-Identifier: BSD-3-Clause
-- Barrier behind an N x N operation such as Allreduce: the processes are synchronized already.
return {
    id = "barrier_behind_nxn_operation",
    name = "Barrier behind N x N operation",
    unit = "time",
    parent = "mpi_barrier_wait",
    description = "Waiting in barriers that are called directly behind an operation such as " ..
        "Allreduce, which has synchronized the processes already.",
    formula = "The Wait at Barrier time, without its sub-patterns, if the call before the " ..
        "barrier on this location is an N x N operation.",
    advice = "Remove the barrier.",
    confidence = "high",
    on = {
        mpi_barrier_wait = function(wait)
            local previous = wait.previous
            if previous and previous.class == "all_to_all" then
                report(wait, wait.own)
            end
        end,
    },
}
