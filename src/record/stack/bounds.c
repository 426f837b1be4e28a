/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/bounds.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 }; /* smallest page size of the supported processors */

void fm_bounds_own(uint64_t *low, uint64_t *high)
{
    pthread_attr_t attributes;
    void *begin;
    size_t size;
    int saved = errno;
    *low = *high = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
            *low = (uint64_t)(uintptr_t)begin;
            *high = *low + size;
        }
        pthread_attr_destroy(&attributes);
    }
    errno = saved;
}

bool fm_bounds_page_exists(struct fm_bounds_pages *pages, uint64_t address)
{
    if (address >= pages->low && address < pages->high) {
        return true;
    }
    int saved = errno;
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    /* The system call changes nothing, because its operation is invalid. But the kernel first reads
     * the signal set at `page`, and fails with EFAULT if the page is not mapped. */
    enum { NO_OPERATION = -1, SET_SIZE = 8 };
    long result = syscall(SYS_rt_sigprocmask, NO_OPERATION, page, NULL, SET_SIZE);
    bool exists = result == 0 || errno != EFAULT;
    errno = saved;
    if (exists && page == pages->high && pages->high != 0) {
        pages->high += PAGE;
    } else if (exists) {
        pages->low = page;
        pages->high = page + PAGE;
    }
    return exists;
}
