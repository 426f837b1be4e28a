/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_event.h"

#include <stdio.h>
#include <string.h>

struct key {
    const char *name;
    enum fm_kineto_field field;
};

static const struct key outer_keys[] = {
    {"ph", FM_KINETO_PH},   {"cat", FM_KINETO_CAT}, {"pid", FM_KINETO_PID},
    {"tid", FM_KINETO_TID}, {"ts", FM_KINETO_TS},   {"dur", FM_KINETO_DUR},
};

static const struct key argument_keys[] = {
    {"correlation", FM_KINETO_CORRELATION},
    {"External id", FM_KINETO_EXTERNAL_ID},
    {"external id", FM_KINETO_EXTERNAL_ID},
    {"bytes", FM_KINETO_BYTES},
    {"Bytes", FM_KINETO_BYTES},
    {"device", FM_KINETO_DEVICE},
    {"stream", FM_KINETO_STREAM},
    {"Collective name", FM_KINETO_COLLECTIVE},
    {"Seq", FM_KINETO_SEQUENCE},
    {"In msg nelems", FM_KINETO_ELEMENTS_IN},
    {"Out msg nelems", FM_KINETO_ELEMENTS_OUT},
    {"dtype", FM_KINETO_DTYPE},
    {"Process Group Name", FM_KINETO_GROUP},
    {"wait_on_stream", FM_KINETO_AWAITED_STREAM},
    {"wait_on_cuda_event_record_corr_id", FM_KINETO_AWAITED_RECORD},
};

static void set_text(fm_kineto_text *text, const char *from)
{
    text->count = 0;
    for (;; from++) {
        fm_vector_push(text, *from);
        if (*from == '\0') {
            return;
        }
    }
}

static bool is_scalar(const struct fm_json_reader *reader)
{
    return reader->token == FM_JSON_STRING || reader->token == FM_JSON_NUMBER;
}

fm_status_t fm_kineto_array_text(struct fm_json_reader *reader, fm_kineto_text *text,
                                 struct fm_error *error)
{
    if (reader->token != FM_JSON_ARRAY) {
        set_text(text, is_scalar(reader) ? reader->text : "");
        return fm_json_skip(reader, error);
    }
    const unsigned outer = reader->depth - 1;
    fm_status_t status = FM_OK;
    text->count = 0;
    fm_vector_push(text, '[');
    while (status == FM_OK && reader->depth > outer) {
        status = fm_json_next(reader, error);
        if (status != FM_OK) {
            break;
        }
        const char last = text->items[text->count - 1];
        const bool is_end = reader->token == FM_JSON_ARRAY_END;
        if (last != '[' && !is_end) {
            fm_vector_push(text, ',');
        }
        if (reader->token == FM_JSON_ARRAY || is_end) {
            fm_vector_push(text, is_end ? ']' : '[');
        } else if (is_scalar(reader)) {
            for (const char *at = reader->text; *at != '\0'; at++) {
                fm_vector_push(text, *at);
            }
        }
    }
    fm_vector_push(text, '\0');
    return status;
}

/* Keeps a value that one of the keys names. @return whether it is one of them */
static bool take(struct fm_kineto_element *element, const char *key, const struct key *keys,
                 size_t count, const struct fm_json_reader *reader)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key, keys[i].name) == 0) {
            if (is_scalar(reader)) {
                snprintf(element->fields[keys[i].field], sizeof *element->fields, "%s",
                         reader->text);
            }
            return true;
        }
    }
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static fm_status_t take_argument(struct fm_kineto_element *element, const char *key,
                                 struct fm_json_reader *reader, struct fm_error *error)
{
    if (strcmp(key, "Process Group Ranks") == 0) {
        return fm_kineto_array_text(reader, &element->ranks, error);
    }
    if (strcmp(key, "Input Dims") == 0) {
        return fm_kineto_array_text(reader, &element->dims, error);
    }
    take(element, key, argument_keys, COUNT(argument_keys), reader);
    return fm_json_skip(reader, error);
}

static fm_status_t read_members(struct fm_json_reader *reader, struct fm_kineto_element *element,
                                bool is_outer, struct fm_error *error);

static fm_status_t take_member(struct fm_kineto_element *element, const char *key,
                               struct fm_json_reader *reader, struct fm_error *error)
{
    if (strcmp(key, "name") == 0 && is_scalar(reader)) {
        set_text(&element->name, reader->text);
        return FM_OK;
    }
    if (strcmp(key, "args") == 0 && reader->token == FM_JSON_OBJECT) {
        return read_members(reader, element, false, error);
    }
    take(element, key, outer_keys, COUNT(outer_keys), reader);
    return fm_json_skip(reader, error);
}

static fm_status_t read_members(struct fm_json_reader *reader, struct fm_kineto_element *element,
                                bool is_outer, struct fm_error *error)
{
    for (;;) {
        fm_status_t status = fm_json_next(reader, error);
        if (status != FM_OK || reader->token == FM_JSON_OBJECT_END) {
            return status;
        }
        char key[64];
        snprintf(key, sizeof key, "%s", reader->text);
        status = fm_json_next(reader, error);
        if (status == FM_OK) {
            status = is_outer ? take_member(element, key, reader, error)
                              : take_argument(element, key, reader, error);
        }
        if (status != FM_OK) {
            return status;
        }
    }
}

fm_status_t fm_kineto_element_read(struct fm_json_reader *reader, struct fm_kineto_element *element,
                                   struct fm_error *error)
{
    for (int i = 0; i < FM_KINETO_FIELDS; i++) {
        element->fields[i][0] = '\0';
    }
    set_text(&element->name, "");
    set_text(&element->ranks, "");
    set_text(&element->dims, "");
    return read_members(reader, element, true, error);
}

void fm_kineto_element_free(struct fm_kineto_element *element)
{
    fm_vector_free(&element->name);
    fm_vector_free(&element->ranks);
    fm_vector_free(&element->dims);
}
