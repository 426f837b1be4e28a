/* SPDX-License-Identifier: BSD-3-Clause */
/* Communication of the recorder between the PEs, at the begin and end of the run: messages through
 * symmetric memory that is allocated for that time. The receiver asks the sender for each piece of
 * a message: it sets a flag there; the sender then puts the piece and sets a flag at the receiver.
 * A process receives one message at a time. */
#include "record/paradigm/exchange/message_pieces.h"
#include "record/paradigm/exchange/messages.h"
#include "record/shmem/shmem.h"

#include <string.h>

enum { PIECE = 64 * 1024 };

/* In symmetric memory. Flags are written by other processes. */
static struct area {
    volatile long arrived; /* a piece is in `data` */
    char data[PIECE];
    volatile long asked[]; /* by PE: it waits for a piece of this process */
} * area;

/* SHMEM_CMP_NE, whose value differs between libraries (Open MPI: 1, Sandia: 2): the comparison that
 * holds for different values only. */
static int not_equal;

static void find_not_equal(void)
{
    static long one = 1;
    enum { LAST = 6 }; /* there are six comparisons; no library uses 0 for this one */
    not_equal = 1;
    while (not_equal < LAST && (FM_SHMEM(shmem_long_test)(&one, not_equal, 1) ||
                                !FM_SHMEM(shmem_long_test)(&one, not_equal, 0) ||
                                !FM_SHMEM(shmem_long_test)(&one, not_equal, 2))) {
        not_equal++;
    }
}

/* Waits until a flag is set, and clears it. The library's function drives its progress, which the
 * other process may wait for. */
static void await(volatile long *flag)
{
    FM_SHMEM(shmem_long_wait_until)((long *)flag, not_equal, 0);
    *flag = 0;
}

static void own_send(const void *data, size_t bytes, uint32_t to)
{
    const char *from = data;
    for (struct fm_message_pieces piece = {.size = bytes, .most = PIECE};
         fm_message_pieces_next(&piece);) {
        if (fm_shmem_exchange.failure != NULL) {
            return;
        }
        await(&area->asked[to]);
        if (piece.bytes != 0) {
            FM_SHMEM(shmem_putmem)(area->data, from + piece.at, piece.bytes, (int)to);
            FM_SHMEM(shmem_fence)();
        }
        FM_SHMEM(shmem_long_p)((long *)&area->arrived, 1, (int)to);
        FM_SHMEM(shmem_quiet)();
    }
}

static void own_receive(void *data, size_t bytes, uint32_t from)
{
    char *to = data;
    for (struct fm_message_pieces piece = {.size = bytes, .most = PIECE};
         fm_message_pieces_next(&piece);) {
        if (fm_shmem_exchange.failure != NULL) {
            if (bytes != piece.at) {
                memset(to + piece.at, 0, bytes - piece.at);
            }
            return;
        }
        FM_SHMEM(shmem_long_p)((long *)&area->asked[fm_shmem_exchange.rank], 1, (int)from);
        FM_SHMEM(shmem_quiet)();
        await(&area->arrived);
        if (piece.bytes != 0) {
            memcpy(to + piece.at, area->data, piece.bytes);
        }
    }
}

static void own_barrier(void)
{
    FM_SHMEM(shmem_barrier_all)();
}

struct fm_exchange fm_shmem_exchange = {
    .barrier = own_barrier, .send = own_send, .receive = own_receive};

void *fm_shmem_exchange_begin(void)
{
    size_t bytes = sizeof *area + fm_shmem_exchange.size * sizeof area->asked[0];
    fm_exchange_by_messages(&fm_shmem_exchange);
    area = FM_SHMEM(shmem_malloc)(bytes);
    if (area == NULL) {
        fm_shmem_exchange.failure = "the symmetric heap has no room for the recorder's messages; "
                                    "make it 1 MiB larger";
        return NULL;
    }
    memset(area, 0, bytes);
    find_not_equal();
    FM_SHMEM(shmem_barrier_all)();
    return area;
}

void fm_shmem_exchange_end(void)
{
    if (area != NULL) {
        FM_SHMEM(shmem_free)(area);
        area = NULL;
    }
}
