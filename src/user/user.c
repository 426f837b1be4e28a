/* libfermata-user: leads the calls of a program to the recorder if one was preloaded. It depends on
 * nothing but dlsym, which programs that are linked statically may lack: nothing can be preloaded
 * into them. */
#include "fermata/fermata.h"
#include "user/interface.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* From version 2.34 on, dlsym is part of glibc's libc itself; only then may the reference be weak
 * (the linker drops libraries that only weak references need). */
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
#pragma weak dlsym
#define FM_CAN_LOOK_UP (dlsym != NULL)
#else
#define FM_CAN_LOOK_UP 1
#endif

static struct {
    const struct fm_user_functions *functions; /* NULL: none so far */
    bool settled;                              /* asking again would not help */
} recorder;

static const struct fm_user_functions *connect(void)
{
    const struct fm_user_functions *functions = NULL;
    bool settled = true;
    int saved = errno;
    if (FM_CAN_LOOK_UP) {
        void *symbol = dlsym(RTLD_DEFAULT, FM_USER_CONNECT_SYMBOL);
        if (symbol != NULL) {
            fm_user_connect_t *ask = (fm_user_connect_t *)(uintptr_t)symbol;
            functions = ask(sizeof *functions, &settled);
        }
    }
    /* Another thread may have had a better answer: never take it back. */
    if (functions != NULL) {
        __atomic_store_n(&recorder.functions, functions, __ATOMIC_RELEASE);
    } else if (settled) {
        __atomic_store_n(&recorder.settled, true, __ATOMIC_RELAXED);
    }
    errno = saved;
    return functions;
}

/* The recorder's functions, NULL without a recorder. */
static inline const struct fm_user_functions *connected(void)
{
    const struct fm_user_functions *functions =
        __atomic_load_n(&recorder.functions, __ATOMIC_ACQUIRE);
    if (functions != NULL || __atomic_load_n(&recorder.settled, __ATOMIC_RELAXED)) {
        return functions;
    }
    return connect();
}

static struct fm_text text_of(const char *text)
{
    return (struct fm_text){text, text != NULL ? strlen(text) : 0};
}

/* The recorder's object for a region. Threads that define it at once get equal ones. */
static void *recorded(const struct fm_user_functions *functions, fermata_region_t *region)
{
    void *object = __atomic_load_n(&region->recorder, __ATOMIC_ACQUIRE);
    if (object == NULL) {
        object = functions->define_region(text_of(region->name), text_of(region->file),
                                          region->line, region->kind);
        __atomic_store_n(&region->recorder, object, __ATOMIC_RELEASE);
    }
    return object;
}

/* The same for parameters and counters. */
static void *recorded_parameter(const struct fm_user_functions *functions,
                                fermata_parameter_t *parameter, bool is_text)
{
    void *object = __atomic_load_n(&parameter->recorder, __ATOMIC_ACQUIRE);
    if (object == NULL) {
        object = functions->define_parameter(text_of(parameter->name), is_text);
        __atomic_store_n(&parameter->recorder, object, __ATOMIC_RELEASE);
    }
    return object;
}

static void *recorded_counter(const struct fm_user_functions *functions, fermata_counter_t *counter,
                              bool is_real)
{
    void *object = __atomic_load_n(&counter->recorder, __ATOMIC_ACQUIRE);
    if (object == NULL) {
        object = functions->define_counter(text_of(counter->name), text_of(counter->unit),
                                           counter->kind, is_real);
        __atomic_store_n(&counter->recorder, object, __ATOMIC_RELEASE);
    }
    return object;
}

void fermata_region_begin(fermata_region_t *region)
{
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        void *object = recorded(functions, region);
        if (object != NULL) {
            functions->begin_region(object);
        }
    }
}

void fermata_region_end(const fermata_region_t *region)
{
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        const void *object = __atomic_load_n(&region->recorder, __ATOMIC_ACQUIRE);
        if (object != NULL) {
            functions->end_region(object);
        }
    }
}

void fermata_region_end_named(const char *name)
{
    const struct fm_user_functions *functions = connected();
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
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        const void *object = recorded_parameter(functions, parameter, false);
        if (object != NULL) {
            functions->set_parameter(object, value);
        }
    }
}

void fermata_parameter_string(fermata_parameter_t *parameter, const char *value)
{
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        const void *object = recorded_parameter(functions, parameter, true);
        if (object != NULL) {
            functions->set_parameter_text(object, text_of(value));
        }
    }
}

void fermata_counter_int(fermata_counter_t *counter, int64_t value)
{
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        const void *object = recorded_counter(functions, counter, false);
        if (object != NULL) {
            functions->count(object, value);
        }
    }
}

void fermata_counter_double(fermata_counter_t *counter, double value)
{
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        const void *object = recorded_counter(functions, counter, true);
        if (object != NULL) {
            functions->count_real(object, value);
        }
    }
}

void fermata_marker(const char *text)
{
    const struct fm_user_functions *functions = connected();
    if (functions != NULL) {
        functions->mark(text_of(text));
    }
}
