/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with MPI's standard ABI, as long as no distribution has one: forwards a part of MPI to
 * Debian's MPICH, with its handles and constants translated. MPICH's handles are numbers from
 * 0x02000000 on, so that those of objects that a program makes are kept as they are. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

/* MPICH's names of predefined objects, in its own ABI. */
enum {
    COMM_NULL = 0x04000000,
    COMM_WORLD = 0x44000000,
    COMM_SELF = 0x44000001,
    GROUP_NULL = 0x08000000,
    GROUP_EMPTY = 0x48000000,
    REQUEST_NULL = 0x2c000000,
    ERRHANDLER_NULL = 0x14000000,
    ERRORS_ARE_FATAL = 0x54000000,
    ERRORS_RETURN = 0x54000001,
    SUM = 0x58000003,
    MIN = 0x58000002,
    MAX = 0x58000001,
    PROC_NULL = -1,
    ANY_SOURCE = -2,
    ANY_TAG = -1,
    TAG_UB = 0x64400001
};
#define IN_PLACE      ((void *)-1)
#define STATUS_IGNORE ((struct status *)1)

struct status {
    int count_low, count_high_and_cancelled, source, tag, error;
};

static void *real(const char *name)
{
    static void *library;
    if (library == NULL) {
        library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    }
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (function == NULL) {
        abort();
    }
    return function;
}

#define CALL(name, ...) (((int (*)())(uintptr_t)real("PMPI_" #name))(__VA_ARGS__))
#define DEFINE(name, parameters)                                                                   \
    int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));                         \
    int PMPI_##name parameters

#define NUMBER(handle)       ((int)(intptr_t)(handle))
#define HANDLE(kind, number) ((kind)(intptr_t)(unsigned)(number))

struct pair {
    int standard, mpich;
};

static int translate(const struct pair *pairs, int number, int to_mpich)
{
    for (; pairs->standard != 0; pairs++) {
        if (number == (to_mpich ? pairs->standard : pairs->mpich)) {
            return to_mpich ? pairs->mpich : pairs->standard;
        }
    }
    return number;
}

static const struct pair objects[] = {{0x100, COMM_NULL},
                                      {0x101, COMM_WORLD},
                                      {0x102, COMM_SELF},
                                      {0x108, GROUP_NULL},
                                      {0x109, GROUP_EMPTY},
                                      {0x180, REQUEST_NULL},
                                      {0x140, ERRHANDLER_NULL},
                                      {0x141, ERRORS_ARE_FATAL},
                                      {0x142, ERRORS_RETURN},
                                      {0x021, SUM},
                                      {0x022, MIN},
                                      {0x023, MAX},
                                      {0x501, TAG_UB},
                                      {0, 0}};
static const struct pair types[] = {{0x200, (int)0x0c000000}, {0x201, (int)0x4c000843},
                                    {0x202, (int)0x4c000845}, {0x203, (int)0x4c000844},
                                    {0x207, (int)0x4c00010f}, {0x208, (int)0x4c000203},
                                    {0x209, (int)0x4c000405}, {0x20a, (int)0x4c000807},
                                    {0x20b, (int)0x4c000809}, {0x20c, (int)0x4c000204},
                                    {0x20d, (int)0x4c000406}, {0x20e, (int)0x4c000808},
                                    {0x20f, (int)0x4c000819}, {0x210, (int)0x4c00040a},
                                    {0x212, (int)0x4c000840}, {0x214, (int)0x4c00080b},
                                    {0x216, (int)0x4c001041}, {0x220, (int)0x4c00100c},
                                    {0x228, (int)0x8c000000}, {0x229, (int)0x8c000001},
                                    {0x22a, (int)0x8c000002}, {0x22b, (int)0x4c000816},
                                    {0x22c, (int)0x8c000003}, {0x238, (int)0x4c00013f},
                                    {0x23c, (int)0x4c00040e}, {0x240, (int)0x4c000137},
                                    {0x241, (int)0x4c00013b}, {0x243, (int)0x4c000101},
                                    {0x244, (int)0x4c000118}, {0x245, (int)0x4c000102},
                                    {0x247, (int)0x4c00010d}, {0x248, (int)0x4c000238},
                                    {0x249, (int)0x4c00023c}, {0x250, (int)0x4c000439},
                                    {0x251, (int)0x4c00043d}, {0x258, (int)0x4c00083a},
                                    {0x259, (int)0x4c00083e}, {0, 0}};

