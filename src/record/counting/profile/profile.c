/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/profile/profile.h"

#include "record/capture/memory_use.h"
#include "record/capture/thread.h"

#include <sys/mman.h>

_Static_assert((int)FM_PROFILE_NODES <= UINT16_MAX + 1, "numbers in the hash tables");

struct fm_call_profile *fm_profile_new(void)
{
    struct fm_call_profile *profile = fm_memory_use_map(sizeof *profile, MAP_NORESERVE);
    if (profile != NULL) {
        fm_profile_begin(profile);
    }
    return profile;
}

void fm_profile_begin(struct fm_call_profile *profile)
{
    profile->node_count = profile->entry_count = profile->stretch_count = 1;
    profile->visits.count = 1;
    profile->entries[0].function = UINT32_MAX; /* no call finds it */
    profile->entry = &profile->entries[0];
}

static size_t hash(uint32_t one, uint32_t other)
{
    uint64_t mixed = ((uint64_t)one << 32 | other) * 0x9e3779b97f4a7c15u;
    return (size_t)(mixed >> 40);
}

/* The node below another one; that one if there is no room. */
static uint32_t node_below(struct fm_call_profile *profile, uint32_t parent, uint32_t site)
{
    enum { MASK = 2 * FM_PROFILE_NODES - 1 };
    size_t i = hash(parent, site) & MASK;
    for (; profile->node_index[i] != 0; i = (i + 1) & MASK) {
        const struct fm_profile_node *node = &profile->nodes[profile->node_index[i]];
        if (node->parent == parent && node->site == site) {
            return profile->node_index[i];
        }
    }
    if (profile->node_count == FM_PROFILE_NODES) {
        return parent;
    }
    uint32_t number = profile->node_count++;
    profile->nodes[number] = (struct fm_profile_node){.parent = parent, .site = site};
    profile->node_index[i] = (uint16_t)number;
    return number;
}

void fm_profile_follow(struct fm_call_profile *profile, uint64_t header)
{
    uint32_t site = fm_record_ref(header);
    bool begins = true;
    if (fm_record_kind(header) == FM_RECORD_STACK) {
        uint32_t kept = fm_record_aux(header) & ~(uint32_t)FM_STACK_CUT;
        begins = profile->depth <= kept; /* else it makes its next call from another place */
        profile->depth = begins ? profile->depth : kept;
    }
    if (site == FM_STACK_NO_SITE) {
        return;
    }
    if (profile->depth < FM_PROFILE_DEEPEST) {
        uint32_t parent = profile->path[profile->depth];
        profile->path[++profile->depth] = node_below(profile, parent, site);
    }
    profile->nodes[profile->path[profile->depth]].begun += begins;
}

void fm_profile_function(struct fm_call_profile *profile, const uint64_t *record)
{
    uint32_t ref = fm_record_ref(record[0]);
    fm_profile_at(profile, record[1], record[1] > profile->end ? record[1] : profile->end);
    if (fm_record_kind(record[0]) == FM_RECORD_FUNCTION_ENTER) {
        fm_visits_enter(&profile->visits, ref, record[1]);
    } else {
        fm_visits_leave(&profile->visits, ref, record[1]);
    }
}

struct fm_profile_entry *fm_profile_find(struct fm_call_profile *profile, uint32_t function)
{
    enum { MASK = 2 * FM_PROFILE_ENTRIES - 1 };
    uint32_t node = profile->path[profile->depth];
    size_t i = hash(node, function) & MASK;
    for (; profile->entry_index[i] != 0; i = (i + 1) & MASK) {
        struct fm_profile_entry *entry = &profile->entries[profile->entry_index[i]];
        if (entry->node == node && entry->function == function) {
            return entry;
        }
    }
    if (profile->entry_count == FM_PROFILE_ENTRIES) {
        return &profile->entries[0];
    }
    uint32_t number = profile->entry_count++;
    profile->entries[number] = (struct fm_profile_entry){.node = node, .function = function};
    profile->entry_index[i] = (uint16_t)number;
    return &profile->entries[number];
}

void fm_profile_stretch(struct fm_call_profile *profile, const uint64_t *record)
{
    uint32_t node = profile->path[profile->depth];
    uint16_t *number = &profile->stretch_of[node];
    if (*number == 0 && node != 0 && profile->stretch_count < FM_PROFILE_STRETCHES) {
        *number = (uint16_t)profile->stretch_count++;
        profile->stretches[*number].node = node;
    }
    struct fm_profile_stretch *stretch = &profile->stretches[*number];
    stretch->number++;
    stretch->length += record[2];
    stretch->stolen += record[3];
    if (record[4] != FM_DELAY_UNKNOWN) {
        stretch->delay_length += record[2];
        stretch->delay += record[4];
    }
    stretch->system += record[5];
    stretch->faults += record[6] & UINT32_MAX;
    stretch->faults_disk += record[6] >> 32;
    stretch->preemptions += record[7] & UINT32_MAX;
    stretch->switches += record[7] >> 32;
}
