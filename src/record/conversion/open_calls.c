/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/open_calls.h"

#include "base/awaited_names.h"
#include "record/archive/callsites.h"
#include "record/buffers/buffer_layout.h"
#include "record/conversion/call_facts.h"

#include <stdio.h>
#include <string.h>

/* ---- what an open call waits for ---- */

static uint32_t parameter_of(const char *name, uint32_t type)
{
    const uint32_t words[] = {fm_define_string(fm_convert_state.definitions, name), type};
    uint32_t parameter = fm_define(fm_convert_state.definitions, FM_DEFINE_PARAMETER, words, 2);
    fm_convert_check(words[0] != FM_DEFINE_NONE && parameter != FM_DEFINE_NONE);
    return parameter;
}

static void write_number(struct fm_thread *thread, const char *name, int64_t value)
{
    fm_convert_count(
        thread, OTF2_EvtWriter_ParameterInt(thread->writer, NULL, thread->last_time,
                                            parameter_of(name, OTF2_PARAMETER_TYPE_INT64), value));
}

/* Where a call site is, as "function (file:line)", with a file if it is known. */
static void write_place(struct fm_thread *thread, const char *name, uint32_t site)
{
    char text[1024];
    uint32_t levels;
    const struct fm_definitions *set = fm_convert_state.definitions;
    const struct fm_callsite_frame *frames =
        fm_callsite_frames(fm_convert_state.callsites, site, &levels);
    const uint32_t function = fm_callsite_function(fm_convert_state.callsites, site);
    if (levels == 0 || function == FM_DEFINE_NONE) {
        return;
    }
    int length = snprintf(text, sizeof text, "%s", fm_convert_region_name(function));
    const uint32_t number = frames[levels - 1].line;
    const uint32_t *line = number != FM_DEFINE_NONE && number < set->tables[FM_DEFINE_LINE].count
                               ? fm_defined(set, FM_DEFINE_LINE, number, NULL)
                               : NULL;
    if (line != NULL && line[0] != FM_DEFINE_NONE && line[1] != 0 && length > 0 &&
        (size_t)length < sizeof text) {
        const char *file = fm_defined_string(set, line[0]), *slash = strrchr(file, '/');
        snprintf(text + length, sizeof text - (size_t)length, " (%s:%u)",
                 slash != NULL ? slash + 1 : file, line[1]);
    }
    const uint32_t string = fm_define_string(fm_convert_state.definitions, text);
    fm_convert_check(string != FM_DEFINE_NONE);
    fm_convert_count(thread, OTF2_EvtWriter_ParameterString(
                                 thread->writer, NULL, thread->last_time,
                                 parameter_of(name, OTF2_PARAMETER_TYPE_STRING), string));
}

void fm_convert_awaited(struct fm_thread *thread, const uint64_t *r)
{
    const uint32_t ref = fm_record_ref(r[0]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_AWAITED_MESSAGE:
        write_number(thread, FM_AWAITED_COMMUNICATOR, ref);
        write_number(thread, FM_AWAITED_SOURCE, (int32_t)(uint32_t)r[1]);
        write_number(thread, FM_AWAITED_TAG, (int32_t)(uint32_t)(r[1] >> 32));
        return;
    case FM_RECORD_AWAITED_COLLECTIVE:
        write_number(thread, FM_AWAITED_COMMUNICATOR, ref);
        write_number(thread, FM_AWAITED_ROOT, (int64_t)r[1]);
        return;
    case FM_RECORD_AWAITED_WINDOW:
        write_number(thread, FM_AWAITED_WINDOW, ref);
        return;
    case FM_RECORD_AWAITED_TARGET:
        write_number(thread, FM_AWAITED_WINDOW, ref);
        write_number(thread, FM_AWAITED_TARGET, (int64_t)r[1]);
        return;
    case FM_RECORD_AWAITED_OMITTED:
        write_number(thread, FM_AWAITED_OMITTED, (int64_t)r[1]);
        return;
    default: /* AWAITED_OWNER */
        write_number(thread, FM_AWAITED_OWNER, ref);
        write_number(thread, FM_AWAITED_SINCE, (int64_t)r[1]);
        write_place(thread, FM_AWAITED_TAKEN_IN, (uint32_t)r[2]);
    }
}

/* ---- the call ---- */

void fm_convert_open(struct fm_thread *thread, const struct fm_shown_call *open, size_t functions)
{
    const uint32_t function = (uint32_t)open->call, words = (uint32_t)(open->call >> 32);
    const uint64_t last = thread->pending ? thread->pending_leave : thread->last_time;
    const bool is_region = function == FM_OPEN_REGION;
    if (open->enter == 0 || words > FM_OPEN_WORDS || thread->off || thread->dropped.active ||
        (!is_region && (function >= functions || open->enter < last))) {
        return; /* it is complete, or in a pause */
    }
    if (!is_region) {
        fm_convert_enter(thread, function, open->enter);
        fm_convert_records(thread, open->words, words, functions);
    } else if (words == FM_WORDS_SYNCHRONIZATION_OBJECT &&
               fm_record_kind(open->words[0]) == FM_RECORD_SYNCHRONIZATION_OBJECT) {
        fm_convert_pending(thread, UINT64_MAX);
        fm_convert_call_fact(thread, open->words);
    }
    thread->pending = false;
    thread->is_in_call = true;
}
