/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of Open MPI 4.1's component ob1, which matches messages to receives. Their names are
 * not in any header that is installed.
 *
 *   mca_pml_ob1_recv_frag_callback_match|rndv|rget   a message has arrived: an eager one, or the
 *                                                    request of a rendezvous
 *   mca_pml_ob1_recv_req_start                       a receive begins; it calls one of
 *   mca_pml_ob1_recv_request_progress_match|rndv|rget  if the message was there before it; also
 *                                                    called outside of both, by the receive of a
 *                                                    message that a matched probe has found
 *   append_frag_to_ordered_list                      a message is out of sequence
 *   check_cantmatch_for_match                        takes such a one, whose turn it is: not NULL
 *   mca_pml_ob1_send|isend|recv|irecv                begin a message of the program or, with a tag
 *                                                    below MPI_ANY_TAG, of the library
 */
#include "record/hooks/hook_counts.h"

#include <stdbool.h>

static _Thread_local bool in_receive, in_arrival;

#define ORIGINAL(name) FM_HOOK_NEXT(fm_hooked_function_t, #name, FM_HOOKED_OB1)

/* Calls a function whose arguments are four or fewer words. */
static long call(fm_hooked_function_t *next, long a, long b, long c, long d)
{
    return next(a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* Raises a watermark, whose words may be NULL. */
static void raise_most(uint64_t *most, uint64_t level)
{
    uint64_t seen = most != NULL ? __atomic_load_n(most, __ATOMIC_RELAXED) : UINT64_MAX;
    while (most != NULL && (int64_t)level > (int64_t)seen &&
           !__atomic_compare_exchange_n(most, &seen, level, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

/* ---- arrivals ---- */

static void handle_arrival(fm_hooked_function_t *next, enum fm_hooked counter, const long *words)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    uint64_t *time = places != NULL ? places->words[FM_HOOKED_MATCH_TIME] : NULL;
    uint64_t begin = time != NULL ? places->now() : 0;
    /* A receive that waits for messages handles others, and a message begins others. */
    bool was_in_receive = in_receive, was_in_arrival = in_arrival;
    fm_hook_add(counter, 1);
    in_receive = false;
    in_arrival = true;
    call(next, words[0], words[1], words[2], words[3]);
    in_receive = was_in_receive;
    in_arrival = was_in_arrival;
    if (time != NULL) {
        __atomic_add_fetch(time, places->now() - begin, __ATOMIC_RELAXED);
    }
}

#define ARRIVAL(name, counter)                                                                     \
    FM_HOOK_EXPORT void name(long a, long b, long c, long d);                                      \
    void name(long a, long b, long c, long d)                                                      \
    {                                                                                              \
        ORIGINAL(name)                                                                             \
        const long words[] = {a, b, c, d};                                                         \
        fm_hook_arrive(FM_HOOKED_OB1);                                                             \
        handle_arrival(next, counter, words);                                                      \
    }

ARRIVAL(mca_pml_ob1_recv_frag_callback_match, FM_HOOKED_EAGER)
ARRIVAL(mca_pml_ob1_recv_frag_callback_rndv, FM_HOOKED_NOT_EAGER)
ARRIVAL(mca_pml_ob1_recv_frag_callback_rget, FM_HOOKED_NOT_EAGER)

/* ---- receives ---- */

/* The queue of unexpected messages is longest before a receive takes one of them, or at the end. */
static void look_at_queue(void)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    uint64_t *most = places != NULL ? places->words[FM_HOOKED_UNEXPECTED_IN_QUEUE_MOST] : NULL;
    if (most != NULL) {
        raise_most(most, places->unexpected_length());
    }
}

FM_HOOK_EXPORT void mca_pml_ob1_recv_req_start(long request);

void mca_pml_ob1_recv_req_start(long request)
{
    ORIGINAL(mca_pml_ob1_recv_req_start)
    look_at_queue();
    in_receive = true;
    call(next, request, 0, 0, 0);
    in_receive = false;
}

#define PROGRESS(name)                                                                             \
    FM_HOOK_EXPORT void name(long a, long b, long c, long d);                                      \
    void name(long a, long b, long c, long d)                                                      \
    {                                                                                              \
        ORIGINAL(name)                                                                             \
        if (in_receive || !in_arrival) {                                                           \
            in_receive = false;                                                                    \
            fm_hook_add(FM_HOOKED_UNEXPECTED, 1);                                                  \
        }                                                                                          \
        call(next, a, b, c, d);                                                                    \
    }

PROGRESS(mca_pml_ob1_recv_request_progress_match)
PROGRESS(mca_pml_ob1_recv_request_progress_rndv)
PROGRESS(mca_pml_ob1_recv_request_progress_rget)

/* ---- messages of the library itself ---- */

enum { ANY_TAG = -1 }; /* MPI_ANY_TAG of Open MPI */

static void count_own(enum fm_hooked counter, long count, long type, int tag)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    if (tag < ANY_TAG && places != NULL && places->words[counter] != NULL) {
        fm_hook_add(counter, (uint64_t)count * (uint64_t)places->type_size((void *)type));
    }
}

/* Parameters: buffer, count, datatype, process, tag, then others. */
#define TRANSFER(name, counter)                                                                    \
    FM_HOOK_EXPORT long name(long a, long b, long c, long d, long e, long f, long g, long h);      \
    long name(long a, long b, long c, long d, long e, long f, long g, long h)                      \
    {                                                                                              \
        ORIGINAL(name)                                                                             \
        count_own(counter, b, c, (int)e);                                                          \
        return next(a, b, c, d, e, f, g, h, 0, 0, 0, 0);                                           \
    }

TRANSFER(mca_pml_ob1_send, FM_HOOKED_SENT_INSIDE)
TRANSFER(mca_pml_ob1_isend, FM_HOOKED_SENT_INSIDE)
TRANSFER(mca_pml_ob1_recv, FM_HOOKED_RECEIVED_INSIDE)
TRANSFER(mca_pml_ob1_irecv, FM_HOOKED_RECEIVED_INSIDE)

/* ---- out of sequence ---- */

/* Calls the original, and adds its time if that is counted. Messages in sequence call neither
 * function while no other message waits for its turn, so they cost no reading of the clock. */
static long call_timed(fm_hooked_function_t *next, const long *words)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    uint64_t *time = places != NULL ? places->words[FM_HOOKED_OOS_MATCH_TIME] : NULL;
    uint64_t begin = time != NULL ? places->now() : 0;
    long result = call(next, words[0], words[1], words[2], words[3]);
    if (time != NULL) {
        __atomic_add_fetch(time, places->now() - begin, __ATOMIC_RELAXED);
    }
    return result;
}

FM_HOOK_EXPORT long append_frag_to_ordered_list(long a, long b, long c, long d);

long append_frag_to_ordered_list(long a, long b, long c, long d)
{
    ORIGINAL(append_frag_to_ordered_list)
    const long words[] = {a, b, c, d};
    fm_hook_add(FM_HOOKED_OUT_OF_SEQUENCE, 1);
    raise_most(fm_hook_words(FM_HOOKED_OOS_IN_QUEUE_MOST), fm_hook_add(FM_HOOKED_OOS_IN_QUEUE, 1));
    return call_timed(next, words);
}

FM_HOOK_EXPORT long check_cantmatch_for_match(long a, long b, long c, long d);

long check_cantmatch_for_match(long a, long b, long c, long d)
{
    ORIGINAL(check_cantmatch_for_match)
    const long words[] = {a, b, c, d};
    long taken = call_timed(next, words);
    if (taken != 0) {
        fm_hook_add(FM_HOOKED_OOS_IN_QUEUE, (uint64_t)-1);
    }
    return taken;
}
