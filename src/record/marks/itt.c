/* SPDX-License-Identifier: BSD-3-Clause */
/* ITT. Tasks are regions, with the name of their domain; overlapped ones where they nest. Frames,
 * markers, counters, metadata and names of threads are not recorded. */
#include "record/capture/hot.h"
#include "record/capture/lock.h"
#include "record/marks/itt_interface.h"
#include "record/marks/marks.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- domains and strings: one for each name, to the end of the process ---- */

static fm_lock_t lock = FM_LOCK_FREE;
static struct fm_itt_domain *domains;
static struct fm_itt_string *strings;

static struct fm_itt_domain *find_domain(const char *name)
{
    struct fm_itt_domain *found = __atomic_load_n(&domains, __ATOMIC_ACQUIRE);
    while (found != NULL && strcmp(found->name, name) != 0) {
        found = found->next;
    }
    return found;
}

static struct fm_itt_domain *create_domain(const char *name)
{
    const int saved = errno;
    const char *text = name != NULL ? name : "";
    fm_lock(&lock);
    struct fm_itt_domain *domain = find_domain(text);
    if (domain == NULL) {
        char *copy = strdup(text);
        domain = calloc(1, sizeof *domain);
        if (domain != NULL && copy != NULL) {
            *domain = (struct fm_itt_domain){.flags = 1, .name = copy, .next = domains};
            __atomic_store_n(&domains, domain, __ATOMIC_RELEASE);
        } else {
            free(copy);
            free(domain);
            domain = NULL;
        }
    }
    fm_unlock(&lock);
    errno = saved;
    return domain;
}

static struct fm_itt_string *create_string(const char *name)
{
    const int saved = errno;
    const char *text = name != NULL ? name : "";
    fm_lock(&lock);
    struct fm_itt_string *string = strings;
    while (string != NULL && strcmp(string->text, text) != 0) {
        string = string->next;
    }
    if (string == NULL) {
        char *copy = strdup(text);
        string = calloc(1, sizeof *string);
        if (string != NULL && copy != NULL) {
            *string = (struct fm_itt_string){.text = copy, .next = strings};
            strings = string;
        } else {
            free(copy);
            free(string);
            string = NULL;
        }
    }
    fm_unlock(&lock);
    errno = saved;
    return string;
}

/* ---- tasks ---- */

static struct fm_mark_name *name_of(const struct fm_itt_domain *domain,
                                    const struct fm_itt_string *string)
{
    const char *text =
        string != NULL && string->text != NULL ? string->text : "(ITT task without a name)";
    return fm_mark_name(FM_MARKS_ITT, domain->name, (struct fm_text){text, strlen(text)});
}

static void begin_task(const struct fm_itt_domain *domain, struct fm_itt_id task,
                       struct fm_itt_id parent, const struct fm_itt_string *name)
{
    (void)task, (void)parent;
    if (domain != NULL) {
        fm_mark_begin(name_of(domain, name), (uintptr_t)domain);
    }
}

/* A task that has the name of its function. */
static void begin_function(const struct fm_itt_domain *domain, struct fm_itt_id task,
                           struct fm_itt_id parent, const void *function)
{
    char text[40];
    (void)task, (void)parent;
    snprintf(text, sizeof text, "task %p", function);
    if (domain != NULL) {
        fm_mark_begin(
            fm_mark_name(FM_MARKS_ITT, domain->name, (struct fm_text){text, strlen(text)}),
            (uintptr_t)domain);
    }
}

static void end_task(const struct fm_itt_domain *domain)
{
    if (domain != NULL) {
        fm_mark_end((uintptr_t)domain);
    }
}

/* ---- overlapped tasks, which the program names by identifiers ---- */

enum { OVERLAPPED = 256 };
static struct {
    struct fm_itt_id task;
    uint64_t mark; /* 0: free */
} overlapped[OVERLAPPED];

static void begin_overlapped(const struct fm_itt_domain *domain, struct fm_itt_id task,
                             struct fm_itt_id parent, const struct fm_itt_string *name)
{
    (void)parent;
    if (domain == NULL) {
        return;
    }
    const uint64_t mark = fm_mark_start(name_of(domain, name));
    int place = 0;
    fm_lock(&lock);
    while (place < OVERLAPPED && overlapped[place].mark != 0) {
        place++;
    }
    if (place < OVERLAPPED) {
        overlapped[place].task = task;
        overlapped[place].mark = mark;
    }
    fm_unlock(&lock);
    if (place == OVERLAPPED) { /* its end would not be found */
        fm_mark_stop(mark);
    }
}

static void end_overlapped(const struct fm_itt_domain *domain, struct fm_itt_id task)
{
    uint64_t mark = 0;
    (void)domain;
    fm_lock(&lock);
    for (int i = OVERLAPPED; i-- != 0 && mark == 0;) {
        if (overlapped[i].mark != 0 && memcmp(&overlapped[i].task, &task, sizeof task) == 0) {
            mark = overlapped[i].mark;
            overlapped[i].mark = 0;
        }
    }
    fm_unlock(&lock);
    fm_mark_stop(mark);
}

/* ---- the connection ---- */

static void *function_named(const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
#define FM_ITT(name, function) {"__itt_" name, (void (*)(void))(function)}
        FM_ITT("domain_create", create_domain),
        FM_ITT("string_handle_create", create_string),
        FM_ITT("task_begin", begin_task),
        FM_ITT("task_begin_fn", begin_function),
        FM_ITT("task_end", end_task),
        FM_ITT("task_begin_overlapped", begin_overlapped),
        FM_ITT("task_end_overlapped", end_overlapped),
#undef FM_ITT
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return (void *)(uintptr_t)functions[i].function;
        }
    }
    return NULL;
}

/** Called by a program's ITT library when it begins. Sets the pointers of functions that are
 * recorded; the others get the value without a collector. */
FM_API void __itt_api_init(struct fm_itt_program *program, int groups);
void __itt_api_init(struct fm_itt_program *program, int groups)
{
    (void)groups;
    const bool is_selected = fm_marks_are_selected(FM_MARKS_ITT);
    if (program == NULL || program->functions == NULL) {
        return;
    }
    for (struct fm_itt_function *f = program->functions; f->name != NULL; f++) {
        void *function = is_selected ? function_named(f->name) : NULL;
        *f->pointer = function != NULL ? function : f->otherwise;
    }
}

/** Shows that this library sets the pointers itself. @return the version of the interface */
FM_API const char *__itt_api_version(void);
const char *__itt_api_version(void)
{
    return "3.0";
}
