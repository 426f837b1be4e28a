/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/unexpected_queue.h"

#include "record/capture/lock.h"

#include <stdlib.h>

/* The variable of a communicator. */
struct bound {
    struct bound *next;
    MPI_Comm comm;
    MPI_T_pvar_handle handle;
    int senders;
};

static struct {
    fm_lock_t lock;
    bool is_open;
    MPI_T_pvar_session session;
    int index; /* of the variable */
    struct bound *bound;
    unsigned *lengths; /* of one communicator, by sender */
    int room;          /* of `lengths` */
    struct fm_unexpected_rest freed;
} queue = {.lock = FM_LOCK_FREE};

/* @return whether the library has the variable in the form in which it is read */
static bool find(int *index)
{
    int unused, class, binding;
    MPI_Datatype type;
    MPI_T_enum values;
    char name[1], text[1];
    int name_length = sizeof name, text_length = sizeof text;
    return PMPI_T_pvar_get_index("pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, index) ==
               MPI_SUCCESS &&
           PMPI_T_pvar_get_info(*index, name, &name_length, &unused, &class, &type, &values, text,
                                &text_length, &binding, &unused, &unused, &unused) == MPI_SUCCESS &&
           type == MPI_UNSIGNED && binding == MPI_T_BIND_MPI_COMM;
}

bool fm_unexpected_queue_open(void)
{
    int provided;
    if (PMPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
        return false;
    }
    if (!find(&queue.index) || PMPI_T_pvar_session_create(&queue.session) != MPI_SUCCESS) {
        PMPI_T_finalize();
        return false;
    }
    __atomic_store_n(&queue.is_open, true, __ATOMIC_RELEASE);
    fm_unexpected_queue_begins(MPI_COMM_WORLD);
    fm_unexpected_queue_begins(MPI_COMM_SELF);
    if (queue.bound == NULL) {
        fm_unexpected_queue_close();
    }
    return queue.is_open;
}

static bool is_open(void)
{
    return __atomic_load_n(&queue.is_open, __ATOMIC_ACQUIRE);
}

/* ---- communicators ---- */

/* @return where the communicator is in the list, or its end */
static struct bound **place_of(MPI_Comm comm)
{
    struct bound **place = &queue.bound;
    while (*place != NULL && (*place)->comm != comm) {
        place = &(*place)->next;
    }
    return place;
}

static bool make_room(int senders)
{
    if (senders > queue.room) {
        unsigned *lengths = realloc(queue.lengths, (size_t)senders * sizeof *lengths);
        if (lengths == NULL) {
            return false;
        }
        queue.lengths = lengths;
        queue.room = senders;
    }
    return true;
}

static void bind(MPI_Comm comm)
{
    struct bound *bound = calloc(1, sizeof *bound);
    if (bound == NULL) {
        return;
    }
    bound->comm = comm;
    if (PMPI_T_pvar_handle_alloc(queue.session, queue.index, &bound->comm, &bound->handle,
                                 &bound->senders) != MPI_SUCCESS) {
        free(bound);
    } else if (!make_room(bound->senders)) {
        PMPI_T_pvar_handle_free(queue.session, &bound->handle);
        free(bound);
    } else {
        bound->next = queue.bound;
        queue.bound = bound;
    }
}

void fm_unexpected_queue_begins(MPI_Comm comm)
{
    int is_inter = 0;
    if (!is_open() || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter) {
        return;
    }
    fm_lock(&queue.lock);
    if (*place_of(comm) == NULL) {
        bind(comm);
    }
    fm_unlock(&queue.lock);
}

/* Messages in the queues of one communicator. With the lock. */
static uint64_t length_of(const struct bound *bound)
{
    uint64_t length = 0;
    if (PMPI_T_pvar_read(queue.session, bound->handle, queue.lengths) == MPI_SUCCESS) {
        for (int i = 0; i < bound->senders; i++) {
            length += queue.lengths[i];
        }
    }
    return length;
}

static uint64_t length_of_all(void)
{
    uint64_t length = 0;
    for (const struct bound *bound = queue.bound; bound != NULL; bound = bound->next) {
        length += length_of(bound);
    }
    return length;
}

static void raise_longest(struct fm_unexpected_rest *rest, uint64_t length)
{
    rest->longest = length > rest->longest ? length : rest->longest;
}

void fm_unexpected_queue_ends(MPI_Comm comm)
{
    if (!is_open()) {
        return;
    }
    fm_lock(&queue.lock);
    struct bound **place = place_of(comm), *bound = *place;
    uint64_t left = bound != NULL ? length_of(bound) : 0;
    if (left > 0) {
        raise_longest(&queue.freed, length_of_all());
        queue.freed.messages += left;
    }
    if (bound != NULL) {
        *place = bound->next;
        PMPI_T_pvar_handle_free(queue.session, &bound->handle);
        free(bound);
    }
    fm_unlock(&queue.lock);
}

/* ---- reading ---- */

uint64_t fm_unexpected_queue_length(void)
{
    if (!is_open()) {
        return 0;
    }
    fm_lock(&queue.lock);
    uint64_t length = length_of_all();
    fm_unlock(&queue.lock);
    return length;
}

struct fm_unexpected_rest fm_unexpected_queue_rest(void)
{
    uint64_t length = fm_unexpected_queue_length();
    struct fm_unexpected_rest rest = queue.freed;
    rest.messages += length;
    raise_longest(&rest, length);
    return rest;
}

void fm_unexpected_queue_close(void)
{
    if (!is_open()) {
        return;
    }
    __atomic_store_n(&queue.is_open, false, __ATOMIC_RELEASE);
    while (queue.bound != NULL) {
        struct bound *bound = queue.bound;
        queue.bound = bound->next;
        PMPI_T_pvar_handle_free(queue.session, &bound->handle);
        free(bound);
    }
    PMPI_T_pvar_session_free(&queue.session);
    PMPI_T_finalize();
    free(queue.lengths);
    queue.lengths = NULL;
    queue.room = 0;
    queue.freed = (struct fm_unexpected_rest){0};
}
