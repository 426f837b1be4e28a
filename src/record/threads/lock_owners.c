/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/threads/lock_owners.h"

enum { OWNERS_MOST = 64 };

static uint64_t *put_owner(uint64_t *place, struct fm_thread *thread, const struct fm_thread *owner,
                           uint64_t time, uint64_t in)
{
    return fm_put_awaited_owner(place, owner->index, time,
                                in != 0 ? fm_thread_site_of(thread, in) : FM_SITE_UNKNOWN);
}

/* The thread that has the lock alone. @return NULL: none that is known */
static const struct fm_thread *owner_of(const void *lock, enum fm_lock_kind kind)
{
    int id = 0;
    if (kind == FM_LOCK_MUTEX) {
        id = __atomic_load_n(&((const pthread_mutex_t *)lock)->__data.__owner, __ATOMIC_RELAXED);
    } else if (kind == FM_LOCK_SHARED) {
        id = __atomic_load_n(&((const pthread_rwlock_t *)lock)->__data.__cur_writer,
                             __ATOMIC_RELAXED);
    }
    return id != 0 ? fm_thread_of_system(id) : NULL;
}

FM_UNSYNCHRONIZED void fm_open_lock(struct fm_thread *thread, struct fm_object *object,
                                    const void *lock, enum fm_lock_kind kind)
{
    uint64_t *place = fm_put_object(fm_open_begin(thread), object);
    const struct fm_thread *owner = owner_of(lock, kind);
    if (owner != NULL) {
        const struct fm_acquisition holder = object->holder; /* may be changed now */
        const bool is_known = holder.order != 0;
        place =
            put_owner(place, thread, owner, is_known ? holder.time : 0, is_known ? holder.in : 0);
    }
    struct fm_thread_held held;
    const struct fm_thread *each = NULL;
    for (int i = 0; owner == NULL && kind == FM_LOCK_SHARED && i < OWNERS_MOST &&
                    (each = fm_thread_sharing(each, lock, &held)) != NULL;
         i++) {
        place = put_owner(place, thread, each, held.time, held.in);
    }
    fm_open_end(thread, place);
}
