/* SPDX-License-Identifier: BSD-3-Clause */
/* How a run ended that ended inside of calls. */
#include "export/json/json_fields.h"

/* Locations that are listed for a call, at most. */
#define LISTED 64

static const char *const awaited[FM_AWAITS_COUNT] = {
    [FM_AWAITS_UNKNOWN] = "unknown",   [FM_AWAITS_MESSAGE] = "message",
    [FM_AWAITS_RECEIVER] = "receiver", [FM_AWAITS_MEMBERS] = "members",
    [FM_AWAITS_POST] = "post",         [FM_AWAITS_COMPLETE] = "complete",
    [FM_AWAITS_LOCK] = "lock",         [FM_AWAITS_PROGRESS] = "progress",
    [FM_AWAITS_CHANGE] = "change",     [FM_AWAITS_SIGNAL] = "signal",
    [FM_AWAITS_TEAM] = "team",         [FM_AWAITS_TASKS] = "tasks",
    [FM_AWAITS_END] = "end",           [FM_AWAITS_IMAGES] = "images",
};

static void put_part(struct fm_json *json, const struct fm_cube *cube,
                     const struct fm_cube_hang_part *part, uint32_t waiter)
{
    uint32_t listed = 0;
    fm_json_object(json, NULL);
    fm_json_string(json, "awaits", awaited[part->awaits]);
    fm_json_array(json, "for");
    for (uint32_t t = 0; t < part->target_count && listed < LISTED; t++) {
        const uint32_t target = cube->hang.targets[part->first_target + t];
        if (!part->is_others || cube->locations[target].rank != cube->locations[waiter].rank) {
            fm_json_unsigned(json, NULL, target);
            listed++;
        }
    }
    fm_json_end(json);
    fm_json_string(json, "mode", part->is_any ? "or" : "and");
    fm_json_string(json, "object", part->object[0] != '\0' ? part->object : NULL);
    fm_json_index(json, "tag", part->tag);
    fm_json_bool(json, "there", part->is_there);
    fm_json_bool(json, "never", part->is_never);
    if (part->note[0] != '\0') {
        fm_json_string(json, "note", part->note);
    }
    fm_json_end(json);
}

static void put_wait(struct fm_json *json, const struct fm_cube *cube,
                     const struct fm_cube_hang_wait *wait)
{
    fm_json_line(json, 3);
    fm_json_object(json, NULL);
    fm_json_unsigned(json, "location", wait->location);
    fm_json_index(json, "callpath", wait->callpath);
    fm_json_seconds(json, "since", cube, wait->since);
    fm_json_bool(json, "counts", wait->counts);
    fm_json_bool(json, "stuck", wait->is_stuck);
    fm_json_string(json, "mode", wait->is_any ? "or" : "and");
    fm_json_array(json, "for");
    for (uint32_t p = 0; p < wait->part_count; p++) {
        put_part(json, cube, &cube->hang.parts[wait->first_part + p], wait->location);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void put_place(struct fm_json *json, const struct fm_cube_hang_place *place)
{
    fm_json_line(json, 3);
    fm_json_object(json, NULL);
    fm_json_unsigned(json, "location", place->location);
    fm_json_index(json, "callpath", place->callpath);
    fm_json_bool(json, "ended", place->has_ended);
    fm_json_end(json);
}

void fm_json_put_hang(struct fm_json *json, const struct fm_cube *cube)
{
    const struct fm_cube_hang *hang = &cube->hang;
    if (hang->open_ends == 0) {
        fm_json_null(json, "hang");
        return;
    }
    fm_json_object(json, "hang");
    fm_json_string(json, "kind", fm_hang_id(hang->kind));
    fm_json_unsigned(json, "open_ends", hang->open_ends);
    fm_json_seconds(json, "since", cube, hang->since);
    fm_json_array(json, "waits");
    for (uint32_t i = 0; i < hang->wait_count; i++) {
        put_wait(json, cube, &hang->waits[i]);
    }
    fm_json_end(json);
    fm_json_array(json, "cycle");
    for (uint32_t i = 0; i < hang->cycle_count; i++) {
        fm_json_unsigned(json, NULL, hang->cycle[i]);
    }
    fm_json_end(json);
    fm_json_array(json, "places");
    for (uint32_t i = 0; i < hang->place_count; i++) {
        put_place(json, &hang->places[i]);
    }
    fm_json_end(json);
    fm_json_end(json);
}
