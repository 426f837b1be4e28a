/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends: of processes, and of `fermata record --counters-only`. */
#include "cli/counters/counter_output.h"
#include "cli/text/safe_text.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static bool has(const char *directory, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

bool fm_counters_are_all(const char *directory)
{
    return has(directory, "counters") && !has(directory, "traces.otf2") &&
           !has(directory, "journal");
}

void fm_counters_note_cut(const struct fm_counter_job *job, const char *directory, size_t known)
{
    const size_t ended = fm_counter_job_in_state(job, FERMATA_PROCESS_ENDED);
    if (known > ended) {
        char safe[4096];
        fm_safe_copy(safe, sizeof safe, directory);
        fprintf(stderr,
                "fermata counters: %s: %zu of %zu ranks did not reach their regular end: they are "
                "counted up to the last call that they have left\n",
                safe, job->ranks - ended, job->ranks);
    }
}

void fm_counters_print_closing(const char *directory)
{
    struct fm_counter_job job;
    struct fm_error error;
    char safe[4096];
    fm_safe_copy(safe, sizeof safe, directory);
    if (fm_counter_job_open(directory, &job, &error) != FM_OK) {
        fprintf(stderr, "fermata: %s\n", fm_safe_text(error.message));
        return;
    }
    size_t ended = fm_counter_job_in_state(&job, FERMATA_PROCESS_ENDED);
    fprintf(stderr, "fermata: %s: counters of %zu processes", safe, job.ranks);
    if (ended != job.ranks) {
        fprintf(stderr, ", %zu of which did not reach their regular end", job.ranks - ended);
    }
    fprintf(stderr, "; no trace; see fermata report and fermata counters show %s\n", safe);
    fm_counter_job_close(&job);
}
