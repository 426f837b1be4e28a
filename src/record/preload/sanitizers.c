/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtimes of sanitizers ask the program for, where it does not answer itself. */
#include "record/preload/sanitizers.h"

#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>

#define FM_ANSWER __attribute__((visibility("default"))) const char *

FM_ANSWER __asan_default_options(void);
FM_ANSWER __lsan_default_options(void);
FM_ANSWER __lsan_default_suppressions(void);
FM_ANSWER __tsan_default_suppressions(void);

/* AddressSanitizer's shared runtime ends programs in which another library is in front of it. Of
 * the functions that both replace, those of this library call those of the runtime. */
FM_ANSWER __asan_default_options(void)
{
    return "verify_asan_link_order=0";
}

/* The suppressions below are not listed. */
FM_ANSWER __lsan_default_options(void)
{
    return "print_suppressions=0";
}

/* The recorder keeps its memory to the end of the process, partly in pages that LeakSanitizer does
 * not search for pointers. */
FM_ANSWER __lsan_default_suppressions(void)
{
    return "leak:libfermata-\n";
}

/* The locks of the recorder are system calls that ThreadSanitizer does not see. What it sees of the
 * recorder are calls of functions that it replaces, as memcpy; these are ignored. */
FM_ANSWER __tsan_default_suppressions(void)
{
    return "called_from_lib:libfermata-recorder.so\n";
}

/* Whether the program itself defines a function. */
static bool is_in_program(const char *name)
{
    Dl_info library, program;
    void *function = fm_preload_symbol(RTLD_DEFAULT, name);
    return function != NULL && dladdr(function, &library) != 0 &&
           dladdr((void *)getauxval(AT_ENTRY), &program) != 0 &&
           library.dli_fbase == program.dli_fbase;
}

/* A static runtime exports the functions that it replaces, GCC's no others. Only ThreadSanitizer
 * replaces __sigsetjmp. */
const char *fm_sanitizer_obstacle_of_threads(void)
{
    return is_in_program("__sigsetjmp") && is_in_program("pthread_create")
               ? "ThreadSanitizer is part of the program, and knows a thread only after the "
                 "recorder does; link the program with the shared runtime of the sanitizer"
               : NULL;
}

const char *fm_sanitizer_obstacle(void)
{
    return fm_preload_symbol(RTLD_DEFAULT, "__msan_init") != NULL
               ? "it is built with MemorySanitizer, which takes what libraries without it write, "
                 "as "
                 "the recorder does, for uninitialized; record a build without it"
               : NULL;
}
