/* SPDX-License-Identifier: BSD-3-Clause */
/* The session's set of definitions, shared by all threads. */
#include "record/archive/archive_space.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"

void fm_session_overflow(void)
{
    fm_session_set(&fm_session_state.stopped);
    fm_threads_end();
    if (__atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE) != NULL) {
        fm_session_tell(
            "recording stopped: no room for more definitions of communicators, windows, groups");
    }
}

/* Locks the set of definitions.
 * @return false: the end of the run has begun, new definitions are not possible */
static bool lock_definitions(void)
{
    fm_lock(&fm_session.lock);
    if (fm_session.ended) {
        fm_unlock(&fm_session.lock);
        return false;
    }
    return true;
}

/* Unlocks the set, which may have a new definition. Recording ends if the number is too large for
 * mapping tables, or if there was no memory. */
static uint32_t unlock_definitions(uint32_t number)
{
    fm_journal_note_definitions(&fm_session.definitions);
    fm_unlock(&fm_session.lock);
    if (number < FM_ARCHIVE_ENTRIES_MOST) {
        return number;
    }
    fm_session_overflow();
    return FM_DEFINE_NONE;
}

void fm_session_end_definitions(void)
{
    fm_lock(&fm_session.lock);
    fm_session.ended = true;
    fm_unlock(&fm_session.lock);
}

uint32_t fm_session_string(const char *text)
{
    uint32_t number = FM_DEFINE_NONE;
    if (lock_definitions()) {
        number = unlock_definitions(fm_define_string(&fm_session.definitions, text));
    }
    return number;
}

uint32_t fm_session_region(const char *name, uint32_t role, uint32_t paradigm, uint32_t flags,
                           const char *file, uint32_t line)
{
    uint32_t number = FM_DEFINE_NONE;
    if (lock_definitions()) {
        number = unlock_definitions(
            fm_define_region(&fm_session.definitions, name, role, paradigm, flags, file, line));
    }
    return number;
}

uint32_t fm_session_define(enum fm_define_kind kind, const uint32_t *words, size_t count)
{
    uint32_t number = FM_DEFINE_NONE;
    if (lock_definitions()) {
        number = unlock_definitions(fm_define(&fm_session.definitions, kind, words, count));
    }
    return number;
}

uint32_t fm_session_group(uint32_t paradigm, const int *ranks, size_t count)
{
    uint32_t number = FM_DEFINE_NONE;
    if (lock_definitions()) {
        number =
            unlock_definitions(fm_define_group(&fm_session.definitions, paradigm, ranks, count));
    }
    return number;
}

void fm_session_name(enum fm_define_kind kind, uint32_t number, const char *text)
{
    size_t count;
    if (lock_definitions()) {
        uint32_t name = fm_define_string(&fm_session.definitions, text);
        uint32_t *words = fm_defined(&fm_session.definitions, kind, number, &count);
        words[count - 1] = name; /* the last word of a communicator's or window's definition */
        fm_journal_name(kind, number, name);
        fm_journal_note_definitions(&fm_session.definitions);
        fm_unlock(&fm_session.lock);
    }
}
