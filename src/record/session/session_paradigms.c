/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_paradigms.h"

#include "record/counting/counter_file.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"
#include "record/session/session_unseen.h"

static struct {
    struct active {
        const struct fm_paradigm *paradigm;
        const char *library; /* version of the library; NULL: not known */
        bool open;           /* the paradigm has begun and not ended */
    } items[FM_PARADIGMS_MOST];
    uint32_t count;
    struct fm_recorded_region regions[FM_FUNCTIONS_MOST];
} active;

/* Appends functions to an existing journal; a new journal begins with all functions known then. */
static bool journal_functions(const struct fm_recorded_region *regions, size_t count)
{
    return !fm_session_is_set(&fm_session.open) || fm_session_is_set(&fm_session_state.ended) ||
           fm_journal_functions(regions, count);
}

static bool add(const struct fm_paradigm *paradigm)
{
    size_t first = fm_session.region_count;
    if (active.count == FM_PARADIGMS_MOST || first + paradigm->count > FM_FUNCTIONS_MOST) {
        return false;
    }
    for (uint32_t i = 0; i < paradigm->count; i++) {
        active.regions[first + i] = (struct fm_recorded_region){.name = paradigm->functions[i].name,
                                                                .role = paradigm->functions[i].role,
                                                                .paradigm = paradigm->description};
    }
    if (!journal_functions(active.regions + first, paradigm->count)) {
        return false;
    }
    fm_counter_file_functions(active.regions, first, paradigm->count);
    *paradigm->first = (uint32_t)first;
    active.items[active.count].paradigm = paradigm;
    __atomic_store_n(&active.count, active.count + 1, __ATOMIC_RELEASE);
    fm_session.regions = active.regions;
    __atomic_store_n(&fm_session.region_count, first + paradigm->count, __ATOMIC_RELEASE);
    return true;
}

bool fm_session_attach(const struct fm_paradigm *paradigm)
{
    fm_lock(&fm_session.lock);
    bool added = add(paradigm);
    fm_unlock(&fm_session.lock);
    if (!added) {
        fm_session_tell("%s is not recorded: there is no room for its functions; record the "
                        "program with fewer paradigms",
                        paradigm->description->name);
        return false;
    }
    fm_session_find_unseen(paradigm);
    if (paradigm->attach != NULL) {
        paradigm->attach();
    }
    return added;
}

/* Items are never removed, so that items below the count are read without the lock. */
static uint32_t count_active(void)
{
    return __atomic_load_n(&active.count, __ATOMIC_ACQUIRE);
}

bool fm_session_has_ranks(void)
{
    for (uint32_t i = 0; i < count_active(); i++) {
        if (fm_paradigm_has_ranks(active.items[i].paradigm->description)) {
            return true;
        }
    }
    return false;
}

static struct active *find(const struct fm_paradigm *paradigm)
{
    for (uint32_t i = 0; i < active.count; i++) {
        if (active.items[i].paradigm == paradigm) {
            return &active.items[i];
        }
    }
    return NULL;
}

void fm_session_paradigm_begins(const struct fm_paradigm *paradigm, const char *library)
{
    fm_lock(&fm_session.lock);
    struct active *item = find(paradigm);
    if (item != NULL) {
        item->open = true;
        item->library = library;
    }
    fm_unlock(&fm_session.lock);
}

void fm_session_paradigm_ends(const struct fm_paradigm *paradigm)
{
    fm_lock(&fm_session.lock);
    struct active *item = find(paradigm);
    if (item != NULL) {
        item->open = false;
    }
    fm_unlock(&fm_session.lock);
}

uint32_t fm_session_paradigms_open(void)
{
    uint32_t open = 0;
    fm_lock(&fm_session.lock);
    for (uint32_t i = 0; i < active.count; i++) {
        open += active.items[i].open;
    }
    fm_unlock(&fm_session.lock);
    return open;
}

bool fm_session_ranks_open(void)
{
    bool open = false;
    fm_lock(&fm_session.lock);
    for (uint32_t i = 0; i < active.count; i++) {
        const struct active *item = &active.items[i];
        open = open || (item->open && fm_paradigm_has_ranks(item->paradigm->description));
    }
    fm_unlock(&fm_session.lock);
    return open;
}

size_t fm_session_library_versions(struct fm_library_version *versions)
{
    size_t count = 0;
    for (uint32_t i = 0; i < count_active(); i++) {
        const struct active *item = &active.items[i];
        if (item->library != NULL) {
            versions[count++] = (struct fm_library_version){
                .paradigm = item->paradigm->description->name, .version = item->library};
        }
    }
    return count;
}

bool fm_session_define_paradigms(struct fm_definitions *set)
{
    bool good = true;
    for (uint32_t i = 0; i < count_active(); i++) {
        good = fm_define_paradigm(set, active.items[i].paradigm->description) != FM_DEFINE_NONE &&
               good;
    }
    return good;
}

void fm_session_report_objects(fm_object_report_t *report, void *context, bool only_new)
{
    for (uint32_t i = 0; i < count_active(); i++) {
        if (active.items[i].paradigm->report_objects != NULL) {
            active.items[i].paradigm->report_objects(report, context, only_new);
        }
    }
}

void fm_session_paradigms_run_ends(void)
{
    for (uint32_t i = 0; i < count_active(); i++) {
        if (active.items[i].paradigm->run_ends != NULL) {
            active.items[i].paradigm->run_ends();
        }
    }
}

void fm_session_finalize_paradigms(void)
{
    for (uint32_t i = count_active(); i-- > 0;) {
        if (active.items[i].paradigm->finalize != NULL) {
            active.items[i].paradigm->finalize();
        }
    }
}
