/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/catalogue.h"

#include "base/decimal_text.h"
#include "counters/counter_layout.h"
#include "counters/size_bins.h"
#include "filter/name_pattern.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of an entry that is obtained, and of one that is not. */
#define OBTAINED(its_name, its_kind, its_unit, its_tier, its_source, its_meaning)                  \
    .name = (its_name), .kind = FM_COUNTER_##its_kind, .unit = (its_unit),                         \
    .tier = FM_TIER_##its_tier, .source = (its_source), .meaning = (its_meaning)
#define HIDDEN(its_name, its_kind, its_unit, its_meaning, its_reason)                              \
    .name = (its_name), .kind = FM_COUNTER_##its_kind, .unit = (its_unit),                         \
    .tier = FM_TIER_UNAVAILABLE, .meaning = (its_meaning), .reason = (its_reason)
#define AT(its_moment)    .moment = FM_AT_##its_moment
#define OF_BINS(its_bins) .bins = (its_bins)
#define UNAVAILABLE(its_name, its_kind, its_unit, its_meaning, its_reason)                         \
    HIDDEN(#its_name, its_kind, its_unit, its_meaning, its_reason), .is_spc = true

#define INSIDE "inside the library: no call shows it"
#define INSIDE_VARIABLE                                                                            \
    "inside the library: no call shows it; variables of Open MPI, and of an MPICH that was built " \
    "with --enable-mpit-pvars=recvq, have it: they are read if the recording names it"
#define INSIDE_HOOKED     "inside the library: no call shows it; --hooks counts it in Open MPI 4.1.4"
#define INSIDE_HOOKED_SPC INSIDE_HOOKED "; an Open MPI that was built with --enable-spc counts it"
#define INSIDE_HOOKED_TWICE                                                                        \
    "inside the library: no call shows it; --hooks counts it in Open MPI 4.1.4 and MPICH 4.0.2; "  \
    "an Open MPI that was built with --enable-spc counts it"
#define ALGORITHM                                                                                  \
    "the library chooses algorithms inside: no call shows it; --hooks counts it in Open MPI 4.1.4"

static const struct fm_counter_entry counters[] = {
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)                                \
    {OBTAINED(name, kind, unit, EXACT, name, meaning), AT(moment), OF_BINS(bins)},
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)                                        \
    {OBTAINED(name, kind, unit, KERNEL, name, meaning)},
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
/* clang-format off */
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)                                  \
    {OBTAINED("mpi." name, kind, unit, EXACT, "mpi." name, meaning)},
#include "counters/definitions/recorded.def"
#undef FM_MODEL_COUNTER
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)                                  \
    {OBTAINED("shmem." name, kind, unit, EXACT, "shmem." name, meaning)},
#include "counters/definitions/recorded.def"
#undef FM_MODEL_COUNTER
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)                                  \
    {OBTAINED("armci." name, kind, unit, EXACT, "armci." name, meaning)},
#include "counters/definitions/recorded.def"
#undef FM_MODEL_COUNTER
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)                                  \
    {OBTAINED("caf." name, kind, unit, EXACT, "caf." name, meaning)},
#include "counters/definitions/recorded.def"
#undef FM_MODEL_COUNTER
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
    /* clang-format on */
    {OBTAINED(FM_COUNTER_BY_SIZE, BINS, "messages", EXACT, FM_COUNTER_BY_SIZE,
              FM_COUNTER_BY_SIZE_MEANING)},
#define FM_PERF_COUNTER(name, type, configuration, kind, unit, user, meaning)                      \
    {OBTAINED(FM_COUNTER_PERF name, kind, unit, PERMITTED, FM_COUNTER_PERF name, meaning)},
