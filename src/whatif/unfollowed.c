#include "whatif/unfollowed.h"

#include "analysis/libraries/library_metrics.h"

#define CALL(call) ((uint64_t)1 << FM_CALL_##call)

/* Kinds of calls, by their paradigm and class. The first row that fits decides. */
static const struct {
    const char *name;
    uint64_t calls; /* classes; 0: all of the paradigm */
    int paradigm;   /* fm_paradigm_t; -1: any */
} kinds[] = {
    {"partners in post, start, complete and wait",
     CALL(START) | CALL(COMPLETE) | CALL(POST) | CALL(WAIT), FM_PARADIGM_MPI},
    {"locks of windows and the progress of their targets",
     CALL(LOCK) | CALL(UNLOCK) | CALL(FLUSH) | CALL(FLUSH_ALL) | CALL(FLUSH_LOCAL) |
         CALL(FLUSH_LOCAL_ALL) | CALL(REQUEST_OPERATION),
     -1},
    {"the completion of one-sided operations", CALL(COMPLETION), -1},
    {"a variable that another process changes", CALL(WAIT_UNTIL), -1},
    {"images in sync images", CALL(SYNC_IMAGES), -1},
    {"events of coarrays", CALL(EVENT_WAIT), -1},
    {"threads of OpenMP: teams, their barriers, locks and tasks", 0, FM_PARADIGM_OPENMP},
    {"POSIX threads: their begins and ends, locks, conditions, barriers and semaphores", 0,
     FM_PARADIGM_PTHREAD},
};

#define KINDS (sizeof kinds / sizeof *kinds)

/* Positions in `kinds`. */
enum { KIND_PARTNERS, KIND_LOCKS };

/* @return the kind of a call; KINDS: none */
static unsigned kind_of(const struct fm_region *region)
{
    unsigned kind = 0;
    while (kind < KINDS &&
           ((kinds[kind].paradigm != -1 && kinds[kind].paradigm != (int)region->paradigm) ||
            (kinds[kind].calls != 0 && (kinds[kind].calls >> region->call & 1) == 0))) {
        kind++;
    }
    return kind;
}

/* @return the kind of a call that has waited: an operation waits for what its epoch waits for */
static unsigned kind_of_wait(const struct fm_region *region, fm_metric_t metric)
{
    const unsigned kind = kind_of(region);
    return kind < KINDS                                 ? kind
           : metric == FM_METRIC_MPI_RMA_COMM_LATE_POST ? KIND_PARTNERS
                                                        : KIND_LOCKS;
}

/* Marks the metrics of wait states whose dependencies the replay follows. */
static void list_followed(bool followed[FM_METRIC_COUNT])
{
    static const fm_metric_t of_mpi[] = {
        FM_METRIC_MPI_LATESENDER,        FM_METRIC_MPI_LATESENDER_WO,
        FM_METRIC_MPI_LSWO_DIFFERENT,    FM_METRIC_MPI_LSWO_SAME,
        FM_METRIC_MPI_LATERECEIVER,      FM_METRIC_MPI_LATERECEIVER_WO,
        FM_METRIC_MPI_EARLYSCAN,         FM_METRIC_MPI_COMM_WAIT,
        FM_METRIC_MPI_FILE_WAIT,         FM_METRIC_MPI_RMA_WAIT_AT_CREATE,
        FM_METRIC_MPI_RMA_WAIT_AT_FENCE, FM_METRIC_MPI_RMA_WAIT_AT_FREE,
    };
    static const fm_rule_t rules[] = {FM_RULE_INIT,       FM_RULE_FINALIZE, FM_RULE_ALLOCATE,
                                      FM_RULE_DEALLOCATE, FM_RULE_BARRIER,  FM_RULE_NXN,
                                      FM_RULE_BROADCAST,  FM_RULE_REDUCE};
    static const fm_paradigm_t libraries[] = {FM_PARADIGM_MPI, FM_PARADIGM_SHMEM, FM_PARADIGM_ARMCI,
                                              FM_PARADIGM_CAF};
    for (size_t i = 0; i < sizeof of_mpi / sizeof *of_mpi; i++) {
        followed[of_mpi[i]] = true;
    }
    for (size_t p = 0; p < sizeof libraries / sizeof *libraries; p++) {
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            const fm_metric_t metric = fm_library_metric(libraries[p], rules[r]);
            if (metric != FM_METRIC_NONE) {
                followed[metric] = true;
            }
        }
    }
}

static void count_calls(const struct fm_trace *trace, const struct fm_location *location,
                        struct fm_unfollowed *by_kind)
{
    for (size_t v = 0; v < location->profile.count; v++) {
        const struct fm_region *region = &trace->regions[location->profile.items[v].region];
        const unsigned kind = kind_of(region);
        if (region->call != FM_CALL_USER && kind < KINDS) {
            by_kind[kind].calls += location->profile.items[v].visits;
        }
    }
}

unsigned fm_unfollowed_find(const struct fm_detail *detail, struct fm_unfollowed *found)
{
    _Static_assert(KINDS <= FM_UNFOLLOWED_KINDS, "room for all kinds");
    struct fm_unfollowed by_kind[KINDS] = {{0}};
    bool followed[FM_METRIC_COUNT] = {false};
    unsigned count = 0;
    list_followed(followed);
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const struct fm_location *location = &detail->trace->locations[l];
        const struct fm_findings *findings = &detail->findings[l];
        count_calls(detail->trace, location, by_kind);
        for (size_t w = 0; w < findings->waits.count; w++) {
            const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[w]];
            if (!followed[wait->metric]) {
                struct fm_unfollowed *kind =
                    &by_kind[kind_of_wait(fm_trace_called(detail->trace, location, wait->activity),
                                          (fm_metric_t)wait->metric)];
                kind->waits++;
                kind->waiting += wait->t - location->enter.items[wait->activity];
            }
        }
    }
    for (unsigned k = 0; k < KINDS; k++) {
        by_kind[k].name = kinds[k].name;
        if (by_kind[k].calls != 0 || by_kind[k].waits != 0) {
            found[count++] = by_kind[k];
        }
    }
    return count;
}
