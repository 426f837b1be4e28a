/* message-rate: many small messages, in three ways.
 *
 *   pairs   rank 2k sends to rank 2k + 1 in windows of nonblocking messages (as the benchmark
 * multirate), by one or more threads, which share a communicator or have one each flood   all other
 * ranks send to rank 0, which computes meanwhile and then receives all of them: until then they are
 * unexpected there, and the library keeps them [D. Eberius, 2020, section 3.9.2] get     the
 * remedy: the other ranks keep their messages, and rank 0 gets them when it needs them
 *
 * The receivers check the numbers that arrive. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };
enum { WINDOW = 64, MOST_THREADS = 64, MOST = 100000000 };

typedef enum { PAIRS, FLOOD, GET } mode;

static const char *const modes[] = {"pairs", "flood", "get"};

typedef struct options {
    mode mode;
    int messages, numbers, threads;
    double delay;
    bool each, help;
} options;

static const char usage[] =
    "usage: message-rate [OPTIONS]\n"
    "Ranks send many small messages to each other.\n"
    "  --mode MODE         pairs (default), flood or get\n"
    "  --messages N        of each sender and thread (default 10000)\n"
    "  --numbers N         64-bit numbers in a message (default 8)\n"
    "  --delay SECONDS     computation of rank 0 before it receives (flood, get; default 0.2)\n"
    "  --threads N         of each rank (pairs; default 1)\n"
    "  --communicator HOW  shared (default) by the threads, or each\n"
    "  --help              print this text\n";

static bool read_option(options *o, int choice, const char *value)
{
    switch (choice) {
    case 'm':
        for (o->mode = PAIRS; o->mode <= GET; o->mode++) {
            if (strcmp(value, modes[o->mode]) == 0)
                return true;
        }
        return false;
    case 'n':
        return read_count(value, 1, MOST, &o->messages);
    case 's':
        return read_count(value, 1, 1000000, &o->numbers);
    case 'd':
        return read_seconds(value, &o->delay);
    case 't':
        return read_count(value, 1, MOST_THREADS, &o->threads);
    case 'c':
        o->each = strcmp(value, "each") == 0;
        return o->each || strcmp(value, "shared") == 0;
    default:
        return false;
    }
}

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"mode", required_argument, NULL, 'm'},    {"messages", required_argument, NULL, 'n'},
        {"numbers", required_argument, NULL, 's'}, {"delay", required_argument, NULL, 'd'},
        {"threads", required_argument, NULL, 't'}, {"communicator", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    *o = (options){.messages = 10000, .numbers = 8, .threads = 1, .delay = 0.2};
    opterr = 0;
    int choice, at = -1;
    while ((choice = getopt_long(argc, argv, "+:", known, &at)) != -1) {
        if (choice == 'h') {
            o->help = true;
        } else if (choice == ':') {
            snprintf(why, why_size, "%s needs a value", argv[optind - 1]);
            return false;
        } else if (choice == '?') {
            snprintf(why, why_size, "unknown option %s", argv[optind - 1]);
            return false;
        } else if (!read_option(o, choice, optarg)) {
            snprintf(why, why_size, "--%s cannot be \"%s\"", known[at].name, optarg);
            return false;
        }
    }
    if (optind < argc)
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
    return optind == argc;
}

static long *allocate(size_t count)
{
    long *numbers = malloc((count + 1) * sizeof *numbers);
    if (numbers == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    return numbers;
}

static void fill(long *numbers, int count, long value)
{
    for (int i = 0; i < count; i++)
        numbers[i] = value + i;
}

static bool is_right(const long *numbers, int count, long value)
{
    bool right = true;
    for (int i = 0; i < count; i++)
        right = right && numbers[i] == value + i;
    return right;
}

/* ---- pairs ---- */

/* A thread of a rank. */
typedef struct worker {
    const options *o;
    pthread_t thread;
    MPI_Comm communicator;
    int number, rank;
    bool right;
} worker;