#include "counters/definitions/perf.def"
#undef FM_PERF_COUNTER
#define FM_SPC_CALLS(name, function)                                                               \
    {OBTAINED(#name, COUNT, "calls", EXACT, FM_COUNTER_CALLS function, "calls of " function),      \
     .is_spc = true, .spc_offers = true},
#define FM_SPC_CALLS_INIT(name, function)                                                          \
    {OBTAINED(#name, COUNT, "calls", EXACT, #name,                                                 \
              "calls of MPI_" function " and, its name in Open MPI 4, MPIX_" function),            \
     .is_spc = true, .spc_offers = true,                                                           \
     .summands = {FM_COUNTER_CALLS "MPI_" function, FM_COUNTER_CALLS "MPIX_" function}},
#define FM_SPC_SAME(name, kind, unit, own, tier, offered, meaning)                                 \
    {OBTAINED(#name, kind, unit, tier, own, meaning), .is_spc = true, .spc_offers = offered},
#define FM_SPC_INSIDE(name, kind, unit, moment, meaning)                                           \
    {UNAVAILABLE(name, kind, unit, meaning, INSIDE), AT(moment)},
#define FM_SPC_VARIABLE(name, kind, unit, moment, meaning)                                         \
    {UNAVAILABLE(name, kind, unit, meaning, INSIDE_VARIABLE), .spc_offers = true,                  \
     .is_variable = true, AT(moment)},
#define FM_SPC_HOOKED(name, kind, unit, offered, moment, meaning)                                  \
    {UNAVAILABLE(name, kind, unit, meaning, (offered) ? INSIDE_HOOKED_SPC : INSIDE_HOOKED),        \
     .spc_offers = offered, .is_hooked = true, AT(moment)},
#define FM_SPC_HOOKED_TWICE(name, kind, unit, meaning)                                             \
    {UNAVAILABLE(name, kind, unit, meaning, INSIDE_HOOKED_TWICE), .spc_offers = true,              \
     .is_hooked = true},
#define FM_SPC_ALGORITHM(name, meaning)                                                            \
    {UNAVAILABLE(name, COLLECTIVE_BINS, "calls", meaning, ALGORITHM), .is_hooked = true},
#include "counters/definitions/spc.def"
#undef FM_SPC_CALLS
#undef FM_SPC_CALLS_INIT
#undef FM_SPC_SAME
#undef FM_SPC_INSIDE
#undef FM_SPC_VARIABLE
#undef FM_SPC_HOOKED
#undef FM_SPC_HOOKED_TWICE
#undef FM_SPC_ALGORITHM
#define FM_INSIDE(name, kind, unit, meaning)                                                       \
    {HIDDEN(name, kind, unit, meaning, INSIDE_HOOKED), .is_hooked = true},
#define FM_INSIDE_ALGORITHM(name, meaning)                                                         \
    {HIDDEN(name, COLLECTIVE_BINS, "calls", meaning, ALGORITHM), .is_hooked = true},
#include "counters/definitions/inside.def"
#undef FM_INSIDE
#undef FM_INSIDE_ALGORITHM
};

size_t fm_counter_count(void)
{
    return sizeof counters / sizeof counters[0];
}

const struct fm_counter_entry *fm_counter_at(size_t i)
{
    return &counters[i];
}

static const char *without_prefix(const char *name)
{
    size_t length = strlen(FM_SPC_PREFIX);
    return strncmp(name, FM_SPC_PREFIX, length) == 0 ? name + length : name;
}

/* Whether a name has the form of those that only a run defines: of functions' counters and of the
 * program's own ones. */
static bool is_of_run(const char *name)
{
    static const char *const prefixes[] = {FM_COUNTER_CALLS, FM_COUNTER_TIME, FM_COUNTER_MPIT,
                                           FM_COUNTER_PAPI, FM_COUNTER_USER};
    bool found = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        found = found || strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    }
    return found;
}

/* Whether a pattern matches the name of a counter; Open MPI's prefix stands for its own ones only.
 */
static bool matches(const char *pattern, const struct fm_counter_entry *counter)
{
    return fm_pattern_matches(counter->is_spc ? without_prefix(pattern) : pattern, counter->name);
}

const struct fm_counter_entry *fm_counter_named(const char *name)
{
    const char *rest = without_prefix(name);
    for (size_t i = 0; i < fm_counter_count(); i++) {
        if (strcmp(counters[i].name, rest) == 0 && (rest == name || counters[i].is_spc)) {
            return &counters[i];
        }
    }
    return NULL;
}

const char *fm_counter_plain_name(const char *name)
{
    const struct fm_counter_entry *counter = fm_counter_named(name);
    return counter != NULL ? counter->name : name;
}

const char *fm_counter_source(const char *name)
{
    const struct fm_counter_entry *counter = fm_counter_named(name);
    if (counter != NULL) {
        return counter->source;
    }
    return is_of_run(name) ? name : NULL;
}

bool fm_counter_is_known(const char *pattern)
{
    bool known = is_of_run(pattern);
    for (size_t i = 0; !known && i < fm_counter_count(); i++) {
        known = matches(pattern, &counters[i]);
    }
    return known;
}

/* ---- lists ---- */

const char *fm_counter_list_next(const char *list, char word[FM_COUNTER_WORD])
{
    while (*list == ',' || *list == ' ') {
        list++;
    }
    size_t length = strcspn(list, ", ");
    if (length == 0) {
        return NULL;
    }
    snprintf(word, FM_COUNTER_WORD, "%.*s", (int)length, list);
    return list + length;
}

bool fm_counter_list_is_all(const char *word)
{
    return strcmp(word, "all") == 0 || strcmp(word, "yes") == 0;
}

bool fm_counter_list_is_none(const char *list)
{
    return list == NULL || list[0] == '\0' || strcmp(list, "none") == 0 || strcmp(list, "no") == 0;
}

const struct fm_counter_entry *fm_counter_sum_ending(const char *summand)
{
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const char *last = counters[i].summands[FM_COUNTER_SUMMANDS - 1];
        if (last != NULL && strcmp(last, summand) == 0) {
            return &counters[i];
        }
    }
    return NULL;
}

