/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/user/functions.h"

#include "record/selection/pause.h"
#include "record/session/session.h"
#include "record/session/session_describe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct fm_user_functions fm_user_functions = {
    .define_region = fm_user_define_region,
    .begin_region = fm_user_begin_region,
    .end_region = fm_user_end_region,
    .end_region_named = fm_user_end_region_named,
    .define_parameter = fm_user_define_parameter,
    .set_parameter = fm_user_set_parameter,
    .set_parameter_text = fm_user_set_parameter_text,
    .define_counter = fm_user_define_counter,
    .count = fm_user_count,
    .count_real = fm_user_count_real,
    .mark = fm_user_mark,
    .pause = fm_pause,
    .resume = fm_resume,
    .is_recording = fm_is_recording,
    .flight_dump = fm_user_flight_dump,
    .define_parameter_unsigned = fm_user_define_parameter_unsigned,
    .marks_found = fm_session_note_marks,
};

void fm_user_flight_dump(void)
{
    int saved = errno;
    fm_session_demand();
    errno = saved;
}

char *fm_user_copy(struct fm_text text)
{
    char *copy = malloc(text.length + 1);
    if (copy != NULL) {
        if (text.length != 0) {
            memcpy(copy, text.text, text.length);
        }
        copy[text.length] = '\0';
    }
    return copy;
}

static struct {
    fm_lock_t lock;
    struct {
        void **items; /* by number of the definition; NULL: none */
        size_t room;
    } kinds[FM_DEFINE_KIND_COUNT];
} objects = {.lock = FM_LOCK_FREE};

void *fm_user_object(enum fm_define_kind kind, uint32_t number, void *candidate)
{
    void *object = NULL;
    fm_lock(&objects.lock);
    size_t room = objects.kinds[kind].room;
    if (number >= room) {
        size_t larger = 2 * (size_t)number + 64;
        void **items = realloc(objects.kinds[kind].items, larger * sizeof *items);
        if (items != NULL) {
            memset(items + room, 0, (larger - room) * sizeof *items);
            objects.kinds[kind].items = items;
            objects.kinds[kind].room = larger;
        }
    }
    if (number < objects.kinds[kind].room) {
        void **place = &objects.kinds[kind].items[number];
        if (*place == NULL) {
            *place = candidate;
            candidate = NULL;
        }
        object = *place;
    }
    fm_unlock(&objects.lock);
    free(candidate);
    return object;
}
