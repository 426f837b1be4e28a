/* SPDX-License-Identifier: BSD-3-Clause */
/* message-rate: many small messages, in three ways.
 *
 *   pairs   rank 2k sends to rank 2k + 1 in windows of nonblocking messages (as the benchmark
 *           multirate), by one or more threads, which share a communicator or have one each
 *   flood   all other ranks send to rank 0, which computes meanwhile and then receives all of them:
 *           until then they are unexpected there, and the library keeps them [D. Eberius, 2020,
 *           section 3.9.2]
 *   get     the remedy: the other ranks keep their messages, and rank 0 gets them when it needs
 * them
 *
 * The receivers check the numbers that arrive. With --repetitions pairs send messages of several
 * sizes several times, and the rates are printed as a table. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };
enum { MOST_WINDOW = 1024, MOST_THREADS = 64, MOST_SIZES = 32, MOST = 100000000 };
enum { MOST_NUMBERS = 1000000, MOST_REPETITIONS = 10000 };

typedef enum { PAIRS, FLOOD, GET } mode;

static const char *const modes[] = {"pairs", "flood", "get"};

typedef struct options {
    mode mode;
    int messages, threads, window, repetitions;
    int sizes[MOST_SIZES], size_count; /* numbers in a message */
    double delay;
    bool each, help;
} options;

static const char usage[] =
    "usage: message-rate [OPTIONS]\n"
    "Ranks send many small messages to each other.\n"
    "  --mode MODE         pairs (default), flood or get\n"
    "  --messages N        of each sender and thread (default 10000)\n"
    "  --numbers N         64-bit numbers in a message (default 8); with --repetitions also a "
    "list: 1,8\n"
    "  --delay SECONDS     computation of rank 0 before it receives (flood, get; default 0.2)\n"
    "  --threads N         of each rank (pairs; default 1)\n"
    "  --communicator HOW  shared (default) by the threads, or each\n"
    "  --window N          messages of a thread under way (pairs; default 64)\n"
    "  --repetitions N     pairs: send the messages once to warm up, then N times; print a table\n"
    "  --help              print this text\n";