static void send_window(const worker *w, long *buffer, int count, long first)
{
    MPI_Request requests[WINDOW];
    for (int i = 0; i < count; i++) {
        long *numbers = buffer + (size_t)i * (size_t)w->o->numbers;
        fill(numbers, w->o->numbers, first + i);
        MPI_Isend(numbers, w->o->numbers, MPI_LONG, w->rank + 1, w->number, w->communicator,
                  &requests[i]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static bool receive_window(const worker *w, long *buffer, int count, long first)
{
    MPI_Request requests[WINDOW];
    bool right = true;
    for (int i = 0; i < count; i++) {
        MPI_Irecv(buffer + (size_t)i * (size_t)w->o->numbers, w->o->numbers, MPI_LONG, w->rank - 1,
                  w->number, w->communicator, &requests[i]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++) {
        right =
            right && is_right(buffer + (size_t)i * (size_t)w->o->numbers, w->o->numbers, first + i);
    }
    return right;
}

static void *exchange(void *argument)
{
    worker *w = argument;
    long *buffer = allocate((size_t)w->o->numbers * WINDOW);
    w->right = true;
    for (int done = 0; done < w->o->messages; done += WINDOW) {
        int count = w->o->messages - done < WINDOW ? w->o->messages - done : WINDOW;
        if (w->rank % 2 == 0)
            send_window(w, buffer, count, done);
        else
            w->right = receive_window(w, buffer, count, done) && w->right;
    }
    free(buffer);
    return NULL;
}

static bool run_pairs(const options *o, int rank)
{
    worker workers[MOST_THREADS];
    bool right = true;
    for (int i = 0; i < o->threads; i++) {
        workers[i] = (worker){.o = o, .number = i, .rank = rank, .communicator = MPI_COMM_WORLD};
        if (o->each)
            MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].communicator);
    }
    for (int i = 1; i < o->threads; i++) {
        if (pthread_create(&workers[i].thread, NULL, exchange, &workers[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, FAILURE);
    }
    exchange(&workers[0]);
    for (int i = 0; i < o->threads; i++) {
        if (i > 0)
            pthread_join(workers[i].thread, NULL);
        if (o->each)
            MPI_Comm_free(&workers[i].communicator);
        right = right && workers[i].right;
    }
    return right;
}

/* ---- flood, get ---- */

static bool run_flood(const options *o, int rank, int size)
{
    long *numbers = allocate((size_t)o->numbers);
    bool right = true;
    if (rank == 0)
        work_for(o->delay);
    for (int sender = size - 1; rank == 0 && sender > 0; sender--) {
        for (int i = 0; i < o->messages; i++) {
            MPI_Recv(numbers, o->numbers, MPI_LONG, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            right = right && is_right(numbers, o->numbers, sender + i);
        }
    }
    for (int i = 0; rank != 0 && i < o->messages; i++) {
        fill(numbers, o->numbers, rank + i);
        MPI_Send(numbers, o->numbers, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    }
    free(numbers);
    return right;
}

static bool run_get(const options *o, int rank, int size)
{
    size_t all = (size_t)o->messages * (size_t)o->numbers;
    long *kept = NULL, *numbers = allocate((size_t)o->numbers);
    MPI_Win window;
    bool right = true;
    MPI_Win_allocate((MPI_Aint)((rank != 0 ? all : 8) * sizeof *kept), sizeof *kept, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &kept, &window);
    for (int i = 0; rank != 0 && i < o->messages; i++)
        fill(kept + (size_t)i * (size_t)o->numbers, o->numbers, rank + i);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        work_for(o->delay);
        MPI_Win_lock_all(0, window);
        for (int sender = size - 1; sender > 0; sender--) {
            for (int i = 0; i < o->messages; i++) {
                MPI_Get(numbers, o->numbers, MPI_LONG, sender, (MPI_Aint)i * o->numbers, o->numbers,
                        MPI_LONG, window);
                MPI_Win_flush(sender, window);
                right = right && is_right(numbers, o->numbers, sender + i);
            }
        }
        MPI_Win_unlock_all(window);
    }
    MPI_Win_free(&window);
    free(numbers);
    return right;
}

static int run(const options *o, int rank, int size)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    int right = o->mode == PAIRS   ? run_pairs(o, rank)
                : o->mode == FLOOD ? run_flood(o, rank, size)
                                   : run_get(o, rank, size);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - begin;
    double count = (double)o->messages * (o->mode == PAIRS ? o->threads * (size / 2) : size - 1);
    if (rank == 0) {
        printf("message-rate: %s, %.0f messages of %d numbers, %s\n", modes[o->mode], count,
               o->numbers, right ? "all right" : "wrong");
        printf("rate: %.0f messages per second, %.3f s\n", count / seconds, seconds);
    }
    return right ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    int provided, rank, size, status = SUCCESS;
    char why[256] = "";
    options o;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool good = read_options(&o, argc, argv, why, sizeof why);
    if (good && !o.help && (size < 2 || (o.mode == PAIRS && size % 2 != 0))) {
        snprintf(why, sizeof why, "needs 2 ranks or more, for pairs an even number");
        good = false;
    } else if (good && o.threads > 1 && (provided < MPI_THREAD_MULTIPLE || o.mode != PAIRS)) {
        snprintf(why, sizeof why, "threads need --mode pairs and MPI_THREAD_MULTIPLE");
        good = false;
    }
    if (!good) {
        if (rank == 0)
            fprintf(stderr, "message-rate: %s (try --help)\n", why);
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0)
            fputs(usage, stdout);
    } else {
        status = run(&o, rank, size);
    }
    MPI_Finalize();
    return status;
}