#define IN(handle)        translate(objects, NUMBER(handle), 1)
#define TYPE(type)        translate(types, NUMBER(type), 1)
#define OUT(kind, number) HANDLE(kind, translate(objects, number, 0))

static int rank_in(int rank)
{
    return rank == MPI_PROC_NULL ? PROC_NULL : rank == MPI_ANY_SOURCE ? ANY_SOURCE : rank;
}

static int tag_in(int tag)
{
    return tag == MPI_ANY_TAG ? ANY_TAG : tag;
}

static const void *buffer_in(const void *buffer)
{
    return buffer == MPI_IN_PLACE ? IN_PLACE : buffer;
}

/* The private part of a status holds MPICH's counts. */
static struct status status_in(const MPI_Status *status)
{
    return (struct status){status->reserved[0], status->reserved[1], status->MPI_SOURCE,
                           status->MPI_TAG, status->MPI_ERROR};
}

static void status_out(MPI_Status *status, const struct status *from)
{
    if (status != MPI_STATUS_IGNORE) {
        *status = (MPI_Status){from->source == PROC_NULL ? MPI_PROC_NULL : from->source,
                               from->tag == ANY_TAG ? MPI_ANY_TAG : from->tag,
                               from->error,
                               {from->count_low, from->count_high_and_cancelled}};
    }
}

DEFINE(Init, (int *argc, char ***argv))
{
    return CALL(Init, argc, argv);
}

DEFINE(Init_thread, (int *argc, char ***argv, int required, int *provided))
{
    static const int levels[] = {MPI_THREAD_SINGLE, 1024, 2048, MPI_THREAD_MULTIPLE};
    int result = CALL(Init_thread, argc, argv, required / 1024, provided);
    *provided = levels[*provided];
    return result;
}

DEFINE(Finalize, (void))
{
    return CALL(Finalize);
}

DEFINE(Initialized, (int *flag))
{
    return CALL(Initialized, flag);
}

DEFINE(Finalized, (int *flag))
{
    return CALL(Finalized, flag);
}

DEFINE(Abort, (MPI_Comm comm, int code))
{
    return CALL(Abort, IN(comm), code);
}

DEFINE(Comm_rank, (MPI_Comm comm, int *rank))
{
    return CALL(Comm_rank, IN(comm), rank);
}

DEFINE(Comm_size, (MPI_Comm comm, int *size))
{
    return CALL(Comm_size, IN(comm), size);
}

DEFINE(Comm_test_inter, (MPI_Comm comm, int *flag))
{
    return CALL(Comm_test_inter, IN(comm), flag);
}

DEFINE(Comm_get_parent, (MPI_Comm * parent))
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

DEFINE(Comm_group, (MPI_Comm comm, MPI_Group *group))
{
    int number, result = CALL(Comm_group, IN(comm), &number);
    *group = OUT(MPI_Group, number);
    return result;
}

DEFINE(Group_size, (MPI_Group group, int *size))
{
    return CALL(Group_size, IN(group), size);
}

DEFINE(Group_free, (MPI_Group * group))
{
    int number = IN(*group), result = CALL(Group_free, &number);
    *group = OUT(MPI_Group, number);
    return result;
}

DEFINE(Group_translate_ranks,
       (MPI_Group from, int count, const int ranks[], MPI_Group to, int translated[]))
{
    return CALL(Group_translate_ranks, IN(from), count, ranks, IN(to), translated);
}

DEFINE(Comm_dup, (MPI_Comm comm, MPI_Comm *made))
{
    int number, result = CALL(Comm_dup, IN(comm), &number);
    *made = OUT(MPI_Comm, number);
    return result;
}

DEFINE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made))
{
    int number, result = CALL(Comm_create, IN(comm), IN(group), &number);
    *made = OUT(MPI_Comm, number);
    return result;
}

DEFINE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made))
{
    int number, result = CALL(Comm_split, IN(comm), color, key, &number);
    *made = OUT(MPI_Comm, number);
    return result;
}

