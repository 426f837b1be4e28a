/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of two worlds: RANKS processes that MPI starts, and CHILDREN that these spawn. Each
 * mode plants a delay in the function `be_late` of one process, for which others wait.
 *
 * usage: worlds MODE, or worlds serving|calling FILE */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHILDREN = 2, DELAY = 400 /* ms */, LENGTH = 100 };
#include "late.h"

static int rank;
static bool is_child;
static MPI_Comm other = MPI_COMM_NULL; /* the inter-communicator with the other world */
static int data[LENGTH];

static void late(bool child, int who)
{
    if (is_child == child && rank == who) {
        be_late();
    }
}

/* Waits for all processes of both worlds, without a record of it: a delay that follows begins when
 * the waiting process is about to wait, however late the system runs that one. */
static void meet(void)
{
    PMPI_Barrier(other);
}

/* Parent 0 waits for a message of child 1. */
static void message(void)
{
    meet();
    late(true, 1);
    if (is_child && rank == 1) {
        MPI_Send(data, LENGTH, MPI_INT, 0, 1, other);
    } else if (!is_child && rank == 0) {
        MPI_Recv(data, LENGTH, MPI_INT, 1, 1, other, MPI_STATUS_IGNORE);
    }
}

/* Child 1 waits for a message of parent 0. */
static void reply(void)
{
    meet();
    late(false, 0);
    if (!is_child && rank == 0) {
        MPI_Request request;
        MPI_Isend(data, LENGTH, MPI_INT, 1, 1, other, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is_child && rank == 1) {
        MPI_Recv(data, LENGTH, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
    }
}

static void barrier(void)
{
    meet();
    late(true, 0);
    MPI_Barrier(other);
}

/* All wait for child 1 in communicators that contain both worlds. */
static void merged(void)
{
    MPI_Comm all, copy, reversed;
    int number, size;
    MPI_Intercomm_merge(other, is_child, &all);
    MPI_Comm_dup(all, &copy);
    meet();
    late(true, 1);
    MPI_Barrier(copy);
    MPI_Comm_rank(copy, &number);
    MPI_Comm_size(copy, &size);
    MPI_Comm_split(copy, 0, size - number, &reversed);
    MPI_Allreduce(MPI_IN_PLACE, data, LENGTH, MPI_INT, MPI_SUM, reversed);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&all);
}

/* The name of a port, made by one side for the other. */
static void agree_on_port(char port[MPI_MAX_PORT_NAME])
{
    if (!is_child && rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 2, other);
    } else if (is_child && rank == 0) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 2, other, MPI_STATUS_IGNORE);
    }
}

/* Parents wait in MPI_Comm_accept. */
static bool late_parent;
static void accepting(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm connected;
    agree_on_port(port);
    meet();
    late(!late_parent, 0);
    if (is_child) {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &connected);
    } else {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &connected);
    }
    MPI_Comm_disconnect(&connected);
    if (!is_child && rank == 0) {
        MPI_Close_port(port);
    }
}

/* Children wait in MPI_Comm_connect. */
static void connecting(void)
{
    late_parent = true;
    accepting();
}

static int listen_for(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    bind(listening, (struct sockaddr *)&address, size);
    listen(listening, 1);
    getsockname(listening, (struct sockaddr *)&address, &size);
    *port = ntohs(address.sin_port);
    return listening;
}

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((unsigned short)port)};
    int connected = socket(AF_INET, SOCK_STREAM, 0);
    connect(connected, (struct sockaddr *)&address, sizeof address);
    return connected;
}

/* Parent 0 waits in MPI_Comm_join for child 0. */
static void joining(void)
{
    int port, connection;
    MPI_Comm joined;
    if (rank != 0) {
        return;
    }
    if (is_child) {
        MPI_Recv(&port, 1, MPI_INT, 0, 2, other, MPI_STATUS_IGNORE);
        connection = connect_to(port);
    } else {
        int listening = listen_for(&port);
        MPI_Send(&port, 1, MPI_INT, 0, 2, other);
        connection = accept(listening, NULL, NULL);
        close(listening);
    }
    late(true, 0);
    MPI_Comm_join(connection, &joined);
    MPI_Barrier(joined);
    MPI_Comm_disconnect(&joined);
    close(connection);
}

