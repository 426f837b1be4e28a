/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/archive/otf2_error.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char first_message[512];
static _Thread_local char taken_message[512];
static _Thread_local bool is_memory;

static OTF2_ErrorCode keep(void *user_data, const char *file, uint64_t line, const char *function,
                           OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user_data;
    (void)file;
    (void)line;
    (void)function;
    is_memory = is_memory || code == OTF2_ERROR_ENOMEM || code == OTF2_ERROR_MEM_FAULT ||
                code == OTF2_ERROR_MEM_ALLOC_FAILED;
    if (first_message[0] == '\0') {
        int used =
            snprintf(first_message, sizeof first_message, "%s", OTF2_Error_GetDescription(code));
        if (used > 0 && (size_t)used + 3 < sizeof first_message && format != NULL &&
            format[0] != '\0') {
            strcat(first_message, ": ");
            vsnprintf(first_message + used + 2, sizeof first_message - (size_t)used - 2, format,
                      arguments);
        }
    }
    return code;
}

void fm_otf2_error_capture(void)
{
    OTF2_Error_RegisterCallback(keep, NULL);
}

const char *fm_otf2_error_take(void)
{
    memcpy(taken_message, first_message, sizeof taken_message);
    /* The message may quote bytes of a damaged file. */
    for (char *c = taken_message; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') {
            *c = '?';
        }
    }
    first_message[0] = '\0';
    is_memory = false;
    return taken_message[0] == '\0' ? "unknown reason" : taken_message;
}

bool fm_otf2_error_is_memory(void)
{
    return is_memory;
}