/* Whether a counter of the catalogue has its values from the counter `name`. */
static bool is_made_of(const struct fm_counter_entry *counter, const char *name)
{
    bool found = strcmp(counter->source != NULL ? counter->source : counter->name, name) == 0;
    for (size_t i = 0; !found && i < FM_COUNTER_SUMMANDS && counter->summands[i] != NULL; i++) {
        found = strcmp(counter->summands[i], name) == 0;
    }
    return found;
}

/* Whether a pattern selects the counter `name`, by its own name or by one of Open MPI's. */
static bool selects(const char *pattern, const char *name)
{
    if (fm_counter_list_is_all(pattern) || fm_pattern_matches(pattern, name)) {
        return true;
    }
    const char *rest = without_prefix(pattern);
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *counter = &counters[i];
        if (counter->is_spc && is_made_of(counter, name) &&
            fm_pattern_matches(rest, counter->name)) {
            return true;
        }
    }
    return false;
}

bool fm_counter_selected(const char *list, const char *name)
{
    char word[FM_COUNTER_WORD];
    while ((list = fm_counter_list_next(list, word)) != NULL) {
        if (selects(word, name)) {
            return true;
        }
    }
    return false;
}

bool fm_counter_list_names(const char *list, const char *prefix, const char *name)
{
    char word[FM_COUNTER_WORD];
    while ((list = fm_counter_list_next(list, word)) != NULL) {
        if (strncmp(word, prefix, strlen(prefix)) == 0 && fm_pattern_matches(word, name)) {
            return true;
        }
    }
    return false;
}

bool fm_counter_list_names_spc(const char *list, const char *name)
{
    char word[FM_COUNTER_WORD];
    const struct fm_counter_entry *counter = fm_counter_named(name);
    while (counter != NULL && (list = fm_counter_list_next(list, word)) != NULL) {
        if (matches(word, counter)) {
            return true;
        }
    }
    return false;
}

const char *fm_counter_list_unknown(const char *list)
{
    static char word[FM_COUNTER_WORD];
    if (fm_counter_list_is_none(list)) {
        return NULL;
    }
    while ((list = fm_counter_list_next(list, word)) != NULL) {
        if (!fm_counter_list_is_all(word) && !fm_counter_is_known(word)) {
            return word;
        }
    }
    return NULL;
}

/* ---- words ---- */

char *fm_counter_plain(char text[FM_COUNTER_PLAIN], enum fm_counter_kind kind, double value)
{
    const struct fm_decimal plain = fm_counter_is_real(kind)
                                        ? fm_decimal_short(value, 15)
                                        : fm_decimal(value, fm_counter_is_time(kind) ? 9 : 0);
    snprintf(text, FM_COUNTER_PLAIN, "%s", plain.text);
    return text;
}

const char *fm_counter_kind_name(enum fm_counter_kind kind)
{
    static const char *const names[FM_COUNTER_KINDS] = {
        [FM_COUNTER_COUNT] = "count",
        [FM_COUNTER_BYTES] = "bytes",
        [FM_COUNTER_LEVEL] = "level",
        [FM_COUNTER_HIGH_WATERMARK] = "high watermark",
        [FM_COUNTER_TIMER] = "timer",
        [FM_COUNTER_BINS] = "bins",
        [FM_COUNTER_COLLECTIVE_BINS] = "collective bins",
        [FM_COUNTER_HISTOGRAM] = "histogram",
        [FM_COUNTER_NANOSECONDS] = "time",
        [FM_COUNTER_LOW_WATERMARK] = "low watermark",
        [FM_COUNTER_REAL] = "real",
        [FM_COUNTER_REAL_LEVEL] = "real level",
    };
    return (unsigned)kind < FM_COUNTER_KINDS ? names[kind] : "unknown";
}

