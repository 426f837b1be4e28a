/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * One element of `traceEvents`: the members that are read, as they are written.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_EVENT_H
#define FERMATA_IMPORT_KINETO_KINETO_EVENT_H

#include "import/kineto/json_reader.h"

/** Members with short texts. */
enum fm_kineto_field {
    FM_KINETO_PH,
    FM_KINETO_CAT,
    FM_KINETO_PID,
    FM_KINETO_TID,
    FM_KINETO_TS,
    FM_KINETO_DUR,
    FM_KINETO_CORRELATION, /**< from here on of `args` */
    FM_KINETO_EXTERNAL_ID,
    FM_KINETO_BYTES,
    FM_KINETO_DEVICE,
    FM_KINETO_STREAM,
    FM_KINETO_COLLECTIVE,
    FM_KINETO_SEQUENCE,
    FM_KINETO_ELEMENTS_IN,
    FM_KINETO_ELEMENTS_OUT,
    FM_KINETO_DTYPE,
    FM_KINETO_GROUP,
    FM_KINETO_AWAITED_STREAM,
    FM_KINETO_AWAITED_RECORD,
    FM_KINETO_FIELDS
};

typedef FM_VECTOR(char) fm_kineto_text;

/** An event. {0}: an empty one, to be freed with fm_kineto_element_free(). */
struct fm_kineto_element {
    char fields[FM_KINETO_FIELDS][48]; /**< "": not there; longer ones are cut */
    fm_kineto_text name;               /**< with a NUL, like the others */
    fm_kineto_text ranks;              /**< "Process Group Ranks": "[0,1]" */
    fm_kineto_text dims;               /**< "Input Dims": "[[2,3],[]]" */
};

/** Reads the object whose first token is the current one. */
fm_status_t fm_kineto_element_read(struct fm_json_reader *reader, struct fm_kineto_element *element,
                                   struct fm_error *error);

/** Reads an array of numbers or the text of one, at its first token, as text: "[0, 1]". */
fm_status_t fm_kineto_array_text(struct fm_json_reader *reader, fm_kineto_text *text,
                                 struct fm_error *error);

void fm_kineto_element_free(struct fm_kineto_element *element);

#endif