DEFINE(Comm_free, (MPI_Comm * comm))
{
    int number = IN(*comm), result = CALL(Comm_free, &number);
    *comm = OUT(MPI_Comm, number);
    return result;
}

DEFINE(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler))
{
    return CALL(Comm_set_errhandler, IN(comm), IN(handler));
}

DEFINE(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *handler))
{
    int number, result = CALL(Comm_get_errhandler, IN(comm), &number);
    *handler = OUT(MPI_Errhandler, number);
    return result;
}

DEFINE(Errhandler_free, (MPI_Errhandler * handler))
{
    int number = IN(*handler), result = CALL(Errhandler_free, &number);
    *handler = OUT(MPI_Errhandler, number);
    return result;
}

DEFINE(Comm_get_attr, (MPI_Comm comm, int key, void *value, int *flag))
{
    return CALL(Comm_get_attr, IN(comm), key == MPI_TAG_UB ? TAG_UB : key, value, flag);
}

DEFINE(Error_string, (int code, char *text, int *length))
{
    return CALL(Error_string, code, text, length);
}

DEFINE(Get_library_version, (char *text, int *length))
{
    return CALL(Get_library_version, text, length);
}

DEFINE(Type_size_x, (MPI_Datatype type, MPI_Count *size))
{
    return CALL(Type_size_x, TYPE(type), size);
}

DEFINE(Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count))
{
    struct status own = status_in(status);
    return CALL(Get_elements_x, &own, TYPE(type), count);
}

DEFINE(Status_set_elements_x, (MPI_Status * status, MPI_Datatype type, MPI_Count count))
{
    struct status own = status_in(status);
    int result = CALL(Status_set_elements_x, &own, TYPE(type), count);
    status_out(status, &own);
    return result;
}

DEFINE(Test_cancelled, (const MPI_Status *status, int *flag))
{
    struct status own = status_in(status);
    return CALL(Test_cancelled, &own, flag);
}

DEFINE(Status_set_cancelled, (MPI_Status * status, int flag))
{
    struct status own = status_in(status);
    int result = CALL(Status_set_cancelled, &own, flag);
    status_out(status, &own);
    return result;
}

DEFINE(Send, (const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))
{
    return CALL(Send, buf, count, TYPE(type), rank_in(to), tag, IN(comm));
}

DEFINE(Recv, (void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status))
{
    struct status own;
    int result = CALL(Recv, buf, count, TYPE(type), rank_in(from), tag_in(tag), IN(comm), &own);
    status_out(status, &own);
    return result;
}

DEFINE(Isend, (const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request))
{
    int number, result = CALL(Isend, buf, count, TYPE(type), rank_in(to), tag, IN(comm), &number);
    *request = OUT(MPI_Request, number);
    return result;
}

DEFINE(Irecv, (void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request *request))
{
    int number,
        result = CALL(Irecv, buf, count, TYPE(type), rank_in(from), tag_in(tag), IN(comm), &number);
    *request = OUT(MPI_Request, number);
    return result;
}

DEFINE(Wait, (MPI_Request * request, MPI_Status *status))
{
    struct status own;
    int number = IN(*request), result = CALL(Wait, &number, &own);
    *request = OUT(MPI_Request, number);
    status_out(status, &own);
    return result;
}

DEFINE(Barrier, (MPI_Comm comm))
{
    return CALL(Barrier, IN(comm));
}

DEFINE(Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm))
{
    return CALL(Bcast, buf, count, TYPE(type), root, IN(comm));
}

DEFINE(Gather, (const void *in, int count, MPI_Datatype type, void *out, int out_count,
                MPI_Datatype out_type, int root, MPI_Comm comm))
{
    return CALL(Gather, buffer_in(in), count, TYPE(type), out, out_count, TYPE(out_type), root,
                IN(comm));
}

DEFINE(Scatter, (const void *in, int count, MPI_Datatype type, void *out, int out_count,
                 MPI_Datatype out_type, int root, MPI_Comm comm))
{
    return CALL(Scatter, in, count, TYPE(type), buffer_in(out), out_count, TYPE(out_type), root,
                IN(comm));
}

DEFINE(Allreduce,
       (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm))
{
    return CALL(Allreduce, buffer_in(in), out, count, TYPE(type), IN(op), IN(comm));
}
