/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/library_counters.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/counting/counter_samples.h"
#include "record/counting/papi/sde_counters.h"

#include <stdio.h>
#include <string.h>

bool fm_library_counters_named(const char *prefix, const char *part)
{
    char word[FM_COUNTER_WORD];
    const char *list = fm_counters_asked();
    while (list != NULL && (list = fm_counter_list_next(list, word)) != NULL) {
        if (strncmp(word, prefix, strlen(prefix)) == 0 && strstr(word, part) != NULL) {
            return true;
        }
    }
    return false;
}

bool fm_library_counter_named(const char *prefix, const char *name)
{
    const char *list = fm_counters_asked();
    return list != NULL && fm_counter_list_names(list, prefix, name);
}

bool fm_library_counter_selected(const char *name)
{
    const char *list = fm_counters_asked();
    return list != NULL &&
           (fm_counter_selected(list, name) || fm_counter_list_names_spc(list, name));
}

uint64_t *fm_library_counter_word(uint32_t slot)
{
    return fm_counter_file_process() + FM_BLOCK_HEAD + slot;
}

static bool is_hidden(const struct fm_counter_entry *entry)
{
    return entry->tier == FM_TIER_UNAVAILABLE;
}

bool fm_library_spc_named(const char *name)
{
    const char *list = fm_counters_asked();
    bool found = false;
    for (size_t i = 0; list != NULL && !found && i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        found = is_hidden(entry) && (name == NULL || strcmp(name, entry->name) == 0) &&
                fm_counter_list_names_spc(list, entry->name);
    }
    return found;
}

uint32_t fm_library_spc_kind(const char *name)
{
    const struct fm_counter_entry *entry = fm_counter_named(name);
    return entry != NULL ? entry->kind : FM_COUNTER_COUNT;
}

void fm_library_boundaries(uint64_t *message, int *communicator)
{
    *message = fm_counter_boundary(FM_BOUNDARY_COLLECTIVE);
    *communicator = (int)fm_counter_boundary(FM_BOUNDARY_COMMUNICATOR);
}

uint32_t fm_library_counter_add(const struct fm_added_counter *counter)
{
    return fm_counter_file_add(counter);
}

/* Whether the file describes a counter that a name or pattern means. */
static bool is_described(const char *pattern)
{
    size_t count;
    const struct fm_counter_description *each = fm_counter_file_descriptions(&count);
    bool found = false;
    for (size_t i = 0; !found && i < count; i++) {
        found = fm_counter_list_names(pattern, "", each[i].name);
    }
    return found;
}

static uint32_t bins_of(enum fm_counter_kind kind)
{
    return kind == FM_COUNTER_COLLECTIVE_BINS ? 4 : kind == FM_COUNTER_BINS ? 2 : 1;
}

/* The level that a watermark of hooks is the maximum of: MAX_NAME of NAME. Those of the library's
 * variables are kept by the library. */
static uint32_t sentinel_of(const char *name, uint32_t kind, uint32_t tier)
{
    size_t count;
    const struct fm_counter_description *each = fm_counter_file_descriptions(&count);
    bool is_ours =
        kind == FM_COUNTER_HIGH_WATERMARK && tier == FM_TIER_HOOK && strncmp(name, "MAX_", 4) == 0;
    for (size_t i = 0; is_ours && i < count; i++) {
        if (strcmp(each[i].name, name + 4) == 0) {
            return each[i].slot;
        }
    }
    return 0;
}

uint32_t fm_library_spc_add(const char *name, uint32_t kind, uint32_t tier, const char *how)
{
    const struct fm_counter_entry *entry = fm_counter_named(name);
    char meaning[FM_COUNTER_MEANING];
    if (entry == NULL || is_described(name)) {
        return 0;
    }
    if (tier == FM_TIER_UNAVAILABLE) {
        snprintf(meaning, sizeof meaning, "%s", how);
    } else {
        snprintf(meaning, sizeof meaning, "%s (%s)", entry->meaning, how);
    }
    return fm_counter_file_add(
        &(struct fm_added_counter){.name = entry->name,
                                   .unit = entry->unit,
                                   .kind = kind,
                                   .tier = tier,
                                   .bins = bins_of((enum fm_counter_kind)kind),
                                   .sentinel = sentinel_of(entry->name, kind, tier),
                                   .meaning = meaning});
}

static void add_lack(const char *name, const char *reason)
{
    fm_counter_file_add(&(struct fm_added_counter){
        .name = name, .unit = "", .tier = FM_TIER_UNAVAILABLE, .bins = 1, .meaning = reason});
}

static void add_lacks(const char *list, const char *reason)
{
    char word[FM_COUNTER_WORD];
    for (const char *rest = list; (rest = fm_counter_list_next(rest, word)) != NULL;) {
        if (strncmp(word, FM_COUNTER_MPIT, strlen(FM_COUNTER_MPIT)) == 0 && !is_described(word)) {
            add_lack(word, reason);
        }
    }
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        if (is_hidden(entry) && fm_counter_list_names_spc(list, entry->name) &&
            !is_described(entry->name)) {
            add_lack(entry->name, reason);
        }
    }
}

void fm_library_counters_complete(const char *reason, fm_counter_reader_t *reader)
{
    const char *list = fm_counters_asked();
    size_t count;
    fm_counter_file_descriptions(&count);
    if (list == NULL || count == 0) {
        return;
    }
    add_lacks(list, reason);
    if (reader != NULL) {
        fm_counter_file_read_by(reader);
        fm_counter_file_tick();
    }
    fm_counter_samples_begin();
    fm_sde_counters_offer();
}

void fm_library_counters_end(void)
{
    fm_counter_file_tick();
}
