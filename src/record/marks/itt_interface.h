/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface between programs with ITT (Intel's instrumentation and tracing technology) and
 * collectors, declared by its public documentation: the static library of a program loads the
 * library that INTEL_LIBITTNOTIFY64 names, and calls its function __itt_api_init with a list of
 * pointers to functions, which the collector sets to its own ones.
 */
#ifndef FERMATA_RECORD_MARKS_ITT_INTERFACE_H
#define FERMATA_RECORD_MARKS_ITT_INTERFACE_H

#include <pthread.h>
#include <stdint.h>
#include <wchar.h>

/** A function of the interface. */
struct fm_itt_function {
    const char *name; /**< NULL: the end of the list */
    void **pointer;   /**< what the program calls */
    void *initial;    /**< its value before the collector was loaded */
    void *otherwise;  /**< its value if the collector lacks the function */
    int group;
};

/** The state of a program's static library, as far as it is used. */
struct fm_itt_program {
    unsigned char magic[8];
    unsigned long major, minor, build;
    volatile long api_is_ready, mutex_is_ready, counter;
    pthread_mutex_t mutex;
    void *library; /**< handle of the collector */
    void *error_handler;
    const char **library_path;
    struct fm_itt_function *functions;
};

/** A domain. Programs call the functions below only if the flags are not 0. */
struct fm_itt_domain {
    volatile int flags;
    const char *name;
    const wchar_t *wide_name;
    int of_collector;
    void *own; /**< of the collector */
    struct fm_itt_domain *next;
};

/** A string. */
struct fm_itt_string {
    const char *text;
    const wchar_t *wide_text;
    int of_collector;
    void *own; /**< of the collector */
    struct fm_itt_string *next;
};

/** The identifier of an object of the program; the first word is mostly an address. */
struct fm_itt_id {
    unsigned long long words[3];
};

#endif
