/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_tell.h"

#include "record/experiment/kept_variables.h"
#include "record/selection/flight_option.h"
#include "record/selection/selected.h"
#include "record/session/session.h"
#include "record/session/session_state.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Prints a message unless `*told` shows that one of its kind was printed before. Without stdio,
 * because the program uses its locks. */
static void tell_once(bool *told, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void tell_once(bool *told, const char *format, va_list arguments)
{
    char text[PATH_MAX + 512];
    if (__atomic_exchange_n(told, true, __ATOMIC_RELAXED)) {
        return;
    }
    const struct fm_exchange *exchange = __atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE);
    const struct fm_process_noun *noun = fm_session_noun();
    int length = exchange == NULL ? snprintf(text, sizeof text, "fermata: ")
                                  : snprintf(text, sizeof text, "fermata: %s %u: ", noun->one,
                                             exchange->rank + noun->first);
    length += vsnprintf(text + length, sizeof text - (size_t)length - 1, format, arguments);
    length = length < (int)sizeof text - 1 ? length : (int)sizeof text - 2;
    text[length++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)length) < 0) {
        return; /* there is no place to report this failure */
    }
}

void fm_session_tell(const char *format, ...)
{
    static bool told;
    va_list arguments;
    va_start(arguments, format);
    tell_once(&told, format, arguments);
    va_end(arguments);
}

void fm_session_tell_of_functions(const char *format, ...)
{
    static bool told;
    va_list arguments;
    va_start(arguments, format);
    tell_once(&told, format, arguments);
    va_end(arguments);
}

void fm_session_tell_each(const char *format, ...)
{
    bool told = false;
    va_list arguments;
    va_start(arguments, format);
    tell_once(&told, format, arguments);
    va_end(arguments);
}

void fm_session_tell_of_samples(const char *format, ...)
{
    static bool told;
    va_list arguments;
    va_start(arguments, format);
    tell_once(&told, format, arguments);
    va_end(arguments);
}

void fm_session_tell_selection(void)
{
    static bool told;
    const char *problem = fm_selected_problem();
    if (problem != NULL && fm_session.exchange->rank == 0 && !told) {
        told = true;
        dprintf(STDERR_FILENO, "fermata: %s\n", problem);
    }
}

void fm_session_tell_sample_rate(void)
{
    static bool told;
    char text[256];
    if (fm_session.exchange->rank == 0 && !told && fm_samples_expect_less(text, sizeof text)) {
        told = true;
        dprintf(STDERR_FILENO, "fermata: warning: %s\n", text);
    }
}

void fm_session_tell_max_size(void)
{
    uint64_t bytes;
    if (!fm_max_size_read(fm_variable(FM_MAX_SIZE_VARIABLE), &bytes) &&
        fm_session.exchange->rank == 0) {
        char text[32];
        dprintf(STDERR_FILENO, "fermata: %s is not understood: the limit is %s\n",
                FM_MAX_SIZE_VARIABLE, fm_max_size_text(bytes, text, sizeof text));
    }
}

void fm_session_tell_flight(void)
{
    const char *text = fm_variable(FM_FLIGHT_VARIABLE);
    if (text != NULL && text[0] != '\0' && fm_session_state.flight.bytes == 0 &&
        fm_session.exchange->rank == 0) {
        dprintf(STDERR_FILENO, "fermata: %s is not understood: the whole run is recorded\n",
                FM_FLIGHT_VARIABLE);
    }
}
