/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, counters and markers. */
#include "fermata/fermata.h"
#include "record/counting/user_counters.h"
#include "record/session/session.h"
#include "record/user/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The object of a parameter or counter, to which programs hold a pointer. */
struct user_value {
    uint32_t number; /* of its definition */
    OTF2_Type type;  /* OTF2_TYPE_STRING, INT64, UINT64 or DOUBLE */
};

static uint32_t string_of(struct fm_text text)
{
    char *copy = fm_user_copy(text);
    uint32_t number = copy != NULL ? fm_session_string(copy) : FM_DEFINE_NONE;
    free(copy);
    return number;
}

/* errno is preserved. */
static struct user_value *new_value(enum fm_define_kind kind, const uint32_t *words, size_t count,
                                    OTF2_Type type)
{
    int saved = errno;
    struct user_value *value = malloc(sizeof *value);
    if (value != NULL) {
        value->type = type;
        value->number = fm_session_define(kind, words, count);
        if (value->number == FM_DEFINE_NONE) {
            free(value);
            value = NULL;
        } else {
            value = fm_user_object(kind, value->number, value);
        }
    }
    errno = saved;
    return value;
}

static void *define_parameter(struct fm_text name, OTF2_ParameterType type, OTF2_Type values)
{
    const uint32_t words[] = {string_of(name), type};
    return words[0] == FM_DEFINE_NONE ? NULL : new_value(FM_DEFINE_PARAMETER, words, 2, values);
}

void *fm_user_define_parameter(struct fm_text name, bool is_text)
{
    return is_text ? define_parameter(name, OTF2_PARAMETER_TYPE_STRING, OTF2_TYPE_STRING)
                   : define_parameter(name, OTF2_PARAMETER_TYPE_INT64, OTF2_TYPE_INT64);
}

void *fm_user_define_parameter_unsigned(struct fm_text name)
{
    return define_parameter(name, OTF2_PARAMETER_TYPE_UINT64, OTF2_TYPE_UINT64);
}

/* The counter in the file of counters. errno is preserved. */
static void count_too(uint32_t metric, struct fm_text name, struct fm_text unit, bool is_total,
                      bool is_real)
{
    int saved = errno;
    char *name_copy = fm_user_copy(name), *unit_copy = fm_user_copy(unit);
    if (name_copy != NULL && unit_copy != NULL) {
        fm_user_counter_add(metric, name_copy, unit_copy, is_total, is_real);
    }
    free(name_copy);
    free(unit_copy);
    errno = saved;
}

void *fm_user_define_counter(struct fm_text name, struct fm_text unit, uint32_t kind, bool is_real)
{
    OTF2_Type type = is_real ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
    const uint32_t words[] = {
        string_of(name), string_of(unit), type,
        (kind == FERMATA_TOTAL ? OTF2_METRIC_ACCUMULATED_START : OTF2_METRIC_ABSOLUTE_POINT) |
            FM_METRIC_OF_PLACE};
    struct user_value *counter = words[0] == FM_DEFINE_NONE || words[1] == FM_DEFINE_NONE
                                     ? NULL
                                     : new_value(FM_DEFINE_METRIC, words, 4, type);
    if (counter != NULL) {
        count_too(counter->number, name, unit, kind == FERMATA_TOTAL, is_real);
    }
    return counter;
}

static void write_value(enum fm_record_kind kind, const struct user_value *value, uint64_t bits)
{
    uint64_t now;
    struct fm_thread *thread = fm_user_thread(&now, false);
    if (thread != NULL) {
        uint64_t *place = fm_user_room(thread, FM_WORDS_METRIC);
        place[0] = fm_record_header(kind, value->type, value->number);
        place[1] = now;
        place[2] = bits;
        fm_user_written(thread, place + FM_WORDS_METRIC);
        fm_user_done(thread);
    }
}

void fm_user_set_parameter(const void *object, int64_t number)
{
    const struct user_value *parameter = object;
    if (parameter->type == OTF2_TYPE_INT64 || parameter->type == OTF2_TYPE_UINT64) {
        write_value(FM_RECORD_PARAMETER, parameter, (uint64_t)number);
    }
}

void fm_user_set_parameter_text(const void *object, struct fm_text text)
{
    const struct user_value *parameter = object;
    int saved = errno;
    if (parameter->type == OTF2_TYPE_STRING) {
        uint32_t string = string_of(text);
        if (string != FM_DEFINE_NONE) {
            write_value(FM_RECORD_PARAMETER_TEXT, parameter, string);
        }
    }
    errno = saved;
}

void fm_user_count_real(const void *object, double number)
{
    const struct user_value *counter = object;
    uint64_t bits;
    if (counter->type != OTF2_TYPE_DOUBLE) {
        /* Numbers outside of the range of int64_t are limited to it; NaN becomes 0. */
        int64_t whole = number >= 0x1p63    ? INT64_MAX
                        : number >= -0x1p63 ? (int64_t)number
                                            : INT64_MIN;
        write_value(FM_RECORD_METRIC, counter, number == number ? (uint64_t)whole : 0);
        return;
    }
    memcpy(&bits, &number, sizeof bits);
    write_value(FM_RECORD_METRIC, counter, bits);
}

void fm_user_count(const void *object, int64_t number)
{
    const struct user_value *counter = object;
    if (counter->type == OTF2_TYPE_DOUBLE) {
        fm_user_count_real(object, (double)number);
    } else {
        write_value(FM_RECORD_METRIC, counter, (uint64_t)number);
    }
}

void fm_user_mark(struct fm_text text)
{
    uint64_t now;
    int saved = errno;
    struct fm_thread *thread = fm_user_thread(&now, false);
    uint32_t string = thread != NULL ? string_of(text) : FM_DEFINE_NONE;
    if (string != FM_DEFINE_NONE) {
        uint64_t *place = fm_user_room(thread, FM_WORDS_MARKER);
        place[0] = fm_record_header(FM_RECORD_MARKER, 0, string);
        place[1] = now;
        fm_user_written(thread, place + FM_WORDS_MARKER);
    }
    if (thread != NULL) {
        fm_user_done(thread);
    }
    errno = saved;
}
