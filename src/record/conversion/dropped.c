/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/dropped.h"

void fm_dropped_begin(struct fm_dropped *dropped, const struct fm_path *path, bool to_the_end,
                      bool off)
{
    dropped->active = true;
    dropped->to_the_end = to_the_end;
    dropped->lingers = false;
    dropped->off = off;
    dropped->stay = fm_path_marked(path);
    dropped->functions_stay = path->instrumented;
    dropped->regions.count = dropped->functions.count = 0;
}

/* Keeps the outer `count` regions, of those of the path and those begun since. */
static void keep_regions(struct fm_dropped *dropped, size_t count)
{
    if (count < dropped->stay) {
        dropped->stay = count;
    }
    if (count - dropped->stay < dropped->regions.count) {
        dropped->regions.count = count - dropped->stay;
    }
}

static void keep_functions(struct fm_dropped *dropped, uint32_t count)
{
    if (count < dropped->functions_stay) {
        dropped->functions_stay = count;
    }
    if (count - dropped->functions_stay < dropped->functions.count) {
        dropped->functions.count = count - dropped->functions_stay;
    }
}

/* Ends the innermost region with a definition, and the regions inside it. */
static void leave_region(struct fm_dropped *dropped, const struct fm_path *path, uint32_t region)
{
    for (size_t i = dropped->regions.count; i-- > 0;) {
        if (dropped->regions.regions[i] == region) {
            dropped->regions.count = i;
            return;
        }
    }
    size_t around = fm_path_marked_around(path, region, dropped->stay);
    if (around < dropped->stay) {
        keep_regions(dropped, around);
    }
}

static void add_counts(struct fm_dropped *dropped, const uint64_t *r,
                       const char *(*function_name)(uint32_t function))
{
    bool good = fm_record_kind(r[0]) == FM_RECORD_UNRECORDED
                    ? fm_unrecorded_add(&dropped->unrecorded,
                                        &(struct fm_unrecorded_count){
                                            r[2], fm_record_aux(r[0]), fm_record_ref(r[0]),
                                            (uint32_t)r[1], (uint32_t)(r[1] >> 32)})
                    : fm_unrecorded_note(&dropped->unrecorded, r, function_name(dropped->function));
    dropped->broken = dropped->broken || !good;
}

void fm_dropped_pass(struct fm_dropped *dropped, const struct fm_path *path, const uint64_t *record,
                     const char *(*function_name)(uint32_t function))
{
    bool good = true, leaves = false;
    switch (fm_record_kind(record[0])) {
    case FM_RECORD_CALL:
    case FM_RECORD_CALL_LONG:
        dropped->function = fm_record_aux(record[0]);
        break;
    case FM_RECORD_REGION_ENTER:
        good = fm_nesting_push(&dropped->regions, fm_record_ref(record[0]));
        break;
    case FM_RECORD_REGION_LEAVE:
        leave_region(dropped, path, fm_record_ref(record[0]));
        leaves = true;
        break;
    case FM_RECORD_FUNCTION_ENTER:
        good = fm_nesting_push(&dropped->functions, fm_record_ref(record[0]));
        break;
    case FM_RECORD_FUNCTION_LEAVE:
        keep_functions(dropped, fm_record_ref(record[0]));
        break;
    case FM_RECORD_RECORDING_OFF:
        dropped->off = true;
        break;
    case FM_RECORD_RECORDING_ON:
        dropped->off = false;
        keep_regions(dropped, fm_record_ref(record[0]));
        leaves = true;
        break;
    default:
        add_counts(dropped, record, function_name);
        break;
    }
    dropped->broken = dropped->broken || !good;
    if (leaves && !dropped->to_the_end && dropped->regions.count == 0) {
        dropped->lingers = true;
        dropped->ended = record[1];
    }
}

void fm_dropped_end(struct fm_dropped *dropped)
{
    fm_unrecorded_clear(&dropped->unrecorded);
    dropped->active = dropped->lingers = dropped->to_the_end = dropped->off = false;
}

void fm_dropped_free(struct fm_dropped *dropped)
{
    fm_nesting_free(&dropped->regions);
    fm_nesting_free(&dropped->functions);
    fm_unrecorded_free(&dropped->unrecorded);
}
