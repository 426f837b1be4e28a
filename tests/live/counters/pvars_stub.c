/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: an MPI library that offers performance variables of many sorts, and aborts where a
 * tool does with them what crashes real libraries. Values change with each call of MPI_Barrier.
 * Among them are the variables of queues that an MPICH has which is built with
 * --enable-mpit-pvars=recvq (MPIDIG_recvq_init in MPICH's sources), with their classes, types and
 * flags.
 *
 * STUB_VERSION in the environment: what the library says its version is. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPC "runtime_spc_OMPI_SPC_"

enum { STALE = -1 };

struct variable {
    const char *name;
    int class, binding, is_continuous, count;
    char type; /* u: unsigned long long, n: unsigned, i: int, d: double, s: text */
};

static const struct variable variables[] = {
    {SPC "SEND", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "UNEXPECTED", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "MATCH_TIME", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "BYTES_SENT_MPI", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "BYTES_RECEIVED_MPI", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "BYTES_SENT_USER", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "BYTES_PUT", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {SPC "MAX_UNEXPECTED_IN_QUEUE", MPI_T_PVAR_CLASS_SIZE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {"left_by_a_component", STALE, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {"mtl_psm2_sends", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {"started_per_peer", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_MPI_COMM, 0, 3, 'u'},
    {"of_windows", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_MPI_WIN, 0, 1, 'u'},
    {"window_level", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_MPI_WIN, 1, 1, 'u'},
    {"window_most", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_BIND_MPI_WIN, 1, 1, 'u'},
    {"window_least", MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_BIND_MPI_WIN, 1, 1, 'u'},
    {"window_time", MPI_T_PVAR_CLASS_TIMER, MPI_T_BIND_MPI_WIN, 1, 1, 'd'},
    {"osc_rdma_retries", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_MPI_WIN, 1, 1, 'u'},
    {"of_files", MPI_T_PVAR_CLASS_AGGREGATE, MPI_T_BIND_MPI_FILE, 1, 1, 'u'},
    {"of_groups", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_MPI_GROUP, 1, 1, 'u'},
    {"name_of_something", MPI_T_PVAR_CLASS_GENERIC, MPI_T_BIND_NO_OBJECT, 1, 64, 's'},
    {"posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, 1, 1, 'n'},
    {"unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, 1, 1, 'n'},
    {"posted_recvq_match_attempts", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {"unexpected_recvq_match_attempts", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {"time_failed_matching_postedq", MPI_T_PVAR_CLASS_TIMER, MPI_T_BIND_NO_OBJECT, 1, 1, 'd'},
    {"time_matching_unexpectedq", MPI_T_PVAR_CLASS_TIMER, MPI_T_BIND_NO_OBJECT, 1, 1, 'd'},
    {"unexpected_recvq_buffer_size", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, 1, 1, 'u'},
    {"least_free", MPI_T_PVAR_CLASS_LOWWATERMARK, MPI_T_BIND_NO_OBJECT, 1, 2, 'i'},
    {"negative_level", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, 1, 1, 'i'},
    {"refused", MPI_T_PVAR_CLASS_LEVEL, MPI_T_BIND_NO_OBJECT, 1, 1, 'i'},
    {"too_large", MPI_T_PVAR_CLASS_COUNTER, MPI_T_BIND_NO_OBJECT, 1, 1 << 20, 'u'},
};

enum { VARIABLES = sizeof variables / sizeof variables[0], BARRIERS_MOST = 5 };

/* Values of rank 0 after each number of barriers (more of them, as the library may call itself,
 * change nothing); those of rank 1 are twice as large. */
static const struct {
    const char *name;
    double values[BARRIERS_MOST + 1];
} of_queues[] = {
    {"posted_recvq_length", {0, 2, 5, 3, 0, 4}},
    {"unexpected_recvq_length", {1, 4, 2, 6, 3, 2}},
    {"posted_recvq_match_attempts", {0, 3, 3, 10, 4294967301, 4294967302}},
    {"unexpected_recvq_match_attempts", {0, 1, 5, 5, 6, 13}},
    {"time_failed_matching_postedq", {0, 0.25, 0.25, 1.5, 1.75, 2.125}},
    {"time_matching_unexpectedq", {0, 1e-6, 3e-6, 0.1, 0.3, 0.7}},
    {"unexpected_recvq_buffer_size", {64, 9000000001, 128, 30000000003, 512, 5000000007}},
};

static int barriers, is_initialized;

/* A handle: what it is bound to, and the barriers before it was allocated. */
struct handle {
    struct handle *next;
    const struct variable *variable;
    int is_started, before;
    union {
        MPI_Comm comm;
        MPI_Win win;
        MPI_File file;
    } object;
};

static struct handle *handles;

static void demand(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "pvars_stub: %s\n", what);
        abort();
    }
}

int PMPI_Barrier(MPI_Comm comm)
{
    int (*next)(MPI_Comm) = (int (*)(MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Barrier");
    barriers++;
    return next(comm);
}

/* Objects are not freed while handles are bound to them. */
static void demand_unbound(int binding, const void *object, size_t size)
{
    for (const struct handle *h = handles; h != NULL; h = h->next) {
        demand(h->variable->binding != binding || memcmp(&h->object, object, size) != 0,
               "an object is freed, and a handle bound to it");
    }
}

int PMPI_Win_free(MPI_Win *win)
{
    int (*next)(MPI_Win *) = (int (*)(MPI_Win *))dlsym(RTLD_NEXT, "PMPI_Win_free");
    demand_unbound(MPI_T_BIND_MPI_WIN, win, sizeof *win);
    return next(win);
}

int PMPI_File_close(MPI_File *file)
{
    int (*next)(MPI_File *) = (int (*)(MPI_File *))dlsym(RTLD_NEXT, "PMPI_File_close");
    demand_unbound(MPI_T_BIND_MPI_FILE, file, sizeof *file);
    return next(file);
}

int PMPI_Get_library_version(char *version, int *length)
{
    const char *own = getenv("STUB_VERSION");
    int (*next)(char *, int *) =
        (int (*)(char *, int *))dlsym(RTLD_NEXT, "PMPI_Get_library_version");
    int result = next(version, length);
    if (own != NULL) {
        *length = sprintf(version, "%s", own);
    }
    return result;
}

int PMPI_T_init_thread(int required, int *provided)
{
    int has_begun;
    PMPI_Initialized(&has_begun);
    demand(!has_begun, "initialized after MPI_Init");
    is_initialized = 1;
    *provided = required;
    return MPI_SUCCESS;
}

int PMPI_T_finalize(void)
{
    demand(0, "finalized");
    return MPI_SUCCESS;
}

int PMPI_T_pvar_get_num(int *number)
{
    demand(is_initialized, "not initialized");
    *number = VARIABLES;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_get_info(int index, char *name, int *name_length, int *verbosity, int *class,
                         MPI_Datatype *type, MPI_T_enum *names, char *meaning, int *meaning_length,
                         int *binding, int *is_readonly, int *is_continuous, int *is_atomic)
{
    const struct variable *v = &variables[index];
    if (v->class == STALE) {
        return MPI_T_ERR_INVALID_INDEX;
    }
    *name_length = snprintf(name, (size_t)*name_length, "%s", v->name) + 1;
    *meaning_length = snprintf(meaning, (size_t)*meaning_length, "what %s means", v->name) + 1;
    *verbosity = MPI_T_VERBOSITY_USER_BASIC;
    *class = v->class;
    *type = v->type == 'u'   ? MPI_UNSIGNED_LONG_LONG
            : v->type == 'n' ? MPI_UNSIGNED
            : v->type == 'i' ? MPI_INT
            : v->type == 'd' ? MPI_DOUBLE
                             : MPI_CHAR;
    *names = MPI_T_ENUM_NULL;
    *binding = v->binding;
    *is_readonly = 1;
    *is_continuous = v->is_continuous;
    *is_atomic = 0;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    *session = (MPI_T_pvar_session)&is_initialized;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object,
                             MPI_T_pvar_handle *handle, int *count)
{
    const struct variable *v = &variables[index];
    demand(session == (MPI_T_pvar_session)&is_initialized, "a strange session");
    demand(strncmp(v->name, "mtl_psm2_", 9) != 0, "a handle for a variable of PSM2");
    demand((object == NULL) == (v->binding == MPI_T_BIND_NO_OBJECT), "bound to a wrong object");
    demand(v->binding != MPI_T_BIND_MPI_COMM || *(MPI_Comm *)object == MPI_COMM_WORLD,
           "bound to a strange object");
    demand(strcmp(v->name, "osc_rdma_retries") != 0 || getenv("STUB_OSC") != NULL,
           "a handle for a window of another component");
    if (strcmp(v->name, "refused") == 0) {
        return MPI_T_ERR_OUT_OF_HANDLES;
    }
    struct handle *h = calloc(1, sizeof *h);
    *h = (struct handle){.next = handles, .variable = v, .before = barriers};
    if (object != NULL) {
        memcpy(&h->object, object,
               v->binding == MPI_T_BIND_MPI_COMM  ? sizeof(MPI_Comm)
               : v->binding == MPI_T_BIND_MPI_WIN ? sizeof(MPI_Win)
                                                  : sizeof(MPI_File));
    }
    handles = h;
    *handle = (MPI_T_pvar_handle)h;
    *count = v->count;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    struct handle **place = &handles;
    (void)session;
    while (*place != NULL && *place != (struct handle *)*handle) {
        place = &(*place)->next;
    }
    demand(*place != NULL, "a handle is freed that does not exist");
    *place = (*place)->next;
    free((void *)*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    struct handle *h = (struct handle *)handle;
    (void)session;
    demand(!h->variable->is_continuous, "a continuous variable is started");
    h->is_started = 1;
    return MPI_SUCCESS;
}

static double of_queue(size_t variable)
{
    int rank, last = barriers < BARRIERS_MOST ? barriers : BARRIERS_MOST;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return of_queues[variable].values[last] * (rank + 1);
}

static double value_of(const struct handle *h, int element)
{
    const struct variable *v = h->variable;
    int now = barriers - (v->binding != MPI_T_BIND_NO_OBJECT ? h->before : 0);
    int is_attached =
        strncmp(v->name, SPC, strlen(SPC)) != 0 || getenv("OMPI_MCA_mpi_spc_attach") != NULL;
    int is_running = is_attached && (v->is_continuous || h->is_started);
    for (size_t i = 0; i < sizeof of_queues / sizeof of_queues[0]; i++) {
        if (strcmp(v->name, of_queues[i].name) == 0) {
            return of_queue(i);
        }
    }
    if (v->type == 'd') {
        return 0.125 * now * is_running;
    }
    if (v->type == 'i') {
        return strcmp(v->name, "least_free") == 0 ? 40 - barriers - element : -barriers;
    }
    return (strcmp(v->name, "started_per_peer") == 0 ? 0x1p45 : 0) + now * is_running;
}

int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *data)
{
    const struct handle *h = (const struct handle *)handle;
    const struct variable *v = h->variable;
    int is_over;
    (void)session;
    PMPI_Finalized(&is_over);
    demand(!is_over, "read after MPI_Finalize");
    demand(v->count < 1000, "read into memory that is too small");
    for (int i = 0; i < v->count; i++) {
        double value = value_of(h, i);
        switch (v->type) {
        case 'd':
            ((double *)data)[i] = value;
            break;
        case 'i':
            ((int *)data)[i] = (int)value;
            break;
        case 'n':
            ((unsigned *)data)[i] = (unsigned)value;
            break;
        default:
            ((unsigned long long *)data)[i] = (unsigned long long)value;
        }
    }
    if (strcmp(v->name, SPC "MAX_UNEXPECTED_IN_QUEUE") == 0) { /* reading resets it */
        static int last;
        *(unsigned long long *)data = barriers > last ? 7 : 0;
        last = barriers;
    }
    return MPI_SUCCESS;
}
