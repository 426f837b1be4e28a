/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that connect processes of two MPI_COMM_WORLDs. They are recorded as collective operations
 * on the new inter-communicator, MPI_Init of spawned processes likewise.
 *
 * The other side may not be recorded, may end at any time, and must not be disturbed: the recorder
 * sends no messages to it. Each side writes down what it knows of the connection
 * (objects/process_places.h), and the connections are found when the archives are joined
 * (record/worlds). */
#include "record/mpi/connections.h"

#include "record/experiment/kept_variables.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { DETAIL = 256 };

/* Open MPI connects spawned processes by a port of the root of MPI_Comm_spawn, whose name begins
 * with the name of this process: its job and its rank in it. @return the length of that name */
static int name_length(const char *port)
{
    return (int)strcspn(port, ":");
}

/* The library may set a variable while it begins; the program may have removed it since. */
static const char *variable_of_library(const char *name)
{
    const char *now = getenv(name);
    return now != NULL ? now : fm_variable(name);
}

/* What the root of MPI_Comm_spawn knows of itself, as the processes that it spawns know it. */
static void name_self(char detail[DETAIL])
{
    const char *job = variable_of_library("PMIX_NAMESPACE");
    const char *rank = variable_of_library("PMIX_RANK");
    detail[0] = '\0';
    if (job != NULL && rank != NULL) {
        snprintf(detail, DETAIL, "%s.%s", job, rank);
    }
}

/* What spawned processes know of the root that has spawned them. */
static void name_parent(char detail[DETAIL])
{
    const char *port = variable_of_library("OMPI_PARENT_PORT");
    detail[0] = '\0';
    if (port != NULL) {
        port += *port == '"';
        snprintf(detail, DETAIL, "%.*s", name_length(port), port);
    }
}

static void name_end(const struct sockaddr_storage *address, char *text, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "";
    text[0] = '\0';
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *end = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &end->sin_addr, host, sizeof host);
        snprintf(text, size, "%s:%u", host, ntohs(end->sin_port));
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *end = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &end->sin6_addr, host, sizeof host);
        snprintf(text, size, "[%s]:%u", host, ntohs(end->sin6_port));
    }
}

/* Names a connection of the internet by its two ends, in an order that both sides use. */
static void name_socket(int socket, char detail[DETAIL])
{
    struct sockaddr_storage here = {0}, there = {0};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    char ends[2][DETAIL / 2 - 2];
    detail[0] = '\0';
    if (getsockname(socket, (struct sockaddr *)&here, &here_size) != 0 ||
        getpeername(socket, (struct sockaddr *)&there, &there_size) != 0) {
        return;
    }
    name_end(&here, ends[0], sizeof ends[0]);
    name_end(&there, ends[1], sizeof ends[1]);
    if (ends[0][0] != '\0' && ends[1][0] != '\0') {
        const int first = strcmp(ends[0], ends[1]) > 0;
        snprintf(detail, DETAIL, "%s %s", ends[first], ends[!first]);
    }
}

static bool is_root(MPI_Comm comm, int root)
{
    int rank = -1;
    return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

bool fm_connect_is_spawned(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

struct fm_comm *fm_connect_parent(uint64_t enter)
{
    char detail[DETAIL];
    MPI_Comm parent = MPI_COMM_NULL;
    if (PMPI_Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL) {
        return NULL;
    }
    name_parent(detail);
    const struct fm_connection connection = {FM_LINK_PARENT, detail, is_root(MPI_COMM_WORLD, 0),
                                             enter};
    return fm_comm_connected(parent, &connection, true);
}

/* Ends a call, which has made the communicator `comm` if it has succeeded. */
static int end_call(struct fm_thread *thread, int result, MPI_Comm comm,
                    const struct fm_connection *connection)
{
    /* A library that is based on MPI may connect inside a recorded call of its own. */
    struct fm_comm *made = result == MPI_SUCCESS && fm_comm_has_begun && fm_thread_self != NULL
                               ? fm_comm_connected(comm, connection, thread != NULL)
                               : NULL;
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        if (made != NULL) {
            fm_put_creation(thread, made, made);
        }
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                      MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
    char detail[DETAIL];
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_spawn);
    name_self(detail);
    const struct fm_connection connection = {FM_LINK_SPAWN, detail, is_root(comm, root),
                                             fm_clock_now()};
    int result =
        PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
    return end_call(thread, result, *intercomm, &connection);
}

int fm_MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                               const int array_of_maxprocs[], const MPI_Info array_of_info[],
                               int root, MPI_Comm comm, MPI_Comm *intercomm,
                               int array_of_errcodes[])
{
    char detail[DETAIL];
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_spawn_multiple);
    name_self(detail);
    const struct fm_connection connection = {FM_LINK_SPAWN, detail, is_root(comm, root),
                                             fm_clock_now()};
    int result =
        PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs,
                                 array_of_info, root, comm, intercomm, array_of_errcodes);
    return end_call(thread, result, *intercomm, &connection);
}

int fm_MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                        MPI_Comm *newcomm)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_connect);
    const bool root_here = is_root(comm, root);
    const struct fm_connection connection = {FM_LINK_CONNECT, root_here ? port_name : "", root_here,
                                             fm_clock_now()};
    int result = PMPI_Comm_connect(port_name, info, root, comm, newcomm);
    return end_call(thread, result, *newcomm, &connection);
}

int fm_MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                       MPI_Comm *newcomm)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_accept);
    const bool root_here = is_root(comm, root);
    const struct fm_connection connection = {FM_LINK_ACCEPT, root_here ? port_name : "", root_here,
                                             fm_clock_now()};
    int result = PMPI_Comm_accept(port_name, info, root, comm, newcomm);
    return end_call(thread, result, *newcomm, &connection);
}

int fm_MPI_Comm_join(int fd, MPI_Comm *intercomm)
{
    char detail[DETAIL];
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_join);
    name_socket(fd, detail);
    const struct fm_connection connection = {FM_LINK_JOIN, detail, true, fm_clock_now()};
    int result = PMPI_Comm_join(fd, intercomm);
    return end_call(thread, result, *intercomm, &connection);
}
