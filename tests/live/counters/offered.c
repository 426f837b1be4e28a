/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool that reads performance variables (MPI_T), in a program that sends messages in two threads.
 * Rank 0 prints what it sees:
 *
 *     variable INDEX NAME CLASS TYPE BINDING READONLY CONTINUOUS ATOMIC
 *     result CALL CODE          of calls on variables of the library
 *     meaning NAME TEXT         of the recorder's variables, and their values after MPI_Finalize
 *     values NAME VALUE...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 7, MESSAGES_OF_THREAD = 5, REDUCTIONS = 3, MOST = 1024, BINS_MOST = 128 };

static int rank;

static void demand(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "offered: %s\n", what);
        abort();
    }
}

static void send_to_self(int count, int tag)
{
    int out = 0, in;
    for (int i = 0; i < count; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
}

static void *send_in_thread(void *unused)
{
    send_to_self(MESSAGES_OF_THREAD, 2);
    return unused;
}

struct description {
    char name[256], meaning[1024];
    int name_length, meaning_length, verbosity, class, binding, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum names;
};

static int describe(int index, struct description *d)
{
    d->name_length = sizeof d->name;
    d->meaning_length = sizeof d->meaning;
    return MPI_T_pvar_get_info(index, d->name, &d->name_length, &d->verbosity, &d->class, &d->type,
                               &d->names, d->meaning, &d->meaning_length, &d->binding, &d->readonly,
                               &d->continuous, &d->atomic);
}

static int is_offered(const struct description *d)
{
    return strncmp(d->name, "fermata_", 8) == 0;
}

/* ---- a variable of the recorder ---- */

static void check_texts(int index, const struct description *d)
{
    char text[8];
    int length = sizeof text, none = 0;
    demand(d->name_length == (int)strlen(d->name) + 1, "the length of a name");
    demand(d->meaning_length == (int)strlen(d->meaning) + 1, "the length of a meaning");
    demand(MPI_T_pvar_get_info(index, text, &length, NULL, NULL, NULL, NULL, NULL, &none, NULL,
                               NULL, NULL, NULL) == MPI_SUCCESS,
           "what is not asked for");
    demand(length == d->name_length && strcmp(text, "fermata") == 0, "a name that does not fit");
    demand(none == d->meaning_length, "the length of a meaning that has no room");
}

static void check_refusals(MPI_T_pvar_session session, MPI_T_pvar_session other, int index)
{
    MPI_T_pvar_handle handle, copy;
    double values[BINS_MOST];
    int count;
    demand(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, index, NULL, &handle, &count) ==
               MPI_T_ERR_INVALID_SESSION,
           "a handle without a session");
    demand(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS,
           "handle_alloc");
    demand(MPI_T_pvar_start(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP, "start");
    demand(MPI_T_pvar_stop(session, handle) == MPI_T_ERR_PVAR_NO_STARTSTOP, "stop");
    demand(MPI_T_pvar_write(session, handle, values) == MPI_T_ERR_PVAR_NO_WRITE, "write");
    demand(MPI_T_pvar_reset(session, handle) == MPI_T_ERR_PVAR_NO_WRITE, "reset");
    demand(MPI_T_pvar_readreset(session, handle, values) == MPI_T_ERR_PVAR_NO_ATOMIC, "readreset");
    demand(MPI_T_pvar_read(other, handle, values) == MPI_T_ERR_INVALID_HANDLE,
           "a handle of another session");
    copy = handle;
    demand(MPI_T_pvar_handle_free(other, &handle) == MPI_T_ERR_INVALID_HANDLE,
           "a handle of another session is freed");
    demand(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "handle_free");
    demand(handle == MPI_T_PVAR_HANDLE_NULL, "what handle_free leaves");
    demand(MPI_T_pvar_read(session, copy, values) == MPI_T_ERR_INVALID_HANDLE, "a freed handle");
}

static unsigned long long read_now(MPI_T_pvar_session session, const char *name)
{
    MPI_T_pvar_handle handle;
    unsigned long long value = 0;
    int index, count = 0;
    demand(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS,
           "get_index");
    demand(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS &&
               count == 1,
           "one element");
    demand(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS, "read");
    demand(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "handle_free");
    return value;
}

/* Values are those of this moment. */
static void check_moments(MPI_T_pvar_session session)
{
    unsigned long long before = read_now(session, "fermata_mpi_messages_sent");
    send_to_self(MESSAGES, 1);
    unsigned long long after = read_now(session, "fermata_mpi_messages_sent");
    demand(after == before + MESSAGES, "messages since the last reading");
    int index;
    demand(MPI_T_pvar_get_index("fermata_mpi_messages_sent", MPI_T_PVAR_CLASS_LEVEL, &index) !=
               MPI_SUCCESS,
           "the name with another class");
}

/* ---- all variables ---- */

static int number_of_variables(void)
{
    int count = -1;
    demand(MPI_T_pvar_get_num(&count) == MPI_SUCCESS && count <= MOST, "get_num");
    return count;
}

static void print(int index, const struct description *d)
{
    if (rank != 0) {
        return;
    }
    const char *type = d->type == MPI_UNSIGNED_LONG_LONG ? "whole"
                       : d->type == MPI_DOUBLE           ? "double"
                                                         : "other";
    printf("variable %d %s %d %s %d %d %d %d\n", index, d->name, d->class, type, d->binding,
           d->readonly, d->continuous, d->atomic);
    if (is_offered(d)) {
        printf("meaning %s %s\n", d->name, d->meaning);
    }
}

static void result(const char *call, int code)
{
    if (rank == 0) {
        printf("result %s %d\n", call, code);
    }
}

/* What the library does with a variable of its own, and with all handles of the session. */
static void use_library(MPI_T_pvar_session session)
{
    MPI_T_pvar_handle handle;
    MPI_Comm comm = MPI_COMM_WORLD;
    unsigned values[BINS_MOST];
    int index = -1, count;
    int found =
        MPI_T_pvar_get_index("pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, &index);
    result("get_index", found);
    result("index", index);
    result("get_index of no name", MPI_T_pvar_get_index("fermata", MPI_T_PVAR_CLASS_LEVEL, &count));
    result("start all", MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    if (found == MPI_SUCCESS) {
        result("handle_alloc", MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count));
        result("elements", count);
        result("start", MPI_T_pvar_start(session, handle));
        result("read", MPI_T_pvar_read(session, handle, values));
        result("write", MPI_T_pvar_write(session, handle, values));
    }
    result("reset all", MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    result("stop all", MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    if (found == MPI_SUCCESS) {
        result("handle_free", MPI_T_pvar_handle_free(session, &handle));
    }
}

/* The library has a further variable: it stands behind all others, which keep their indices. */
static void check_growth(MPI_T_pvar_session session, int count, int last_offered)
{
    static struct description d;
    MPI_T_pvar_handle handle;
    int index = -1, elements = 0, indices[2] = {-1, -1};
    void (*grow)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "library_grows");
    if (grow == NULL) {
        return;
    }
    grow();
    demand(number_of_variables() == count + 1, "a further variable");
    demand(describe(count, &d) == MPI_SUCCESS && strcmp(d.name, "late") == 0, "its description");
    demand(MPI_T_pvar_get_index("late", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS &&
               index == count,
           "its index");
    demand(MPI_T_pvar_handle_alloc(session, count, NULL, &handle, &elements) == MPI_SUCCESS &&
               elements == 3,
           "its handle");
    demand(MPI_T_category_get_pvars(0, 2, indices) == MPI_SUCCESS && indices[0] == count &&
               indices[1] == -1,
           "its category");
    demand(describe(last_offered, &d) == MPI_SUCCESS && is_offered(&d), "the variables before");
}

static void print_values(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int count,
                         const struct description *d)
{
    union {
        unsigned long long whole[BINS_MOST];
        double real[BINS_MOST];
    } values;
    demand(count > 0 && count <= BINS_MOST, "the number of elements");
    demand(MPI_T_pvar_read(session, handle, &values) == MPI_SUCCESS, "read after MPI_Finalize");
    printf("values %s", d->name);
    for (int i = 0; i < count; i++) {
        if (d->type == MPI_DOUBLE) {
            printf(" %.17g", values.real[i]);
        } else {
            printf(" %llu", values.whole[i]);
        }
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static struct description all[MOST];
    static MPI_T_pvar_handle handles[MOST];
    static int counts[MOST];
    MPI_T_pvar_session session, other;
    pthread_t thread;
    int provided, offered = 0, sum, one = 1;

    demand(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS, "init_thread");
    int before = number_of_variables();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    demand(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session_create");
    demand(MPI_T_pvar_session_create(&other) == MPI_SUCCESS, "session_create");
    pthread_create(&thread, NULL, send_in_thread, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < REDUCTIONS; i++) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }

    int count = number_of_variables();
    result("variables are lost", count < before);
    for (int i = 0; i < count; i++) {
        if (describe(i, &all[i]) != MPI_SUCCESS) {
            all[i].name[0] = '\0'; /* a component was unloaded */
            continue;
        }
        print(i, &all[i]);
        if (is_offered(&all[i])) {
            check_texts(i, &all[i]);
            check_refusals(session, other, i);
            demand(MPI_T_pvar_handle_alloc(session, i, NULL, &handles[i], &counts[i]) ==
                       MPI_SUCCESS,
                   "handle_alloc");
            offered++;
        }
    }
    use_library(session);
    if (offered > 0) {
        check_moments(other);
        check_growth(other, count, count - 1);
    } else {
        send_to_self(MESSAGES, 1);
    }
    demand(MPI_T_pvar_session_free(&other) == MPI_SUCCESS, "session_free");
    MPI_Finalize();
    for (int i = 0; rank == 0 && i < count; i++) {
        if (is_offered(&all[i])) {
            print_values(session, handles[i], counts[i], &all[i]);
        }
    }
    MPI_T_pvar_handle last = count > 0 ? handles[count - 1] : MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session freed = session;
    double values[BINS_MOST];
    demand(MPI_T_pvar_session_free(&session) == MPI_SUCCESS, "session_free");
    demand(offered == 0 || MPI_T_pvar_read(freed, last, values) == MPI_T_ERR_INVALID_HANDLE,
           "a handle of a session that has ended");
    return 0; /* no MPI_T_finalize: in Open MPI 4.1.4 it crashes after MPI_Finalize */
}
