/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/profile/profile_file.h"

#include "base/decimal_text.h"
#include "counters/call_profile.h"
#include "record/counting/closing/row_output.h"

#include <stdio.h>
#include <string.h>

/* What is written. */
struct output {
    FILE *file;
    const struct fm_profile_names *names;
};

static const char *text_of(const struct output *output, uint32_t number)
{
    return number != FM_DEFINE_NONE ? fm_defined_string(output->names->set, number) : "?";
}

/* Writes a text without the characters that separate columns and rows. */
static void write_text(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        putc((unsigned char)*text < ' ' ? '?' : *text, file);
    }
}

/* Writes a function and the line at which it makes its call. */
static void write_frame(const struct output *output, const struct fm_callsite_frame *frame)
{
    const uint32_t *region =
        frame->region != FM_CALLSITE_UNKNOWN
            ? fm_defined(output->names->set, FM_DEFINE_REGION, frame->region, NULL)
            : NULL;
    write_text(output->file, region != NULL ? text_of(output, region[0]) : "?");
    if (frame->line != FM_DEFINE_NONE) {
        const uint32_t *line = fm_defined(output->names->set, FM_DEFINE_LINE, frame->line, NULL);
        const char *path = line[0] != FM_DEFINE_NONE ? text_of(output, line[0]) : "";
        const char *name = strrchr(path, '/');
        if (line[1] != 0 && path[0] != '\0') {
            putc(' ', output->file);
            putc('(', output->file);
            write_text(output->file, name != NULL ? name + 1 : path);
            fprintf(output->file, ":%u)", line[1]);
        }
    }
}

/* Writes the functions of a call path: all, or those of its last call site. */
static void write_path(const struct output *output, const struct fm_call_profile *profile,
                       uint32_t node, bool all)
{
    uint32_t sites[FM_PROFILE_DEEPEST], depth = 0;
    const struct fm_callsites *known = output->names->callsites;
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
                putc('\t', output->file);
                write_frame(output, &frames[i]);
            }
            caller = &frames[i];
        }
    }
}

static void write_stretches(const struct output *output, const struct fm_call_profile *profile,
                            uint32_t thread)
{
    for (uint32_t i = 0; i < profile->stretch_count; i++) {
        const struct fm_profile_stretch *sum = &profile->stretches[i];
        const uint64_t times[] = {sum->length, sum->stolen, sum->delay_length, sum->delay,
                                  sum->system};
        const uint64_t numbers[] = {sum->faults, sum->faults_disk, sum->preemptions, sum->switches};
        if (sum->number == 0) {
            continue;
        }
        fprintf(output->file, "stretch\t%u\t%llu", thread, (unsigned long long)sum->number);
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
            fprintf(output->file, "\t%s", fm_decimal(1e-9 * (double)times[k], 9).text);
        }
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            fprintf(output->file, "\t%llu", (unsigned long long)numbers[k]);
        }
        write_path(output, profile, sum->node, true);
        putc('\n', output->file);
    }
}

static void write_entries(const struct output *output, const struct fm_call_profile *profile,
                          uint32_t thread)
{
    for (uint32_t i = 0; i < profile->entry_count; i++) {
        const struct fm_profile_entry *entry = &profile->entries[i];
        bool is_known = entry->function < output->names->function_count;
        if (entry->calls == 0) {
            continue;
        }
        fprintf(output->file, "call\t%u\t%llu\t%s\t%llu\t%llu\t", thread,
                (unsigned long long)entry->calls,
                fm_decimal((double)entry->ticks / output->names->ticks_per_second, 9).text,
                (unsigned long long)entry->sent, (unsigned long long)entry->received);
        fputs(is_known ? output->names->functions[entry->function].name : "?", output->file);
        write_path(output, profile, entry->node, true);
        putc('\n', output->file);
    }
}

/* The function that a call site is in, and the file that it is defined in. */
static void write_function(const struct output *output, uint32_t site)
{
    enum { NAME = 0, DEFINED_IN = 4 }; /* words of a REGION */
    uint32_t count;
    const struct fm_callsite_frame *frames =
        fm_callsite_frames(output->names->callsites, site, &count);
    const uint32_t *region =
        count != 0 && frames[0].region != FM_CALLSITE_UNKNOWN
            ? fm_defined(output->names->set, FM_DEFINE_REGION, frames[0].region, NULL)
            : NULL;
    write_text(output->file, region != NULL ? text_of(output, region[NAME]) : "?");
    putc('\t', output->file);
    if (region != NULL && region[DEFINED_IN] != FM_DEFINE_NONE) {
        write_text(output->file, text_of(output, region[DEFINED_IN]));
    }
}

/* Visits that are open end with the thread's last call or function. */
static void write_visits(const struct output *output, struct fm_call_profile *profile,
                         uint32_t thread)
{
    struct fm_visits *visits = &profile->visits;
    fm_visits_leave(visits, 0, profile->end);
    for (uint32_t i = 0; i < visits->count; i++) {
        const struct fm_function_visits *function = &visits->functions[i];
        if (function->visits != 0) {
            fprintf(output->file, "function\t%u\t%llu\t%s\t%d\t", thread,
                    (unsigned long long)function->visits,
                    fm_decimal((double)function->ticks / output->names->ticks_per_second, 9).text,
                    function->leads_to_call);
            write_function(output, function->site); /* of function 0: unknown */
            putc('\n', output->file);
        }
    }
}

/* Functions of the call stack, call path by call path. */
static void write_begun(const struct output *output, const struct fm_call_profile *profile,
                        uint32_t thread)
{
    for (uint32_t i = 1; i < profile->node_count; i++) {
        if (profile->nodes[i].begun != 0) {
            fprintf(output->file, "begun\t%u\t%llu", thread,
                    (unsigned long long)profile->nodes[i].begun);
            write_path(output, profile, i, false);
            putc('\n', output->file);
        }
    }
}

static void write_thread(const struct output *output, struct fm_call_profile *profile,
                         uint32_t thread)
{
    fprintf(output->file, "thread\t%u\t%s\n", thread,
            fm_decimal((double)(profile->end - profile->begin) / output->names->ticks_per_second, 9)
                .text);
    write_entries(output, profile, thread);
    write_stretches(output, profile, thread);
    write_visits(output, profile, thread);
    write_begun(output, profile, thread);
}

bool fm_profile_write(const char *directory, uint32_t rank, const struct fm_profile_names *names,
                      const struct fm_thread_calls *threads, size_t count)
{
    struct fm_row_output rows;
    if (!fm_row_output_begin(&rows, directory, "calls", rank, FM_CALL_PROFILE_HEAD)) {
        return false;
    }
    const struct output output = {rows.file, names};
    for (size_t i = 0; i < count; i++) {
        write_thread(&output, threads[i].profile, threads[i].thread);
    }
    return fm_row_output_end(&rows);
}
