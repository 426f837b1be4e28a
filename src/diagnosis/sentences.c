/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/sentences.h"

#include "base/containers/vector.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fm_sentences_add(struct fm_sentences *lines, const char *label, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort(); /* Without memory for one line no error message can be printed either. */
    fm_vector_push(lines, (struct fm_sentence){label, text});
}

void fm_sentences_free(struct fm_sentences *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i].text);
    fm_vector_free(lines);
}
