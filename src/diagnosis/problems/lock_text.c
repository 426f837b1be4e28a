/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/lock_text.h"

#include "base/memory.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/process_word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** @return a lock of threads in words; to be freed with free(). Locks outside of variables, such as
 * on the heap, have no name, but an address: they are known by the calls that wait for them. */
static char *thread_lock_name(const struct fm_diagnosis *diagnosis, const struct fm_cube_lock *lock)
{
    const struct fm_process_word *process = &diagnosis->process;
    const bool has_address = strncmp(lock->name, "0x", 2) == 0;
    char *name = fm_place_name(diagnosis, lock->name), *place = NULL, *text = NULL;
    char owner[64] = "";
    if (diagnosis->cube->experiment.process_count != 1) {
        snprintf(owner, sizeof owner, " of %s %u", process->one, lock->target + process->first);
    }
    if (has_address && lock->waited_in_count > 0) {
        place = fm_place_callpath(diagnosis, lock->waited_in[0].callpath);
    }
    int length = place != NULL ? asprintf(&text, "the lock at %s%s, waited for most in `%s`", name,
                                          owner, place)
                 : has_address ? asprintf(&text, "the lock at %s%s", name, owner)
                               : asprintf(&text, "`%s`%s", name, owner);
    if (length < 0) {
        abort();
    }
    free(place);
    free(name);
    return text;
}

char *fm_lock_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube_lock *lock =
        cause->lock == FM_CUBE_NONE ? NULL : &diagnosis->cube->locks[cause->lock];
    const struct fm_process_word *process = &diagnosis->process;
    char *text = NULL;
    char *window = NULL;
    int length;
    if (lock == NULL) {
        length = asprintf(&text, "a lock");
    } else if (fm_cube_lock_is_of_threads(lock)) {
        return thread_lock_name(diagnosis, lock);
    } else if (lock->window == FM_CUBE_NONE) {
        window = fm_place_name(diagnosis, lock->name);
        length = asprintf(&text, "the %s", window);
    } else {
        char number[32];
        snprintf(number, sizeof number, "%u", lock->window);
        window = lock->name != NULL && lock->name[0] != '\0' ? fm_place_name(diagnosis, lock->name)
                                                             : NULL;
        /* A window that the program has not named is "window 2 (MPI_Win_create, halo.c:31)". */
        const bool is_numbered = window != NULL && strncmp(window, "window ", 7) == 0;
        const char *created = is_numbered ? strchr(window, '(') : NULL;
        const char *shown = window == NULL || is_numbered ? number : window;
        const char *quote = window != NULL && !is_numbered ? "`" : "";
        const uint32_t locks = cause->contention.lock_count;
        const char *blank = created != NULL ? " " : "";
        created = created != NULL ? created : "";
        length = locks > 1 ? asprintf(&text, "the locks of window %s%s%s on %u %s%s%s", quote,
                                      shown, quote, locks, process->many, blank, created)
                 : lock->target == FM_CUBE_NONE
                     ? asprintf(&text, "the lock of window %s%s%s on all %s%s%s", quote, shown,
                                quote, process->many, blank, created)
                     : asprintf(&text, "the lock of window %s%s%s on %s %u%s%s", quote, shown,
                                quote, process->one, lock->target + process->first, blank, created);
    }
    if (length < 0) {
        abort();
    }
    free(window);
    return text;
}

/** @return [location]: whether it is one of a problem, or waits because of it; to be freed */
static bool *find_users(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    bool *users = fm_allocate(cube->location_count, sizeof *users);
    for (uint32_t i = 0; i < cause->location_count; i++) {
        users[cause->locations[i]] = true;
    }
    for (uint32_t s = 0; s < cause->symptom_count; s++) {
        for (uint32_t i = 0; i < cause->symptoms[s].location_count; i++) {
            users[cause->symptoms[s].locations[i]] = true;
        }
    }
    return users;
}

char *fm_lock_users_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    const bool is_of_threads =
        cause->lock != FM_CUBE_NONE && fm_cube_lock_is_of_threads(&cube->locks[cause->lock]);
    bool *users = find_users(cube, cause);
    bool *ranks = fm_allocate(cube->location_count, sizeof *ranks); /* by first location */
    uint32_t count = 0;
    for (uint32_t l = 0, first = 0; l < cube->location_count; l++) {
        first = l > 0 && cube->locations[l].rank != cube->locations[l - 1].rank ? l : first;
        const uint32_t user = is_of_threads ? l : first;
        count += users[l] && !ranks[user];
        ranks[user] |= users[l];
    }
    char *text = NULL;
    const struct fm_process_word *process = &diagnosis->process;
    const char *noun = is_of_threads ? (count == 1 ? "thread" : "threads")
                       : count == 1  ? process->one
                                     : process->many;
    if (asprintf(&text, "%u %s", count, noun) < 0) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    fm_free(users);
    fm_free(ranks);
    return text;
}

void fm_lock_how_add(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                     struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_contention *contention = &cause->contention;
    char hold[FM_FORMAT_SIZE];
    char *calls[FM_CUBE_HELD_IN] = {NULL};
    for (uint32_t i = 0; i < contention->held_in_count; i++) {
        const uint32_t region = cube->callpaths[contention->held_in[i]].region;
        calls[i] = fm_place_name(diagnosis, cube->regions[region].name);
    }
    const double held = (double)contention->held;
    fm_sentences_add(
        lines, "How", "each holds %s for %s at a time in %s%s%s, %.1f wait for it on average",
        contention->lock_count > 1 ? "one" : "it",
        fm_format_ticks(hold, cube, (int64_t)contention->hold),
        contention->held_in_count > 0 ? calls[0] : "library calls",
        contention->held_in_count > 1 ? " and " : "", contention->held_in_count > 1 ? calls[1] : "",
        held > 0 ? (double)contention->waiting / held : 0);
    for (uint32_t i = 0; i < contention->held_in_count; i++) {
        free(calls[i]);
    }
}
