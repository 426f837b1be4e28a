#include "record/mpi/inside/unexpected_queue.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    unsigned *lengths; /* by sender; NULL: closed */
    int senders;
    atomic_flag is_busy;
} queue = {.is_busy = ATOMIC_FLAG_INIT};

static MPI_Comm world;

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
    int index, provided;
    world = MPI_COMM_WORLD;
    if (PMPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
        return false;
    }
    if (find(&index) && PMPI_T_pvar_session_create(&queue.session) == MPI_SUCCESS) {
        if (PMPI_T_pvar_handle_alloc(queue.session, index, &world, &queue.handle, &queue.senders) ==
            MPI_SUCCESS) {
            queue.lengths = calloc((size_t)queue.senders + 1, sizeof *queue.lengths);
            if (queue.lengths != NULL) {
                return true;
            }
            PMPI_T_pvar_handle_free(queue.session, &queue.handle);
        }
        PMPI_T_pvar_session_free(&queue.session);
    }
    PMPI_T_finalize();
    return false;
}

uint64_t fm_unexpected_queue_length(void)
{
    uint64_t length = 0;
    if (queue.lengths == NULL || atomic_flag_test_and_set(&queue.is_busy)) {
        return 0;
    }
    if (PMPI_T_pvar_read(queue.session, queue.handle, queue.lengths) == MPI_SUCCESS) {
        for (int i = 0; i < queue.senders; i++) {
            length += queue.lengths[i];
        }
    }
    atomic_flag_clear(&queue.is_busy);
    return length;
}

void fm_unexpected_queue_close(void)
{
    if (queue.lengths != NULL) {
        PMPI_T_pvar_handle_free(queue.session, &queue.handle);
        PMPI_T_pvar_session_free(&queue.session);
        PMPI_T_finalize();
        free(queue.lengths);
        queue.lengths = NULL;
    }
}
