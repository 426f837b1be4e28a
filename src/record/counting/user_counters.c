/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/user_counters.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/lock.h"
#include "record/counting/counter_file.h"

#include <stdio.h>
#include <string.h>

/* Definitions with larger numbers are those of programs that define thousands of metrics. */
enum { METRICS_MOST = 4096 };

static struct {
    fm_lock_t lock;
    uint32_t count;
    struct user_counter {
        uint32_t metric, kind;
        char name[FM_COUNTER_NAME], unit[FM_COUNTER_UNIT];
    } all[FM_ADDED_MOST];
} user = {.lock = FM_LOCK_FREE};

static uint32_t slots[METRICS_MOST]; /* by number of the definition; 0: none */

/* Replaces what separates names in lists and in tables. */
static void replace(char *text)
{
    for (char *c = text; (c = strpbrk(c, ", \t\n\r\"")) != NULL;) {
        *c = '_';
    }
}

static void add_to_file(const struct user_counter *each)
{
    if (slots[each->metric] != 0) {
        return;
    }
    uint32_t slot = fm_counter_file_add(&(struct fm_added_counter){
        .name = each->name,
        .unit = each->unit,
        .kind = each->kind,
        .tier = FM_TIER_PROGRAM,
        .bins = 1,
        .meaning = "declared by the program; its last value, summed over threads"});
    __atomic_store_n(&slots[each->metric], slot, __ATOMIC_RELEASE);
}

/* With the lock. */
static struct user_counter *known(uint32_t metric)
{
    for (uint32_t i = 0; i < user.count; i++) {
        if (user.all[i].metric == metric) {
            return &user.all[i];
        }
    }
    return NULL;
}

void fm_user_counter_add(uint32_t metric, const char *name, const char *unit, bool is_total,
                         bool is_real)
{
    if (!fm_counters_are_asked() || metric >= METRICS_MOST) {
        return;
    }
    fm_lock(&user.lock);
    if (user.count < FM_ADDED_MOST && known(metric) == NULL) {
        struct user_counter *each = &user.all[user.count++];
        each->metric = metric;
        each->kind = is_real ? (is_total ? FM_COUNTER_REAL : FM_COUNTER_REAL_LEVEL)
                             : (is_total ? FM_COUNTER_COUNT : FM_COUNTER_LEVEL);
        snprintf(each->name, sizeof each->name, FM_COUNTER_USER "%s", name);
        snprintf(each->unit, sizeof each->unit, "%s", unit);
        replace(each->name);
        replace(each->unit);
        add_to_file(each);
    }
    fm_unlock(&user.lock);
}

void fm_user_counters_begin(void)
{
    fm_lock(&user.lock);
    for (uint32_t i = 0; i < user.count; i++) {
        add_to_file(&user.all[i]);
    }
    fm_unlock(&user.lock);
}

uint32_t fm_user_counter_slot(uint32_t metric)
{
    return metric < METRICS_MOST ? __atomic_load_n(&slots[metric], __ATOMIC_ACQUIRE) : 0;
}
