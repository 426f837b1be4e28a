/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/profile/profile.h"

#include "base/decimal_text.h"
#include "counters/call_profile.h"
#include "record/capture/memory_use.h"
#include "record/capture/thread.h"
#include "record/counting/row_output.h"
#include "record/session/session.h"
#include "record/session/session_state.h"

#include <stdio.h>
#include <string.h>
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

/* ---- the file ---- */

static const char *text_of(uint32_t number)
{
    return number != FM_DEFINE_NONE ? fm_defined_string(&fm_session.definitions, number) : "?";
}

/* Writes a text without the characters that separate columns and rows. */
static void write_text(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        putc((unsigned char)*text < ' ' ? '?' : *text, file);
    }
}

/* Writes a function and the line at which it makes its call. */
static void write_frame(FILE *file, const struct fm_callsite_frame *frame)
{
    const uint32_t *region =
        frame->region != FM_CALLSITE_UNKNOWN
            ? fm_defined(&fm_session.definitions, FM_DEFINE_REGION, frame->region, NULL)
            : NULL;
    write_text(file, region != NULL ? text_of(region[0]) : "?");
    if (frame->line != FM_DEFINE_NONE) {
        const uint32_t *line =
            fm_defined(&fm_session.definitions, FM_DEFINE_LINE, frame->line, NULL);
        const char *path = line[0] != FM_DEFINE_NONE ? text_of(line[0]) : "";
        const char *name = strrchr(path, '/');
        if (line[1] != 0 && path[0] != '\0') {
            putc(' ', file);
            putc('(', file);
            write_text(file, name != NULL ? name + 1 : path);
            fprintf(file, ":%u)", line[1]);
        }
    }
}

/* Writes the functions of a call path: all, or those of its last call site. */
static void write_path(FILE *file, const struct fm_call_profile *profile, uint32_t node, bool all)
{
    uint32_t sites[FM_PROFILE_DEEPEST], depth = 0;
    const struct fm_callsites *known = &fm_session_state.callsites;
    const struct fm_callsite_frame *caller = NULL;
    for (; node != 0 && depth < FM_PROFILE_DEEPEST; node = profile->nodes[node].parent) {
        sites[depth++] = profile->nodes[node].site;
    }
    while (depth-- > 0) {
        uint32_t count;
        const struct fm_callsite_frame *frames = fm_callsite_frames(known, sites[depth], &count);
        for (uint32_t i = 0; i < count; i++) {
            if (!fm_callsite_frame_is_inner(known, caller, &frames[i]) &&
                (i > 0 || !fm_callsite_is_hidden(known, sites[depth])) && (all || depth == 0)) {
                putc('\t', file);
                write_frame(file, &frames[i]);
            }
            caller = &frames[i];
        }
    }
}

static void write_stretches(FILE *file, const struct fm_call_profile *profile, uint32_t thread)
{
    for (uint32_t i = 0; i < profile->stretch_count; i++) {
        const struct fm_profile_stretch *sum = &profile->stretches[i];
        const uint64_t times[] = {sum->length, sum->stolen, sum->delay_length, sum->delay,
                                  sum->system};
        const uint64_t numbers[] = {sum->faults, sum->faults_disk, sum->preemptions, sum->switches};
        if (sum->number == 0) {
            continue;
        }
        fprintf(file, "stretch\t%u\t%llu", thread, (unsigned long long)sum->number);
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
            fprintf(file, "\t%s", fm_decimal(1e-9 * (double)times[k], 9).text);
        }
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            fprintf(file, "\t%llu", (unsigned long long)numbers[k]);
        }
        write_path(file, profile, sum->node, true);
        putc('\n', file);
    }
}