/* Numbers that commas separate. */
static bool read_sizes(const char *text, options *o)
{
    for (o->size_count = 0; o->size_count < MOST_SIZES;) {
        char *end;
        int *size = &o->sizes[o->size_count++];
        if (!read_whole(text, 1, size, &end) || *size > MOST_NUMBERS)
            return false;
        if (*end == '\0')
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    return false;
}

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
        return read_sizes(value, o);
    case 'd':
        return read_seconds(value, &o->delay);
    case 't':
        return read_count(value, 1, MOST_THREADS, &o->threads);
    case 'w':
        return read_count(value, 1, MOST_WINDOW, &o->window);
    case 'r':
        return read_count(value, 1, MOST_REPETITIONS, &o->repetitions);
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
        {"window", required_argument, NULL, 'w'},  {"repetitions", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    *o = (options){
        .messages = 10000, .sizes = {8}, .size_count = 1, .threads = 1, .window = 64, .delay = 0.2};
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
    pthread_barrier_t *team; /* of the threads of the rank */
    MPI_Comm communicator;
    int number, rank, numbers;
    bool right;
    double *seconds; /* of each repetition; of the first thread */
} worker;

static void send_window(const worker *w, long *buffer, int count, long first)
{
    MPI_Request requests[MOST_WINDOW];
    for (int i = 0; i < count; i++) {
        long *numbers = buffer + (size_t)i * (size_t)w->numbers;
        fill(numbers, w->numbers, first + i);
        MPI_Isend(numbers, w->numbers, MPI_LONG, w->rank + 1, w->number, w->communicator,
                  &requests[i]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static bool receive_window(const worker *w, long *buffer, int count, long first)
{
    MPI_Request requests[MOST_WINDOW];
    bool right = true;
    for (int i = 0; i < count; i++) {
        MPI_Irecv(buffer + (size_t)i * (size_t)w->numbers, w->numbers, MPI_LONG, w->rank - 1,
                  w->number, w->communicator, &requests[i]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++)
        right = right && is_right(buffer + (size_t)i * (size_t)w->numbers, w->numbers, first + i);
    return right;
}

static void send_or_receive(worker *w, long *buffer)
{
    for (int done = 0; done < w->o->messages; done += w->o->window) {
        int count = w->o->messages - done < w->o->window ? w->o->messages - done : w->o->window;
        if (w->rank % 2 == 0)
            send_window(w, buffer, count, done);
        else
            w->right = receive_window(w, buffer, count, done) && w->right;
    }
}

/* All threads of all ranks. */
static void meet(const worker *w)
{
    pthread_barrier_wait(w->team);
    if (w->number == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    pthread_barrier_wait(w->team);
}

static void *exchange(void *argument)
{
    worker *w = argument;
    long *buffer = allocate((size_t)w->numbers * (size_t)w->o->window);
    w->right = true;
    if (w->o->repetitions == 0)
        send_or_receive(w, buffer);
    for (int i = -1; w->o->repetitions > 0 && i < w->o->repetitions; i++) { /* -1: to warm up */
        meet(w);
        double begin = MPI_Wtime();
        send_or_receive(w, buffer);
        meet(w);
        if (w->number == 0 && i >= 0)
            w->seconds[i] = MPI_Wtime() - begin;
    }
    free(buffer);
    return NULL;
}

/* Messages of one size. */
static bool run_pairs(const options *o, int rank, int numbers, double *seconds)
{
    worker workers[MOST_THREADS];
    pthread_barrier_t team;
    bool right = true;
    pthread_barrier_init(&team, NULL, (unsigned)o->threads);
    for (int i = 0; i < o->threads; i++) {
        workers[i] = (worker){.o = o,
                              .team = &team,
                              .number = i,
                              .rank = rank,
                              .numbers = numbers,
                              .seconds = seconds,
                              .communicator = MPI_COMM_WORLD};
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
    pthread_barrier_destroy(&team);
    return right;
}

/* ---- the table of pairs ---- */

static void print_row(const options *o, int numbers, double messages, const double *seconds)
{
    double sum = 0, squares = 0, least = INFINITY, most = 0;
    int count = o->repetitions;
    for (int i = 0; i < count; i++) {
        sum += messages / seconds[i];
        least = fmin(least, messages / seconds[i]);
        most = fmax(most, messages / seconds[i]);
    }
    for (int i = 0; i < count; i++)
        squares += pow(messages / seconds[i] - sum / count, 2);
    printf("%10zu %12d %14.0f %14.0f %14.0f %14.0f\n", (size_t)numbers * sizeof(long), count,
           sum / count, count > 1 ? sqrt(squares / (count - 1)) : 0.0, least, most);
}

static bool run_table(const options *o, int rank, int size)
{
    double *seconds = calloc((size_t)o->repetitions, sizeof *seconds);
    bool right = true;
    if (seconds == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    if (rank == 0) {
        printf("message-rate: pairs: %d, threads of a rank: %d, communicators: %s, window: %d, "
               "messages of a thread in a repetition, and to warm up: %d\n",
               size / 2, o->threads, o->each ? "each" : "shared", o->window, o->messages);
        printf("%10s %12s %14s %14s %14s %14s\n", "bytes", "repetitions", "messages/s", "deviation",
               "least", "most");
    }
    for (int i = 0; i < o->size_count; i++) {
        right = run_pairs(o, rank, o->sizes[i], seconds) && right;
        if (rank == 0)
            print_row(o, o->sizes[i], (double)o->messages * o->threads * (size / 2), seconds);
    }
    free(seconds);
    return right;
}

/* ---- flood, get ---- */

static bool run_flood(const options *o, int rank, int size)
{
    long *numbers = allocate((size_t)o->sizes[0]);
    bool right = true;
    if (rank == 0)
        work_for(o->delay);
    for (int sender = size - 1; rank == 0 && sender > 0; sender--) {
        for (int i = 0; i < o->messages; i++) {
            MPI_Recv(numbers, o->sizes[0], MPI_LONG, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            right = right && is_right(numbers, o->sizes[0], sender + i);
        }
    }
    for (int i = 0; rank != 0 && i < o->messages; i++) {
        fill(numbers, o->sizes[0], rank + i);
        MPI_Send(numbers, o->sizes[0], MPI_LONG, 0, 0, MPI_COMM_WORLD);
    }
    free(numbers);
    return right;
}

static bool run_get(const options *o, int rank, int size)
{
    size_t all = (size_t)o->messages * (size_t)o->sizes[0];
    long *kept = NULL, *numbers = allocate((size_t)o->sizes[0]);
    MPI_Win window;
    bool right = true;
    MPI_Win_allocate((MPI_Aint)((rank != 0 ? all : 8) * sizeof *kept), sizeof *kept, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &kept, &window);
    for (int i = 0; rank != 0 && i < o->messages; i++)
        fill(kept + (size_t)i * (size_t)o->sizes[0], o->sizes[0], rank + i);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        work_for(o->delay);
        MPI_Win_lock_all(0, window);
        for (int sender = size - 1; sender > 0; sender--) {
            for (int i = 0; i < o->messages; i++) {
                MPI_Get(numbers, o->sizes[0], MPI_LONG, sender, (MPI_Aint)i * o->sizes[0],
                        o->sizes[0], MPI_LONG, window);
                MPI_Win_flush(sender, window);
                right = right && is_right(numbers, o->sizes[0], sender + i);
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
    int right = o->repetitions > 0 ? run_table(o, rank, size)
                : o->mode == PAIRS ? run_pairs(o, rank, o->sizes[0], NULL)
                : o->mode == FLOOD ? run_flood(o, rank, size)
                                   : run_get(o, rank, size);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - begin;
    double count = (double)o->messages * (o->mode == PAIRS ? o->threads * (size / 2) : size - 1);
    if (rank == 0 && o->repetitions > 0) {
        puts(right ? "all messages are right" : "a message is wrong");
    } else if (rank == 0) {
        printf("message-rate: %s, %.0f messages of %d numbers, %s\n", modes[o->mode], count,
               o->sizes[0], right ? "all right" : "wrong");
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
    if (good && o.repetitions > 0 && o.mode != PAIRS) {
        snprintf(why, sizeof why, "repetitions need --mode pairs");
        good = false;
    } else if (good && o.repetitions == 0 && o.size_count > 1) {
        snprintf(why, sizeof why, "a list of --numbers needs --repetitions");
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
