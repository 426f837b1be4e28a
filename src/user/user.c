/* SPDX-License-Identifier: BSD-3-Clause */
/* libfermata-user in C: forwards the calls of a program to the recorder. */
#include "fermata/fermata.h"
#include "user/connect.h"

#include <string.h>

static struct fm_text text_of(const char *text)
{
    return (struct fm_text){text, text != NULL ? strlen(text) : 0};
}

/* The recorder's objects for the regions, parameters and counters of the program; NULL: none yet.
 * The definitions, made once, are functions of their own, so that the functions below need no stack
 * frame. */

#define APART __attribute__((noinline, cold))

static APART void *define_region(const struct fm_user_functions *functions,
                                 fermata_region_t *region)
{
    return fm_user_keep(&region->recorder,
                        functions->define_region(text_of(region->name), text_of(region->file),
                                                 region->line, region->kind));
}

static APART void *define_parameter(const struct fm_user_functions *functions,
                                    fermata_parameter_t *parameter, bool is_text)
{
    return fm_user_keep(&parameter->recorder,
                        functions->define_parameter(text_of(parameter->name), is_text));
}

static APART void *define_parameter_unsigned(const struct fm_user_functions *functions,
                                             fermata_parameter_t *parameter)
{
    return fm_user_keep(&parameter->recorder,
                        functions->define_parameter_unsigned(text_of(parameter->name)));
}

static APART void *define_counter(const struct fm_user_functions *functions,
                                  fermata_counter_t *counter, bool is_real)
{
    return fm_user_keep(&counter->recorder,
                        functions->define_counter(text_of(counter->name), text_of(counter->unit),
                                                  counter->kind, is_real));
}

static inline void *recorded(const struct fm_user_functions *functions, fermata_region_t *region)
{
    void *object = fm_user_object(&region->recorder);
    return __builtin_expect(object != NULL, 1) ? object : define_region(functions, region);
}

static inline void *recorded_parameter(const struct fm_user_functions *functions,
                                       fermata_parameter_t *parameter, bool is_text)
{
    void *object = fm_user_object(&parameter->recorder);
    return __builtin_expect(object != NULL, 1) ? object
                                               : define_parameter(functions, parameter, is_text);
}

static inline void *recorded_counter(const struct fm_user_functions *functions,
                                     fermata_counter_t *counter, bool is_real)
{
    void *object = fm_user_object(&counter->recorder);
    return __builtin_expect(object != NULL, 1) ? object
                                               : define_counter(functions, counter, is_real);
}

void fermata_region_begin(fermata_region_t *region)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        void *object = recorded(functions, region);
        if (object != NULL) {
            functions->begin_region(object);
        }
    }
}

void fermata_region_end(const fermata_region_t *region)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        const void *object = fm_user_object(&region->recorder);
        if (object != NULL) {
            functions->end_region(object);
        }
    }
}

void fermata_region_end_named(const char *name)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->end_region_named(text_of(name));
    }
}

void fermata_region_next(fermata_region_t *region)
{
    fermata_region_end(region);
    fermata_region_begin(region);
}

void fermata_parameter_int(fermata_parameter_t *parameter, int64_t value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        const void *object = recorded_parameter(functions, parameter, false);
        if (object != NULL) {
            functions->set_parameter(object, value);
        }
    }
}

void fermata_parameter_uint(fermata_parameter_t *parameter, uint64_t value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        const void *object = fm_user_object(&parameter->recorder);
        if (object == NULL) {
            object = define_parameter_unsigned(functions, parameter);
        }
        if (object != NULL) {
            functions->set_parameter(object, (int64_t)value);
        }
    }
}

void fermata_parameter_string(fermata_parameter_t *parameter, const char *value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        const void *object = recorded_parameter(functions, parameter, true);
        if (object != NULL) {
            functions->set_parameter_text(object, text_of(value));
        }
    }
}

void fermata_counter_int(fermata_counter_t *counter, int64_t value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        const void *object = recorded_counter(functions, counter, false);
        if (object != NULL) {
            functions->count(object, value);
        }
    }
}

void fermata_counter_double(fermata_counter_t *counter, double value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        const void *object = recorded_counter(functions, counter, true);
        if (object != NULL) {
            functions->count_real(object, value);
        }
    }
}

void fermata_marker(const char *text)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->mark(text_of(text));
    }
}

void fermata_pause(void)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->pause();
    }
}

void fermata_resume(void)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->resume();
    }
}

void fermata_flight_dump(void)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->flight_dump();
    }
}

int fermata_is_recording(void)
{
    const struct fm_user_functions *functions = fm_user_connected();
    return functions != NULL && functions->is_recording();
}