const char *fm_counter_tier_name(enum fm_counter_tier tier)
{
    static const char *const names[FM_TIERS] = {
        [FM_TIER_EXACT] = "exact (calls)",
        [FM_TIER_LOWER_BOUND] = "lower bound (calls)",
        [FM_TIER_KERNEL] = "exact (kernel)",
        [FM_TIER_PERMITTED] = "kernel, if it can",
        [FM_TIER_LIBRARY] = "library's variable",
        [FM_TIER_HOOK] = "exact (hook)",
        [FM_TIER_UPPER_BOUND] = "upper bound (hook)",
        [FM_TIER_PROGRAM] = "the program's",
        [FM_TIER_UNAVAILABLE] = "unavailable",
        [FM_TIER_HOOK_LEAST] = "lower bound (hook)",
    };
    return (unsigned)tier < FM_TIERS ? names[tier] : "unknown";
}

/* By OTF2_CollectiveOp; the last bin has all others. */
static const char *const operations[FM_COLLECTIVE_BINS] = {"barrier",
                                                           "broadcast",
                                                           "gather",
                                                           "gatherv",
                                                           "scatter",
                                                           "scatterv",
                                                           "allgather",
                                                           "allgatherv",
                                                           "alltoall",
                                                           "alltoallv",
                                                           "alltoallw",
                                                           "allreduce",
                                                           "reduce",
                                                           "reduce_scatter",
                                                           "scan",
                                                           "exscan",
                                                           "reduce_scatter_block",
                                                           "create",
                                                           "destroy",
                                                           "allocate",
                                                           "deallocate",
                                                           "create_allocate",
                                                           "destroy_deallocate",
                                                           "other"};

uint32_t fm_counter_boundary(enum fm_boundary boundary)
{
    static const struct {
        const char *variable;
        uint32_t usual;
    } boundaries[FM_BOUNDARIES] = {
        [FM_BOUNDARY_MESSAGE] = {"OMPI_MCA_mpi_spc_p2p_message_boundary", 12288},
        [FM_BOUNDARY_COLLECTIVE] = {"OMPI_MCA_mpi_spc_collective_message_boundary", 12288},
        [FM_BOUNDARY_COMMUNICATOR] = {"OMPI_MCA_mpi_spc_collective_comm_boundary", 64}};
    const char *text = getenv(boundaries[boundary].variable);
    char *end;
    unsigned long number = text != NULL ? strtoul(text, &end, 10) : 0;
    bool is_number = text != NULL && text[0] >= '0' && text[0] <= '9' && *end == '\0';
    return is_number && number <= INT32_MAX ? (uint32_t)number : boundaries[boundary].usual;
}

const char *fm_counter_bin_name(const char *counter, enum fm_counter_kind kind, unsigned bin,
                                uint32_t boundary, char *text, size_t size)
{
    static const char *const quadrants[] = {
        "small message, small communicator", "small message, large communicator",
        "large message, small communicator", "large message, large communicator"};
    size_t length = strlen(counter);
    if (kind == FM_COUNTER_HISTOGRAM && bin < 2) {
        snprintf(text, size, "%u", bin);
    } else if (kind == FM_COUNTER_HISTOGRAM) {
        snprintf(text, size, "%llu-%llu", 1ULL << (bin - 1),
                 (unsigned long long)(UINT64_MAX >> (64 - (bin <= 64 ? bin : 64))));
    } else if (kind == FM_COUNTER_COLLECTIVE_BINS && bin < 4) {
        snprintf(text, size, "%s", quadrants[bin]);
    } else if (kind == FM_COUNTER_BINS && length >= 11 && bin < FM_COLLECTIVE_BINS &&
               strcmp(counter + length - 11, "collectives") == 0) {
        snprintf(text, size, "%s", operations[bin]);
    } else if (kind == FM_COUNTER_BINS && bin < 2) {
        snprintf(text, size, bin == 0 ? "up to %u" : "above %u", boundary);
    } else {
        snprintf(text, size, "bin %u", bin);
    }
    return text;
}
