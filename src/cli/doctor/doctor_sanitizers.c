/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are built with sanitizers (record/preload/sanitizers.h). */
#include "cli/doctor/doctor.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum runtime { ADDRESSES, LEAKS, THREADS, MEMORY, UNDEFINED, RUNTIMES };

/* A function of each runtime, by its begin, that instrumented programs call; a static runtime is
 * part of the program, which then defines it. */
static const struct {
    const char *name, *function;
} runtimes[RUNTIMES] = {
    [ADDRESSES] = {"AddressSanitizer", "__asan_init"},
    [LEAKS] = {"LeakSanitizer", "__lsan_init"},
    [THREADS] = {"ThreadSanitizer", "__tsan_init"},
    [MEMORY] = {"MemorySanitizer", "__msan_init"},
    [UNDEFINED] = {"UndefinedBehaviorSanitizer", "__ubsan_handle_"},
};

struct sanitizers {
    bool used[RUNTIMES], is_part[RUNTIMES];
};

static void note(void *context, const char *name, bool defined)
{
    struct sanitizers *there = context;
    for (size_t i = 0; i < RUNTIMES; i++) {
        if (strncmp(name, runtimes[i].function, strlen(runtimes[i].function)) == 0) {
            there->used[i] = true;
            there->is_part[i] |= defined;
        }
    }
}

void fm_doctor_sanitizers(const char *path, const struct fm_elf *elf)
{
    struct sanitizers there = {0};
    fm_elf_visit_symbols(elf, note, &there);
    bool any = false; /* of the others, whose static runtimes contain parts of this one */
    for (size_t i = 0; i < UNDEFINED; i++) {
        any |= there.used[i];
    }
    if (there.used[MEMORY]) {
        fm_doctor_report(FM_HEALTH_BAD, "record a build without it",
                         "%s is built with MemorySanitizer, which would take what the recorder "
                         "writes for uninitialized: it runs, but is not recorded",
                         path);
    }
    if (there.is_part[THREADS]) {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "if threads matter: link it with the shared runtime (gcc without "
                         "-static-libtsan)",
                         "ThreadSanitizer is part of %s: its threads are not recorded", path);
    }
    for (size_t i = 0; i < MEMORY; i++) {
        if (there.used[i]) {
            fm_doctor_report(FM_HEALTH_WARNING,
                             "for times as users have them: record a build without it",
                             "%s is built with %s: it is recorded, and is as slow as that makes it",
                             path, runtimes[i].name);
        }
    }
    if (there.used[UNDEFINED] && !any) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "%s is built with UndefinedBehaviorSanitizer: it is recorded", path);
    }
}
