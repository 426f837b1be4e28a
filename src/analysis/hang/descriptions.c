/* SPDX-License-Identifier: BSD-3-Clause */
/* What an open call is about, and what comes close to that for which it waits. */
#include "analysis/hang/resolution.h"

#include "analysis/locks/lock_names.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- objects ---- */

static void name_communicator(const struct fm_trace *trace, uint32_t communicator, char *text,
                              size_t size)
{
    const char *name = trace->communicators[communicator].name;
    if (name != NULL && name[0] != '\0') {
        snprintf(text, size, "%s", name);
    } else {
        snprintf(text, size, "communicator %" PRIu32, communicator);
    }
}

static void name_window(const struct fm_trace *trace, uint32_t window, char *text, size_t size)
{
    const char *name = trace->windows[window].name;
    static const char word[] = "window";
    if (name != NULL && name[0] != '\0') {
        const bool has_word = strncmp(name, word, sizeof word - 1) == 0;
        snprintf(text, size, "%s%s", has_word ? "" : "window ", name);
    } else {
        snprintf(text, size, "window %" PRIu32, window);
    }
}

static void name_lock(const struct fm_resolution *resolution, const struct fm_open_part *part,
                      char *text, size_t size)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    const uint32_t call = fm_trace_last_call(trace, part->location);
    char window[256];
    if (!part->is_mpi) {
        const bool is_of_threads = part->target != FM_NONE;
        const struct fm_named_lock named = {
            .id = part->id,
            .process = part->process,
            .region = part->region,
            .paradigm = call == FM_NONE ? FM_PARADIGM_USER
                                        : (uint8_t)fm_trace_called(
                                              trace, &trace->locations[part->location], call)
                                              ->paradigm,
            .is_of_threads = is_of_threads,
        };
        const char *variable =
            is_of_threads ? fm_trace_object_name(trace, part->process, (uint32_t)part->id) : NULL;
        static const char construct[] = "critical";
        const bool is_lock =
            variable != NULL && strncmp(variable, construct, sizeof construct - 1) != 0;
        const int length = snprintf(text, size, is_lock ? "the lock " : "");
        fm_lock_name(trace, &named, text + length, size - (size_t)length);
        return;
    }
    name_window(trace, part->window, window, sizeof window);
    if (part->process == FM_NONE) {
        snprintf(text, size, "the locks of %s", window);
    } else {
        snprintf(text, size, "the lock of %s on rank %" PRIu32, window, part->process);
    }
}

void fm_describe_object(const struct fm_resolution *resolution, const struct fm_open_part *part,
                        char *text, size_t size)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    switch ((fm_awaits_t)part->awaits) {
    case FM_AWAITS_LOCK:
        name_lock(resolution, part, text, size);
        break;
    case FM_AWAITS_MESSAGE:
    case FM_AWAITS_RECEIVER:
        name_communicator(trace, part->communicator, text, size);
        break;
    case FM_AWAITS_MEMBERS:
        if (part->window == FM_NONE) {
            name_communicator(trace, part->communicator, text, size);
            break;
        }
        /* fall through */
    default:
        if (part->window != FM_NONE) {
            name_window(trace, part->window, text, size);
        }
        break;
    }
}

/* ---- near misses ---- */

/* A text that grows up to its size. */
struct note {
    char *text;
    size_t size, length;
};

static void __attribute__((format(printf, 2, 3))) append(struct note *note, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(note->text + note->length, note->size - note->length, format, arguments);
    va_end(arguments);
    const size_t longer = note->length + (length > 0 ? (size_t)length : 0);
    note->length = longer < note->size ? longer : note->size - 1;
}

/* Messages of the same sender with another tag, or on another communicator, that nobody has
 * received. */
static void note_messages(const struct fm_resolution *resolution, const struct fm_open_part *part,
                          struct note *note)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    const uint32_t process = fm_trace_process(trace, part->location);
    for (size_t i = 0; i < resolution->facts->channels.count; ++i) {
        const struct fm_channel *channel = &resolution->facts->channels.items[i];
        if (channel->destination != process || channel->sent <= channel->received ||
            (!part->is_any && channel->source != part->process) ||
            (channel->communicator == part->communicator &&
             (part->tag == FM_NONE || channel->tag == part->tag))) {
            continue;
        }
        char communicator[256];
        name_communicator(trace, channel->communicator, communicator, sizeof communicator);
        append(note, "%srank %" PRIu32 " has sent it a message with tag %" PRIu32 " on %s",
               note->length == 0 ? "" : ", ", channel->source, channel->tag, communicator);
        if (note->length > note->size / 2) {
            return;
        }
    }
}

/* Receives of the destination from this sender with another tag, or on another communicator. */
static void note_receives(const struct fm_resolution *resolution, const struct fm_open_part *part,
                          struct note *note)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    const uint32_t process = fm_trace_process(trace, part->location);
    for (size_t i = 0; i < resolution->parts->count && note->length < note->size / 2; ++i) {
        const struct fm_open_part *other = &resolution->parts->items[i];
        if (other->awaits != FM_AWAITS_MESSAGE || other->is_probe ||
            fm_trace_process(trace, other->location) != part->process ||
            (other->process != process && !other->is_any)) {
            continue;
        }
        char communicator[256], tag[32] = "any tag";
        name_communicator(trace, other->communicator, communicator, sizeof communicator);
        if (other->tag != FM_NONE) {
            snprintf(tag, sizeof tag, "tag %" PRIu32, other->tag);
        }
        append(note, "%srank %" PRIu32 " receives %s with %s on %s", note->length == 0 ? "" : ", ",
               part->process, other->is_any ? "from any rank" : "from it", tag, communicator);
    }
}

/* Members that are in another collective operation, or name another root. */
static void note_members(const struct fm_resolution *resolution, const struct fm_open_part *part,
                         struct note *note)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    for (size_t i = 0; i < resolution->facts->reached.count; ++i) {
        const struct fm_reached *reached = &resolution->facts->reached.items[i];
        if (reached->series != part->series || reached->scope != part->scope ||
            reached->ordinal != part->ordinal) {
            continue;
        }
        if (reached->region != part->region) {
            append(note, "%srank %" PRIu32 " calls %s there", note->length == 0 ? "" : ", ",
                   reached->process, trace->regions[reached->region].name);
        } else if (reached->root != part->root &&
                   (part->call == FM_CALL_ONE_TO_ALL || part->call == FM_CALL_ALL_TO_ONE)) {
            append(note, "%srank %" PRIu32 " names root %" PRIu32, note->length == 0 ? "" : ", ",
                   reached->process, reached->root);
        }
        if (note->length > note->size / 2) {
            append(note, ", ...");
            return;
        }
    }
}

void fm_describe_near(const struct fm_resolution *resolution, const struct fm_open_part *part,
                      char *text, size_t size)
{
    struct note note = {text, size, 0};
    switch ((fm_awaits_t)part->awaits) {
    case FM_AWAITS_MESSAGE:
        note_messages(resolution, part, &note);
        break;
    case FM_AWAITS_RECEIVER:
        note_receives(resolution, part, &note);
        break;
    case FM_AWAITS_MEMBERS:
        note_members(resolution, part, &note);
        break;
    default:
        break;
    }
}
