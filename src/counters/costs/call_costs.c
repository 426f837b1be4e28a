#include "counters/costs/call_costs.h"

#include <stdio.h>

/* Where Open MPI updates its counters for a message that its receiver expects [Eberius 2020,
 * section 3.3]. */
const struct fm_call_update fm_call_updates[FM_CALL_UPDATES] = {
    {"SEND", FM_MESSAGE_SEND, FM_UPDATE_ON},
    {"BYTES_SENT_USER", FM_MESSAGE_SEND, FM_UPDATE_ON},
    {"P2P_MESSAGE_SIZE", FM_MESSAGE_SEND, FM_UPDATE_BIN},
    {"EAGER_MESSAGES", FM_MESSAGE_SEND, FM_UPDATE_ON},
    {"RECV", FM_MESSAGE_RECEIVE, FM_UPDATE_ON},
    {"BYTES_RECEIVED_USER", FM_MESSAGE_RECEIVE, FM_UPDATE_ON},
    {"MATCH_TIME", FM_MESSAGE_RECEIVE, FM_UPDATE_TIMER},
};

const char *fm_message_call_name(enum fm_message_call call)
{
    return call == FM_MESSAGE_SEND ? "MPI_Send" : "MPI_Recv";
}

struct fm_call_cost fm_call_cost(enum fm_message_call call, const bool *is_chosen)
{
    struct fm_call_cost cost = {0};
    for (int i = 0; i < FM_CALL_UPDATES; i++) {
        enum fm_update update = fm_call_updates[i].update;
        if (fm_call_updates[i].call == call) {
            cost.off += !is_chosen[i];
            cost.timers += is_chosen[i] && update == FM_UPDATE_TIMER;
            cost.on += is_chosen[i] && update != FM_UPDATE_TIMER;
            cost.bins += is_chosen[i] && update == FM_UPDATE_BIN;
        }
    }
    return cost;
}

double fm_call_cost_predicted(const struct fm_counter_costs *costs, const struct fm_call_cost *cost)
{
    double bin = (FM_CALL_BINS - 1) * (costs->costs[FM_COST_IF] + costs->costs[FM_COST_COMP]);
    return cost->on * fm_update_predicted(costs, FM_UPDATE_ON) +
           cost->timers * fm_update_predicted(costs, FM_UPDATE_TIMER) +
           cost->off * fm_update_predicted(costs, FM_UPDATE_OFF) + cost->bins * bin;
}

char *fm_call_cost_formula(const struct fm_call_cost *cost, char text[FM_CALL_FORMULA])
{
    const struct {
        unsigned number;
        const char *name;
    } parts[] = {{cost->on, "O_On"},
                 {cost->timers, "(O_On + O_Timer)"},
                 {cost->bins, "O_Bin"},
                 {cost->off, "O_Off"}};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].number != 0) {
            char number[16] = "";
            if (parts[i].number > 1) {
                snprintf(number, sizeof number, "%u ", parts[i].number);
            }
            length += (size_t)snprintf(text + length, FM_CALL_FORMULA - length, "%s%s%s",
                                       length > 0 ? " + " : "", number, parts[i].name);
        }
    }
    return text;
}
