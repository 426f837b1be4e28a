/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/start.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    const char *process = getenv("FERMATA_PROCESS");
    char own[32];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    return process != NULL && strcmp(process, own) == 0 && !is_launcher();
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

bool fm_preload_starts_with_threads(void)
{
    const char *threads = getenv("FERMATA_THREADS");
    return (threads == NULL || strcmp(threads, "off") != 0) && fm_preload_is_program();
}
