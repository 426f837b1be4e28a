/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/start.h"

#include "record/experiment/experiment_note.h"
#include "record/experiment/kept_variables.h"
#include "record/preload/sanitizers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fm_kept_variables at_start;

void fm_preload_keep_variables(void)
{
    fm_variables_keep(&at_start, NULL);
}

char *const *fm_preload_variables(void)
{
    return at_start.items;
}

const char *fm_preload_variable(const char *name)
{
    const char *now = getenv(name);
    return now != NULL ? now : fm_variables_find(&at_start, name);
}

static bool is_one_of(const char *text, const char *const words[])
{
    while (*words != NULL && strcmp(text, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

bool fm_preload_begins_threads(const char *function)
{
    static const char *const names[] = {"pthread_create", "thrd_create", NULL};
    return is_one_of(function, names);
}

/* Whether the program of this process starts the processes of parallel programs. */
static bool is_launcher(void)
{
    static const char *const names[] = {"orterun",         "orted",  "mpirun",     "mpiexec",
                                        "prterun",         "prte",   "prted",      "mpiexec.hydra",
                                        "hydra_pmi_proxy", "srun",   "slurmstepd", "aprun",
                                        "jsrun",           "oshrun", "flux",       NULL};
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return is_one_of(slash != NULL ? slash + 1 : path, names);
}

bool fm_preload_is_program(void)
{
    const char *process = fm_preload_variable("FERMATA_PROCESS");
    char own[32];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    return process != NULL && strcmp(process, own) == 0 && !is_launcher();
}

/* Of the processes of a launcher, the first one reports what concerns all. */
static bool is_first(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        const char *rank = fm_preload_variable(ranks[i]);
        if (rank != NULL) {
            return strcmp(rank, "0") == 0;
        }
    }
    return true;
}

/* Reports why the program, or its threads, are not recorded. */
static void refuse(bool is_whole, const char *reason)
{
    char path[PATH_MAX], text[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    snprintf(text, sizeof text, "%s%s %s not recorded: %s", is_whole ? "" : "threads of ", path,
             is_whole ? "is" : "are", reason);
    if (is_first()) {
        dprintf(STDERR_FILENO, "fermata: %s\n", text);
        fm_experiment_note(fm_preload_variable(FM_RESULT_FILE_VARIABLE), text);
    }
}

static bool wants_threads(void)
{
    const char *threads = fm_preload_variable("FERMATA_THREADS");
    return threads == NULL || strcmp(threads, "off") != 0;
}

bool fm_preload_refuses(void)
{
    const char *reason = fm_sanitizer_obstacle();
    const char *of_threads = wants_threads() ? fm_sanitizer_obstacle_of_threads() : NULL;
    if (reason != NULL || of_threads != NULL) {
        refuse(reason != NULL, reason != NULL ? reason : of_threads);
    }
    return reason != NULL;
}

bool fm_preload_is_openmp(const char *soname)
{
    static const char *const begins[] = {"libgomp", "libomp", "libiomp"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(soname, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

bool fm_preload_records_threads(void)
{
    return wants_threads() && fm_sanitizer_obstacle_of_threads() == NULL;
}

bool fm_preload_starts_with_threads(void)
{
    return fm_preload_records_threads() && fm_preload_is_program();
}
