/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the recorder if one was preloaded. Needs nothing but dlsym, which programs that are linked
 * statically may lack: nothing can be preloaded into them. */
#include "user/connect.h"

#include <dlfcn.h>
#include <errno.h>

struct fm_user_recorder fm_user_recorder;

/* From version 2.34 on, dlsym is part of glibc's libc itself; only then may the reference be weak
 * (the linker drops libraries that only weak references need). */
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
#pragma weak dlsym
static bool can_look_up(void)
{
    return dlsym != NULL;
}
#else
static bool can_look_up(void)
{
    return true;
}
#endif

const struct fm_user_functions *fm_user_connect(void)
{
    const struct fm_user_functions *functions = NULL;
    bool settled = true;
    int saved = errno;
    void *symbol = can_look_up() ? dlsym(RTLD_DEFAULT, FM_USER_CONNECT_SYMBOL) : NULL;
    if (symbol != NULL) {
        fm_user_connect_t *ask = (fm_user_connect_t *)(uintptr_t)symbol;
        functions = ask(sizeof *functions, &settled);
    }
    /* Another thread may have found the recorder: NULL never replaces it. */
    if (functions != NULL) {
        __atomic_store_n(&fm_user_recorder.functions, functions, __ATOMIC_RELEASE);
    } else if (settled) {
        __atomic_store_n(&fm_user_recorder.settled, true, __ATOMIC_RELAXED);
    }
    errno = saved;
    return functions;
}
