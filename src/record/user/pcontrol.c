/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/user/pcontrol.h"

#include "record/experiment/kept_variables.h"
#include "record/marks/mark_kinds.h"
#include "record/sampling/sample.h"
#include "record/session/session_describe.h"
#include "record/user/functions.h"

#include <string.h>

static bool is_selected(enum fm_mark_kind kind)
{
    static uint32_t kinds;
    static bool is_read;
    if (!__atomic_load_n(&is_read, __ATOMIC_ACQUIRE)) {
        uint32_t read;
        fm_mark_kinds_read(fm_variable(FM_MARKS_VARIABLE), &read);
        __atomic_store_n(&kinds, read, __ATOMIC_RELAXED);
        __atomic_store_n(&is_read, true, __ATOMIC_RELEASE);
    }
    return (__atomic_load_n(&kinds, __ATOMIC_RELAXED) >> kind & 1) != 0;
}

bool fm_pcontrol_has_names(void)
{
    return is_selected(FM_MARKS_PCONTROL_NAMES);
}

void fm_pcontrol(int level, const char *name)
{
    if (name != NULL) {
        const struct fm_text text = {name, strlen(name)};
        void *region =
            level == 1 ? fm_user_define_region(text, (struct fm_text){NULL, 0}, 0, 0) : NULL;
        fm_session_note_marks(FM_MARKS_PCONTROL_NAMES);
        if (region != NULL) {
            fm_user_begin_region(region);
        } else if (level != 1) {
            fm_user_end_region_named(text);
        }
    } else if (is_selected(FM_MARKS_PCONTROL) && (level == 0 || level == 1)) {
        fm_session_note_marks(FM_MARKS_PCONTROL);
        fm_user_switch_regions(level == 0);
        fm_samples_switch(level == 0);
    }
}
