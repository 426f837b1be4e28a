/** @file
 * What counters cost in calls of MPI: of each counter that a small message updates in a library
 * that counts, where it is updated and how; from that and the elementary costs (counter_costs.h)
 * the cost of a call with a chosen set of counters [Eberius 2020, formula 3.6].
 */
#ifndef FERMATA_COUNTERS_COSTS_CALL_COSTS_H
#define FERMATA_COUNTERS_COSTS_CALL_COSTS_H

#include "counters/costs/counter_costs.h"

#include <stdbool.h>
#include <stddef.h>

/** The calls for a message. */
enum fm_message_call { FM_MESSAGE_SEND, FM_MESSAGE_RECEIVE, FM_MESSAGE_CALLS };

/** A counter that one of these calls updates. Bins are those of P2P_MESSAGE_SIZE: two. */
struct fm_call_update {
    const char *counter;
    enum fm_message_call call;
    enum fm_update update; /**< FM_UPDATE_ON, FM_UPDATE_TIMER or FM_UPDATE_BIN */
};

enum { FM_CALL_UPDATES = 7, FM_CALL_BINS = 2 };
extern const struct fm_call_update fm_call_updates[FM_CALL_UPDATES];

/** Updates of a call. */
struct fm_call_cost {
    unsigned on;     /**< counters that are on, timers not included */
    unsigned timers; /**< timers that are on */
    unsigned bins;   /**< counters with bins among those that are on */
    unsigned off;    /**< counters and timers that are off */
};

/** @return "MPI_Send", "MPI_Recv" */
const char *fm_message_call_name(enum fm_message_call call);

/** @param is_chosen  for each of fm_call_updates: the counter is on */
struct fm_call_cost fm_call_cost(enum fm_message_call call, const bool *is_chosen);

/** Nanoseconds of the updates of a call, by the model. */
double fm_call_cost_predicted(const struct fm_counter_costs *costs,
                              const struct fm_call_cost *cost);

/** Room for a formula. */
enum { FM_CALL_FORMULA = 64 };

/** Writes the model of a call: "4 O_On + O_Bin". @return `text` */
char *fm_call_cost_formula(const struct fm_call_cost *cost, char text[FM_CALL_FORMULA]);

#endif
