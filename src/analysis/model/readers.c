/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/readers.h"

void fm_readers_add(struct fm_analysis *analysis, unsigned tables)
{
    for (unsigned table = 0; table < FM_TABLES; ++table) {
        analysis->readers[table] += tables >> table & 1;
    }
}

void fm_readers_forget_one_sided(struct fm_analysis *analysis, uint32_t process)
{
    if (analysis->readers[FM_TABLE_ONE_SIDED] == 1) {
        fm_trace_forget_rma(analysis->records, process);
    }
}

void fm_readers_forget_messages(struct fm_analysis *analysis, uint32_t process)
{
    if (analysis->readers[FM_TABLE_MESSAGES] == 1) {
        fm_trace_forget_messages(analysis->records, process);
    }
}

static void forget_one_sided(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_analysis *analysis = context;
    for (uint32_t process = first; process < last; ++process) {
        fm_readers_forget_one_sided(analysis, process);
    }
}

void fm_readers_remove(struct fm_analysis *analysis, unsigned tables)
{
    /* The records of collectives, and those of messages that nobody has freed, are freed with all
     * others at the end of the search. */
    if ((tables & FM_READS(ONE_SIDED)) != 0 && analysis->readers[FM_TABLE_ONE_SIDED] == 1) {
        fm_engine_run(analysis->engine, forget_one_sided, analysis);
    }
    for (unsigned table = 0; table < FM_TABLES; ++table) {
        analysis->readers[table] -= tables >> table & 1;
    }
}
