/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of UCX by which MPICH 4.0 (device ch4:ucx) sends and receives messages. The tag of a
 * message begins with the 16 bits of a communicator's context, whose last bit is set in messages
 * of the library itself: those of collectives, which also create communicators and windows. One-
 * sided operations take other functions of UCX.
 *
 * The prototypes and structures are those of ucp/api/ucp.h, UCX 1.8 and later, with untyped
 * pointers. */
#include "record/hooks/hook_counts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT_AT = 48, OPTION_TYPE = 1 << 3, TYPE_CLASS_BITS = 3, CONTIGUOUS = 0 };

/* The begin of ucp_request_param_t. */
struct options {
    uint32_t mask, flags;
    void *request, *callback;
    uint64_t type; /* if the mask has OPTION_TYPE, else bytes */
};

#define ORIGINAL(name, type) FM_HOOK_NEXT(type, #name, FM_HOOKED_UCX)

/* ---- datatypes with gaps ---- */

/* Types of UCX that MPICH has made, each of a datatype of MPI; the context that MPICH gives begins
 * with the handle of that. */
static struct layout {
    uint64_t type;
    const void *context;
    struct layout *next;
} * layouts;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef int create_t(const void *functions, void *context, uint64_t *type);
FM_HOOK_EXPORT create_t ucp_dt_create_generic;

int ucp_dt_create_generic(const void *functions, void *context, uint64_t *type)
{
    ORIGINAL(ucp_dt_create_generic, create_t)
    int status = next(functions, context, type);
    struct layout *layout = status == 0 ? malloc(sizeof *layout) : NULL;
    if (layout != NULL) {
        pthread_mutex_lock(&lock);
        *layout = (struct layout){*type, context, layouts};
        layouts = layout;
        pthread_mutex_unlock(&lock);
    }
    return status;
}

typedef void destroy_t(uint64_t type);
FM_HOOK_EXPORT destroy_t ucp_dt_destroy;

void ucp_dt_destroy(uint64_t type)
{
    ORIGINAL(ucp_dt_destroy, destroy_t)
    pthread_mutex_lock(&lock);
    for (struct layout **at = &layouts; *at != NULL; at = &(*at)->next) {
        if ((*at)->type == type) {
            struct layout *gone = *at;
            *at = gone->next;
            free(gone);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    next(type);
}

static uint64_t size_with_gaps(uint64_t type)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    const void *context = NULL;
    int handle = 0;
    pthread_mutex_lock(&lock);
    for (const struct layout *at = layouts; at != NULL && context == NULL; at = at->next) {
        context = at->type == type ? at->context : NULL;
    }
    pthread_mutex_unlock(&lock);
    if (places == NULL || context == NULL) {
        return 0;
    }
    memcpy(&handle, context, sizeof handle);
    return (uint64_t)places->type_size((void *)(intptr_t)handle);
}

/* ---- messages ---- */

static void count(enum fm_hooked counter, size_t elements, uint64_t tag,
                  const struct options *options)
{
    fm_hook_arrive(FM_HOOKED_UCX);
    if ((tag >> CONTEXT_AT & 1) == 0 || !fm_hook_is_way(FM_HOOKED_UCX) ||
        fm_hook_words(counter) == NULL) {
        return;
    }
    uint64_t size = 1;
    if ((options->mask & OPTION_TYPE) != 0) {
        uint64_t class = options->type & ((1 << TYPE_CLASS_BITS) - 1);
        size =
            class == CONTIGUOUS ? options->type >> TYPE_CLASS_BITS : size_with_gaps(options->type);
    }
    fm_hook_add(counter, elements * size);
}

typedef void *send_t(void *endpoint, const void *data, size_t elements, uint64_t tag,
                     const struct options *options);

#define SEND(name)                                                                                 \
    FM_HOOK_EXPORT send_t name;                                                                    \
    void *name(void *endpoint, const void *data, size_t elements, uint64_t tag,                    \
               const struct options *options)                                                      \
    {                                                                                              \
        ORIGINAL(name, send_t)                                                                     \
        count(FM_HOOKED_SENT_INSIDE, elements, tag, options);                                      \
        return next(endpoint, data, elements, tag, options);                                       \
    }

SEND(ucp_tag_send_nbx)
SEND(ucp_tag_send_sync_nbx)

typedef void *receive_t(void *worker, void *data, size_t elements, uint64_t tag, uint64_t mask,
                        const struct options *options);
FM_HOOK_EXPORT receive_t ucp_tag_recv_nbx;

void *ucp_tag_recv_nbx(void *worker, void *data, size_t elements, uint64_t tag, uint64_t mask,
                       const struct options *options)
{
    ORIGINAL(ucp_tag_recv_nbx, receive_t)
    count(FM_HOOKED_RECEIVED_INSIDE, elements, tag, options);
    return next(worker, data, elements, tag, mask, options);
}
