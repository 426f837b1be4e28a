/* SPDX-License-Identifier: BSD-3-Clause */
/* libfermata-user for the Fortran module. */
#include "user/fortran.h"

#include "user/connect.h"

static struct fm_text text_of(const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    return (struct fm_text){text, length};
}

void fermata_fortran_region_begin(void **object, const char *name, size_t name_length,
                                  const char *file, size_t file_length, int line, int kind,
                                  int again)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions == NULL) {
        return;
    }
    void *region = fm_user_object(object);
    if (region != NULL && again != 0) {
        functions->end_region(region);
    } else if (region == NULL) {
        region = fm_user_keep(
            object, functions->define_region(text_of(name, name_length), text_of(file, file_length),
                                             line > 0 ? (uint32_t)line : 0, (uint32_t)kind));
    }
    if (region != NULL) {
        functions->begin_region(region);
    }
}

void fermata_fortran_region_end(void **object)
{
    const struct fm_user_functions *functions = fm_user_connected();
    void *region = functions != NULL ? fm_user_object(object) : NULL;
    if (region != NULL) {
        functions->end_region(region);
    }
}

void fermata_fortran_region_end_named(const char *name, size_t length)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->end_region_named(text_of(name, length));
    }
}

static void *parameter_of(const struct fm_user_functions *functions, void **object,
                          const char *name, size_t length, bool is_text)
{
    void *parameter = functions != NULL ? fm_user_object(object) : NULL;
    if (functions != NULL && parameter == NULL) {
        parameter =
            fm_user_keep(object, functions->define_parameter(text_of(name, length), is_text));
    }
    return parameter;
}

void fermata_fortran_parameter_int(void **object, const char *name, size_t length, int64_t value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    const void *parameter = parameter_of(functions, object, name, length, false);
    if (parameter != NULL) {
        functions->set_parameter(parameter, value);
    }
}

void fermata_fortran_parameter_string(void **object, const char *name, size_t length,
                                      const char *value, size_t value_length)
{
    const struct fm_user_functions *functions = fm_user_connected();
    const void *parameter = parameter_of(functions, object, name, length, true);
    if (parameter != NULL) {
        functions->set_parameter_text(parameter, text_of(value, value_length));
    }
}

static void *counter_of(const struct fm_user_functions *functions, void **object,
                        struct fm_text name, struct fm_text unit, int kind, bool is_real)
{
    void *counter = functions != NULL ? fm_user_object(object) : NULL;
    if (functions != NULL && counter == NULL) {
        counter =
            fm_user_keep(object, functions->define_counter(name, unit, (uint32_t)kind, is_real));
    }
    return counter;
}

void fermata_fortran_counter_int(void **object, const char *name, size_t length, const char *unit,
                                 size_t unit_length, int kind, int64_t value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    const void *counter = counter_of(functions, object, text_of(name, length),
                                     text_of(unit, unit_length), kind, false);
    if (counter != NULL) {
        functions->count(counter, value);
    }
}

void fermata_fortran_counter_double(void **object, const char *name, size_t length,
                                    const char *unit, size_t unit_length, int kind, double value)
{
    const struct fm_user_functions *functions = fm_user_connected();
    const void *counter = counter_of(functions, object, text_of(name, length),
                                     text_of(unit, unit_length), kind, true);
    if (counter != NULL) {
        functions->count_real(counter, value);
    }
}

void fermata_fortran_marker(const char *text, size_t length)
{
    const struct fm_user_functions *functions = fm_user_connected();
    if (functions != NULL) {
        functions->mark(text_of(text, length));
    }
}