/* A child dies. */
static void killed(void)
{
    message();
    MPI_Barrier(other);
    if (is_child && rank == 0) {
        raise(SIGKILL);
    }
    MPI_Barrier(other);
}

/* The worlds end without MPI_Comm_disconnect, the children later. */
static void connected(void)
{
    message();
    if (is_child) {
        be_late();
    }
}

static const struct {
    const char *name;
    void (*run)(void);
    bool keeps; /* the connection */
} modes[] = {
    {"message", message, false},          {"reply", reply, false},
    {"barrier", barrier, false},          {"merged", merged, false},
    {"accepting", accepting, false},      {"connecting", connecting, false},
    {"joining", joining, false},          {"killed", killed, false},
    {"connected", connected, true},       {"late_child", NULL, false},
    {"late_parent", NULL, false},         {"each", message, false},
    {"several_commands", message, false}, {"unrecorded", merged, false},
    {"elsewhere", message, false},
};

static void spawn(const char *program, const char *mode)
{
    char *arguments[] = {(char *)mode, NULL};
    char *commands[] = {(char *)program, (char *)program};
    char **all_arguments[] = {arguments, arguments};
    const int ones[] = {1, 1};
    const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    if (strcmp(mode, "late_parent") == 0) {
        late(false, 1);
    }
    if (strcmp(mode, "unrecorded") == 0) {
        char *words[] = {"-u", "LD_PRELOAD", (char *)program, (char *)mode, NULL};
        MPI_Comm_spawn("/usr/bin/env", words, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    } else if (strcmp(mode, "elsewhere") == 0) {
        char *words[] = {
            "-u",         "sh", "-c", "hostname elsewhere; exec \"$0\" \"$1\"", (char *)program,
            (char *)mode, NULL};
        MPI_Comm_spawn("/usr/bin/unshare", words, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &other, MPI_ERRCODES_IGNORE);
    } else if (strcmp(mode, "each") == 0) {
        MPI_Comm_spawn(program, arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other,
                       MPI_ERRCODES_IGNORE);
        rank = 0; /* the only process of its side */
    } else if (strcmp(mode, "several_commands") == 0) {
        MPI_Comm_spawn_multiple(2, commands, all_arguments, ones, infos, 0, MPI_COMM_WORLD, &other,
                                MPI_ERRCODES_IGNORE);
    } else {
        MPI_Comm_spawn(program, arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    }
}

/* One of two programs that connect by a port, whose name is in a file: the calling one waits for a
 * message of the serving one. */
static int connect_programs(bool serves, const char *path)
{
    char port[MPI_MAX_PORT_NAME] = "", made[1024];
    FILE *file;
    snprintf(made, sizeof made, "%s.new", path);
    if (serves) {
        MPI_Open_port(MPI_INFO_NULL, port);
        file = fopen(made, "w");
        fputs(port, file);
        fclose(file);
        rename(made, path);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
        meet();
        be_late();
        MPI_Send(data, LENGTH, MPI_INT, 0, 1, other);
    } else {
        while ((file = fopen(path, "r")) == NULL) {
            usleep(10000);
        }
        if (fgets(port, sizeof port, file) != NULL) {
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
        }
        fclose(file);
        meet();
        MPI_Recv(data, LENGTH, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    /* Before MPI_Init only the environment, here that of Open MPI, tells whether this is a child.
     */
    if (strcmp(mode, "late_child") == 0 && getenv("OMPI_PARENT_PORT") != NULL) {
        is_child = true;
        const char *number = getenv("PMIX_RANK");
        rank = number != NULL ? atoi(number) : 0;
        late(true, 1);
    }
    MPI_Init(&argc, &argv);
    if (strcmp(mode, "serving") == 0 || strcmp(mode, "calling") == 0) {
        return connect_programs(strcmp(mode, "serving") == 0, argv[2]);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&other);
    is_child = other != MPI_COMM_NULL;
    if (!is_child) {
        spawn(argv[0], mode);
    }
    bool keeps = false;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(modes[i].name, mode) == 0) {
            keeps = modes[i].keeps;
            if (modes[i].run != NULL) {
                modes[i].run();
            }
        }
    }
    if (!keeps) {
        MPI_Comm_disconnect(&other);
    }
    MPI_Finalize();
    return 0;
}