static void write_entries(FILE *file, const struct fm_call_profile *profile, uint32_t thread,
                          double rate)
{
    for (uint32_t i = 0; i < profile->entry_count; i++) {
        const struct fm_profile_entry *entry = &profile->entries[i];
        bool is_known = entry->function < fm_session.region_count;
        if (entry->calls == 0) {
            continue;
        }
        fprintf(file, "call\t%u\t%llu\t%s\t%llu\t%llu\t", thread, (unsigned long long)entry->calls,
                fm_decimal((double)entry->ticks / rate, 9).text, (unsigned long long)entry->sent,
                (unsigned long long)entry->received);
        fputs(is_known ? fm_session.regions[entry->function].name : "?", file);
        write_path(file, profile, entry->node, true);
        putc('\n', file);
    }
}

/* The function that a call site is in, and the file that it is defined in. */
static void write_function(FILE *file, uint32_t site)
{
    enum { NAME = 0, DEFINED_IN = 4 }; /* words of a REGION */
    uint32_t count;
    const struct fm_callsite_frame *frames =
        fm_callsite_frames(&fm_session_state.callsites, site, &count);
    const uint32_t *region =
        count != 0 && frames[0].region != FM_CALLSITE_UNKNOWN
            ? fm_defined(&fm_session.definitions, FM_DEFINE_REGION, frames[0].region, NULL)
            : NULL;
    write_text(file, region != NULL ? text_of(region[NAME]) : "?");
    putc('\t', file);
    if (region != NULL && region[DEFINED_IN] != FM_DEFINE_NONE) {
        write_text(file, text_of(region[DEFINED_IN]));
    }
}

/* Visits that are open end with the thread's last call or function. */
static void write_visits(FILE *file, struct fm_call_profile *profile, uint32_t thread, double rate)
{
    struct fm_visits *visits = &profile->visits;
    fm_visits_leave(visits, 0, profile->end);
    for (uint32_t i = 0; i < visits->count; i++) {
        const struct fm_function_visits *function = &visits->functions[i];
        if (function->visits != 0) {
            fprintf(file, "function\t%u\t%llu\t%s\t%d\t", thread,
                    (unsigned long long)function->visits,
                    fm_decimal((double)function->ticks / rate, 9).text, function->leads_to_call);
            write_function(file, function->site); /* of function 0: unknown */
            putc('\n', file);
        }
    }
}

/* Functions of the call stack, call path by call path. */
static void write_begun(FILE *file, const struct fm_call_profile *profile, uint32_t thread)
{
    for (uint32_t i = 1; i < profile->node_count; i++) {
        if (profile->nodes[i].begun != 0) {
            fprintf(file, "begun\t%u\t%llu", thread, (unsigned long long)profile->nodes[i].begun);
            write_path(file, profile, i, false);
            putc('\n', file);
        }
    }
}

static void write_thread(FILE *file, struct fm_call_profile *profile, uint32_t thread, double rate)
{
    fprintf(file, "thread\t%u\t%s\n", thread,
            fm_decimal((double)(profile->end - profile->begin) / rate, 9).text);
    write_entries(file, profile, thread, rate);
    write_stretches(file, profile, thread);
    write_visits(file, profile, thread, rate);
    write_begun(file, profile, thread);
}

/* The thread with a profile whose number follows another one's; NULL: there is none.
 * @param from  least number */
static const struct fm_thread *next_thread(uint32_t from)
{
    const struct fm_thread *next = NULL;
    for (const struct fm_thread *each = fm_threads_all(); each != NULL; each = each->next) {
        bool has_profile = each->counting != NULL && each->counting->profile != NULL;
        if (has_profile && each->index >= from && (next == NULL || each->index < next->index)) {
            next = each;
        }
    }
    return next;
}

bool fm_profile_write(const char *directory, uint32_t rank)
{
    struct fm_row_output output;
    if (!fm_row_output_begin(&output, directory, "calls", rank, FM_CALL_PROFILE_HEAD)) {
        return false;
    }
    const struct fm_thread *each = next_thread(0);
    for (; each != NULL; each = next_thread(each->index + 1)) {
        write_thread(output.file, each->counting->profile, each->index,
                     (double)fm_clock_resolution());
    }
    return fm_row_output_end(&output);
}
