/* SPDX-License-Identifier: BSD-3-Clause */
/* What must be known beside the values of a run: counters that it lacks, and variables of libraries
 * that count wrongly. */
#include "base/containers/vector.h"
#include "counters/counter_job.h"

#include <stdio.h>
#include <string.h>

/* ---- counters that the run does not have ---- */

static bool is_single_name(const char *word)
{
    return strpbrk(word, "*?[\\") == NULL;
}

static bool is_asked(char *const *patterns, const char *name)
{
    bool asked = patterns[0] == NULL;
    for (; !asked && *patterns != NULL; patterns++) {
        asked = fm_counter_selected(*patterns, name);
    }
    return asked;
}

bool fm_counter_is_named(char *const *patterns, const char *name)
{
    char word[FM_COUNTER_WORD];
    for (; *patterns != NULL; patterns++) {
        for (const char *list = *patterns; (list = fm_counter_list_next(list, word)) != NULL;) {
            const char *source = fm_counter_source(word);
            source = source != NULL ? source : fm_counter_plain_name(word);
            if (is_single_name(word) && strcmp(source, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void add(struct fm_counter_lacks *lacks, const char *name, const char *reason, size_t ranks)
{
    struct fm_counter_lack lack = {.reason = reason, .ranks = ranks};
    snprintf(lack.name, sizeof lack.name, "%s", name);
    fm_vector_push(lacks, lack);
}

/* Position of a lack; their number: there is none. `reason` NULL: any */
static size_t find(const struct fm_counter_lacks *lacks, const char *name, const char *reason)
{
    size_t i = 0;
    while (i < lacks->count && (strcmp(lacks->items[i].name, name) != 0 ||
                                (reason != NULL && strcmp(lacks->items[i].reason, reason) != 0))) {
        i++;
    }
    return i;
}

/* Those that the processes state. */
static void add_stated(struct fm_counter_lacks *lacks, const struct fm_counter_job *job,
                       char *const *patterns)
{
    for (size_t rank = 0; rank < job->ranks; rank++) {
        const char *name, *reason;
        for (size_t i = 0;
             (name = fermata_counters_unavailable(job->files[rank], i, &reason)) != NULL; i++) {
            size_t known = find(lacks, name, reason);
            if (known < lacks->count) {
                lacks->items[known].ranks++;
            } else if (is_asked(patterns, name)) {
                add(lacks, name, reason, 1);
            }
        }
    }
}

/* Why a run does not have a counter that its processes say nothing about. */
static const char *reason_of(const char *name)
{
    static const char *const named[] = {FM_COUNTER_PERF, FM_COUNTER_PAPI, FM_COUNTER_MPIT};
    const struct fm_counter_entry *entry = fm_counter_named(name);
    if (entry != NULL && entry->reason != NULL) {
        return entry->reason;
    }
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (strncmp(name, named[i], strlen(named[i])) == 0) {
            return "the recording does not name it";
        }
    }
    return "no process of the run has it";
}

static bool matches_any(const struct fm_counter_job *job, const char *pattern)
{
    bool found = false;
    for (size_t i = 0; !found && i < job->count; i++) {
        found = fm_counter_selected(pattern, job->counters[i].name);
    }
    return found;
}

static void add_unless_known(struct fm_counter_lacks *lacks, const struct fm_counter_job *job,
                             const char *name)
{
    if (fm_counter_job_find(job, name) == job->count &&
        find(lacks, fm_counter_plain_name(name), NULL) == lacks->count) {
        add(lacks, fm_counter_plain_name(name), reason_of(name), job->ranks);
    }
}

/* A word that is asked for: a name, or a pattern of names of which the run has none. */
static void add_word(struct fm_counter_lacks *lacks, const struct fm_counter_job *job,
                     const char *word)
{
    if (is_single_name(word)) {
        add_unless_known(lacks, job, word);
        return;
    }
    for (size_t i = 0; !matches_any(job, word) && i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        if (entry->reason != NULL && fm_counter_list_names_spc(word, entry->name)) {
            add_unless_known(lacks, job, entry->name);
        }
    }
}

struct fm_counter_lacks fm_counter_job_lacks(const struct fm_counter_job *job,
                                             char *const *patterns)
{
    char word[FM_COUNTER_WORD];
    struct fm_counter_lacks lacks = {0};
    add_stated(&lacks, job, patterns);
    for (; *patterns != NULL; patterns++) {
        for (const char *list = *patterns; (list = fm_counter_list_next(list, word)) != NULL;) {
            if (!fm_counter_list_is_all(word)) {
                add_word(&lacks, job, word);
            }
        }
    }
    return lacks;
}

/* ---- known defects ---- */

const char *fm_counter_defect(const char *name, const char *obtained)
{
    static const char prefix[] = FM_COUNTER_MPIT "runtime_spc_" FM_SPC_PREFIX;
    bool is_variable = strncmp(name, prefix, strlen(prefix)) == 0;
    const char *spc = is_variable ? name + strlen(prefix) : name;
    if (obtained == NULL || strcmp(obtained, fm_counter_tier_name(FM_TIER_LIBRARY)) != 0) {
        return NULL;
    }
    if (fm_counter_list_names("BYTES_*_USER,BYTES_*_MPI", "", spc)) {
        return "Open MPI 4.1.4 ascribes messages of the program to the library in some runs, and "
               "the reverse; mpi.bytes_sent and mpi.bytes_received are exact";
    }
    if (is_variable && fm_counter_list_names("BYTES_PUT,BYTES_GET", "", spc)) {
        return "Open MPI 4.1.4 does not count MPI_Put and MPI_Get with its components osc sm and "
               "osc rdma; mpi.bytes_put and mpi.bytes_got are exact";
    }
    if (is_variable && fm_counter_list_names("MAX_*", "", spc)) {
        return "reading resets it in Open MPI 4.1.4: this is the maximum since the previous "
               "reading";
    }
    return NULL;
}
