/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports the entries of a program to the preload library when the program starts. */
#include "record/link/linked.h"

#include <dlfcn.h>
#include <stdint.h>

/* The linker defines the ends of the section of entries. */
extern struct fm_linked_entry entries_begin[] __asm__("__start_fermata_linked")
    __attribute__((visibility("hidden")));
extern struct fm_linked_entry entries_end[] __asm__("__stop_fermata_linked")
    __attribute__((visibility("hidden")));

void fermata_link_connect(void) __attribute__((constructor, visibility("hidden")));

void fermata_link_connect(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, FM_LINKED_REGISTER_SYMBOL);
    if (symbol != 0) {
        ((fm_linked_register_t *)(uintptr_t)symbol)(entries_begin, entries_end);
    } else {
        dlerror(); /* the program must not see this error */
    }
}
