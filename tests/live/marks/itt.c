/* SPDX-License-Identifier: BSD-3-Clause */
/* ITT as its static library does it: the first call loads the library that an environment variable
 * names, and calls its function with a list of pointers to functions. */
#include "carried.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <wchar.h>

struct id {
    unsigned long long d1, d2, d3;
};
struct domain_object {
    volatile int flags;
    const char *nameA;
    const wchar_t *nameW;
    int extra1;
    void *extra2;
    struct domain_object *next;
};
struct string {
    const char *strA;
    const wchar_t *strW;
    int extra1;
    void *extra2;
    struct string *next;
};

static struct domain_object *(*domain_create)(const char *);
static struct string *(*string_handle_create)(const char *);
static void (*task_begin)(const struct domain_object *, struct id, struct id, struct string *);
static void (*task_end)(const struct domain_object *);
static void (*task_begin_overlapped)(const struct domain_object *, struct id, struct id,
                                     struct string *);
static void (*task_end_overlapped)(const struct domain_object *, struct id);
static void (*marker)(const struct domain_object *, struct id, struct string *, int);

/* Without a collector, domains and strings are those of the static library. */
static struct domain_object *create_own_domain(const char *name)
{
    struct domain_object *domain = calloc(1, sizeof *domain);
    domain->nameA = name;
    return domain;
}

static struct string *create_own_string(const char *text)
{
    struct string *string = calloc(1, sizeof *string);
    string->strA = text;
    return string;
}

static struct {
    const char *name;
    void **func_ptr;
    void *init_func, *null_func;
    int group;
} functions[] = {
    {"__itt_domain_create", (void **)&domain_create, NULL, NULL, 1},
    {"__itt_string_handle_create", (void **)&string_handle_create, NULL, NULL, 1},
    {"__itt_task_begin", (void **)&task_begin, NULL, NULL, 1},
    {"__itt_task_end", (void **)&task_end, NULL, NULL, 1},
    {"__itt_task_begin_overlapped", (void **)&task_begin_overlapped, NULL, NULL, 1},
    {"__itt_task_end_overlapped", (void **)&task_end_overlapped, NULL, NULL, 1},
    {"__itt_marker", (void **)&marker, NULL, NULL, 1},
    {NULL, NULL, NULL, NULL, 0},
};

static struct {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long initialized, mutex_initialized, counter;
    pthread_mutex_t mutex;
    void *lib, *error_handler;
    const char **dll_path_ptr;
    void *api_list_ptr, *next;
} global = {.magic = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30},
            .major = 3,
            .mutex = PTHREAD_MUTEX_INITIALIZER,
            .api_list_ptr = functions};

static struct domain_object *domains[3];

static void begin_interface(void)
{
    static const char *const names[] = {"program", "solver", "output"};
    const char *path = getenv("INTEL_LIBITTNOTIFY64");
    void (*begin)(void *, int) = NULL;
    functions[0].null_func =
        *(void **)&(struct domain_object * (*[])(const char *)){create_own_domain};
    functions[1].null_func = *(void **)&(struct string * (*[])(const char *)){create_own_string};
    for (int i = 0; functions[i].name != NULL; i++) {
        *functions[i].func_ptr = functions[i].null_func;
    }
    global.lib = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
    if (global.lib != NULL && dlsym(global.lib, "__itt_api_version") != NULL) {
        *(void **)&begin = dlsym(global.lib, "__itt_api_init");
    }
    if (begin != NULL) {
        begin(&global, 1);
    }
    for (int i = 0; i < 3; i++) {
        domains[i] = domain_create(names[i]);
    }
}

static const struct domain_object *domain_of(enum domain domain)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin_interface);
    return domains[domain];
}

static const struct id none;

void carried_begin(enum domain domain, const char *name)
{
    const struct domain_object *d = domain_of(domain);
    if (d->flags != 0 && task_begin != NULL) {
        task_begin(d, none, none, string_handle_create(name));
    }
}

void carried_end(enum domain domain)
{
    const struct domain_object *d = domain_of(domain);
    if (d->flags != 0 && task_end != NULL) {
        task_end(d);
    }
}

uint64_t carried_start(const char *name)
{
    static unsigned long long last;
    const struct domain_object *d = domain_of(OUTSIDE);
    const struct id id = {++last, 0, 0};
    if (d->flags != 0 && task_begin_overlapped != NULL) {
        task_begin_overlapped(d, id, none, string_handle_create(name));
    }
    return id.d1;
}

void carried_stop(uint64_t mark)
{
    const struct domain_object *d = domain_of(OUTSIDE);
    if (d->flags != 0 && task_end_overlapped != NULL) {
        task_end_overlapped(d, (struct id){mark, 0, 0});
    }
}

void carried_forms(void)
{
    const struct domain_object *d = domain_of(SOLVER);
    if (marker != NULL) { /* not recorded */
        abort();
    }
    carried_begin(SOLVER, "one string");
    carried_end(SOLVER);
    if (d->flags != 0 && domain_create("solver") != d) {
        abort();
    }
}
