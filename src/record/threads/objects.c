/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/threads/posix.h"

#include "record/threads/objects.h"

#include <errno.h>
#include <sys/mman.h>

struct fm_object *fm_objects;

static struct fm_object *tables[FM_OBJECTS_TABLES]; /* atomic; NULL: not allocated */
static bool has_new; /* atomic; false: there is no object of the state FM_OBJECT_NEW */

static unsigned bits_of(unsigned table)
{
    return FM_OBJECTS_FIRST_BITS + 2 * table;
}

/* The places behind a table's last one are searched, too. */
static uint64_t size_of(unsigned table)
{
    return ((uint64_t)1 << bits_of(table)) + FM_OBJECTS_PROBES;
}

/* @return the table; NULL: without memory */
static struct fm_object *table_at(unsigned table)
{
    struct fm_object *there = __atomic_load_n(&tables[table], __ATOMIC_ACQUIRE), *none = NULL;
    if (there != NULL) {
        return there;
    }
    int saved = errno;
    size_t bytes = size_of(table) * sizeof *there;
    there = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    if (there == MAP_FAILED) {
        there = NULL;
    } else if (!__atomic_compare_exchange_n(&tables[table], &none, there, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE)) {
        munmap(there, bytes);
        there = none;
    }
    errno = saved;
    return there;
}

bool fm_objects_begin(void)
{
    fm_objects = table_at(0);
    return fm_objects != NULL;
}

/* An object is in the first place that was free when it was entered. */
struct fm_object *fm_object_search(uint64_t address)
{
    for (unsigned t = 0; t < FM_OBJECTS_TABLES; t++) {
        struct fm_object *table = table_at(t);
        if (table == NULL) {
            break;
        }
        struct fm_object *slot = &table[fm_object_hash(address) >> (64 - bits_of(t))];
        for (int i = 0; i < FM_OBJECTS_PROBES; i++, slot++) {
            uint64_t there = __atomic_load_n(&slot->address, __ATOMIC_RELAXED);
            if (there == 0) {
                __atomic_compare_exchange_n(&slot->address, &there, address, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED);
                there = there == 0 ? address : there;
            }
            if (there == address) {
                return slot;
            }
        }
    }
    return NULL;
}

static uint32_t number_of(const struct fm_object *object)
{
    uint64_t before = 1;
    for (unsigned t = 0; t < FM_OBJECTS_TABLES; t++) {
        const struct fm_object *table = __atomic_load_n(&tables[t], __ATOMIC_ACQUIRE);
        if (table != NULL && object >= table && object < table + size_of(t)) {
            return (uint32_t)(before + (uint64_t)(object - table));
        }
        before += size_of(t);
    }
    return 0;
}

uint32_t fm_object_id(struct fm_object *object)
{
    const uint32_t id = number_of(object);
    uint32_t none = 0;
    if (__atomic_load_n(&object->is_recorded, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(&object->is_recorded, &none, FM_OBJECT_NEW, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        if (fm_session_note_object(id, object->address)) {
            __atomic_store_n(&object->is_recorded, FM_OBJECT_REPORTED, __ATOMIC_RELAXED);
        } else {
            __atomic_store_n(&has_new, true, __ATOMIC_RELEASE);
        }
    }
    return id;
}

void fm_objects_report(void (*report)(void *context, uint32_t id, uint64_t address), void *context,
                       bool only_new)
{
    if (only_new && !__atomic_exchange_n(&has_new, false, __ATOMIC_ACQUIRE)) {
        return;
    }
    for (unsigned t = 0; t < FM_OBJECTS_TABLES; t++) {
        struct fm_object *table = __atomic_load_n(&tables[t], __ATOMIC_ACQUIRE);
        for (uint64_t i = 0; table != NULL && i < size_of(t); i++) {
            uint32_t state = __atomic_load_n(&table[i].is_recorded, __ATOMIC_RELAXED);
            if (only_new ? state == FM_OBJECT_NEW : state != 0) {
                report(context, number_of(&table[i]), table[i].address);
                if (only_new) {
                    __atomic_store_n(&table[i].is_recorded, FM_OBJECT_REPORTED, __ATOMIC_RELAXED);
                }
            }
        }
    }
}
