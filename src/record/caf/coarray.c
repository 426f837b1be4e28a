/* SPDX-License-Identifier: BSD-3-Clause */
/* Establishment of coarrays, and those with a meaning of their own: locks, critical constructs,
 * events. A lock is known by its team, its owner, and the number of locks established in the team
 * before, which is the same on all images. */
#include "record/caf/caf.h"

#include <stdlib.h>

/* A coarray that all images of a team have established. */
struct coarray {
    const void *token; /* of the library */
    const struct fm_caf_team *team;
    uint64_t first_lock; /* number of its first element, if these are locks */
    bool is_critical;
    struct coarray *next;
};

static struct coarray *coarrays;

static struct coarray *find(const void *token)
{
    struct coarray *coarray = coarrays;
    while (coarray != NULL && coarray->token != token) {
        coarray = coarray->next;
    }
    return coarray;
}

/* Without memory a lock has no records.
 * @param count  of elements, if these are locks */
static void add(const void *token, int type, size_t count)
{
    struct coarray *coarray = malloc(sizeof *coarray);
    if (coarray != NULL) {
        *coarray = (struct coarray){token, fm_caf_team, fm_caf_team->locks, type == FM_CAF_CRITICAL,
                                    coarrays};
        coarrays = coarray;
    }
    if (type == FM_CAF_CRITICAL || type == FM_CAF_LOCK_STATIC || type == FM_CAF_LOCK_ALLOCATABLE) {
        fm_caf_team->locks += count;
    }
}

static bool forget(const void *token)
{
    for (struct coarray **place = &coarrays; *place != NULL; place = &(*place)->next) {
        struct coarray *coarray = *place;
        if (coarray->token == token) {
            *place = coarray->next;
            free(coarray);
            return true;
        }
    }
    return false;
}

static bool is_component(int type)
{
    return type == FM_CAF_COMPONENT_REGISTER || type == FM_CAF_COMPONENT_ALLOCATE;
}

/* Static coarrays are established before the program begins the library: the library would do it in
 * its own function, inside this call. */
void fm__gfortran_caf_register(size_t size, int type, void **token, struct fm_caf_array *array,
                               int *stat, char *errmsg, size_t errmsg_len)
{
    if (!fm_caf_has_begun) {
        fm__gfortran_caf_init(NULL, NULL);
    }
    struct fm_thread *thread = fm_call_enter(
        is_component(type) ? FM_CAF_FUNCTION(register_component) : FM_CAF_FUNCTION(register));
    if (thread != NULL && !is_component(type)) {
        fm_caf_awaits(thread, fm_caf_team, 0);
    }
    FM_CAF(register)(size, type, token, array, stat, errmsg, errmsg_len);
    bool good = stat == NULL || *stat == 0;
    if (!is_component(type) && good) {
        add(*token, type, size);
    }
    if (thread == NULL) {
        return;
    }
    if (is_component(type) || !good) {
        fm_call_leave(thread);
    } else {
        fm_caf_synchronize(thread, OTF2_COLLECTIVE_OP_ALLOCATE, fm_caf_team);
    }
}

void fm__gfortran_caf_deregister(void **token, int type, int *stat, char *errmsg, size_t errmsg_len)
{
    bool synchronizes = forget(*token) || type == FM_CAF_DEREGISTER;
    struct fm_thread *thread = fm_call_enter(synchronizes ? FM_CAF_FUNCTION(deregister)
                                                          : FM_CAF_FUNCTION(deregister_component));
    if (thread != NULL && synchronizes) {
        fm_caf_awaits(thread, fm_caf_team, 0);
    }
    FM_CAF(deregister)(token, type, stat, errmsg, errmsg_len);
    if (thread != NULL && synchronizes) {
        fm_caf_synchronize(thread, OTF2_COLLECTIVE_OP_DEALLOCATE, fm_caf_team);
    } else {
        fm_call_leave(thread);
    }
}

/* ---- locks ---- */

/* Number of a process in a team; -1: it is no member. */
static int rank_in(const struct fm_caf_team *team, int process)
{
    if (team->members == NULL) {
        return process;
    }
    int rank = 0;
    while (rank < team->size && team->members[rank] != process) {
        rank++;
    }
    return rank < team->size ? rank : -1;
}

/* The image that has a lock, in the team of the coarray. -1: it is not known.
 * @param image  of the current team, which need not be that of the coarray */
static int owner_of(const struct coarray *coarray, int image)
{
    return coarray != NULL && fm_caf_world.size != 0
               ? rank_in(coarray->team, fm_caf_process(fm_caf_team, image))
               : -1;
}

static void record_lock(struct fm_thread *thread, enum fm_record_kind kind,
                        const struct coarray *coarray, size_t index, int image)
{
    int owner = owner_of(coarray, image);
    if (owner >= 0) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_LOCK_ACQUIRE);
        fm_put_lock(r, kind, OTF2_LOCK_EXCLUSIVE, coarray->team->window, (uint32_t)owner,
                    coarray->first_lock + index);
    } else {
        fm_thread_leave(thread, 0);
    }
}

void fm__gfortran_caf_lock(void *token, size_t index, int image, int *acquired, int *stat,
                           char *errmsg, size_t errmsg_len)
{
    const struct coarray *coarray = find(token);
    struct fm_thread *thread =
        fm_call_enter(coarray != NULL && coarray->is_critical ? FM_CAF_FUNCTION(critical)
                                                              : FM_CAF_FUNCTION(lock));
    const int owner = thread != NULL && acquired == NULL ? owner_of(coarray, image) : -1;
    if (owner >= 0) {
        fm_open_lock_request(thread, coarray->team->window, (uint32_t)owner,
                             coarray->first_lock + index);
    }
    FM_CAF(lock)(token, index, image, acquired, stat, errmsg, errmsg_len);
    if (thread != NULL) {
        bool good = stat == NULL || *stat == 0;
        bool has_it = acquired == NULL || *acquired != 0;
        record_lock(thread, has_it ? FM_RECORD_LOCK_ACQUIRE : FM_RECORD_LOCK_TRY,
                    good ? coarray : NULL, index, image);
        fm_thread_done(thread);
    }
}

/* The record of the release has the time of the Enter, so that none of the next owner is earlier.
 */
void fm__gfortran_caf_unlock(void *token, size_t index, int image, int *stat, char *errmsg,
                             size_t errmsg_len)
{
    const struct coarray *coarray = find(token);
    struct fm_thread *thread =
        fm_call_enter(coarray != NULL && coarray->is_critical ? FM_CAF_FUNCTION(end_critical)
                                                              : FM_CAF_FUNCTION(unlock));
    FM_CAF(unlock)(token, index, image, stat, errmsg, errmsg_len);
    if (thread != NULL) {
        bool good = stat == NULL || *stat == 0;
        record_lock(thread, FM_RECORD_LOCK_RELEASE_FIRST, good ? coarray : NULL, index, image);
        fm_thread_done(thread);
    }
}

/* ---- events ---- */

void fm__gfortran_caf_event_wait(void *token, size_t index, int until_count, int *stat,
                                 char *errmsg, size_t errmsg_len)
{
    struct fm_thread *thread = fm_call_enter(FM_CAF_FUNCTION(event_wait));
    FM_CAF(event_wait)(token, index, until_count, stat, errmsg, errmsg_len);
    if (thread != NULL && fm_caf_world.size != 0) {
        fm_put_mark(fm_thread_leave(thread, FM_WORDS_WAIT_CHANGE), FM_RECORD_WAIT_CHANGE,
                    fm_caf_world.window);
        fm_thread_done(thread);
    } else {
        fm_call_leave(thread);
    }
}
