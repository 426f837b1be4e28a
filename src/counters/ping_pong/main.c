/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata-ping-pong-LIBRARY: two ranks send a message to and fro, as NetPIPE does, for each of some
 * sizes; `fermata counters calibrate COUNTER... -- LAUNCHER` runs it.
 *
 * A repetition is a number of exchanges: a message to rank 1 and one back, so that each rank calls
 * MPI_Send and MPI_Recv once. Before the first repetition of a size as many exchanges as asked for
 * warm up and are not measured. Time of a message: that of a repetition by rank 0's clock, divided
 * by twice its exchanges.
 *
 * --send and --receive make each call of MPI_Send and MPI_Recv update counters as a library does
 * that counts (costs/library_updates.h): in MPI_Send before it begins, in MPI_Recv after the
 * message has come, so that waiting hides none of them. A timer encloses the call: waiting hides
 * its begin in MPI_Recv. */
#include "counters/costs/library_updates.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };
enum {
    MOST_SIZES = 64,
    MOST_BYTES = 1 << 28,
    MOST_EXCHANGES = 100000000,
    MOST_REPETITIONS = 10000
};

/* Updates of a call: numbers, in the order of --send and --receive. */
enum { ON, OFF, TIMERS, WATERMARKS, COMPARISONS, KINDS };

/* Most of each kind; first counters of each kind. */
enum { MOST_UPDATES = 48 };
enum { FIRST_ON = 0, FIRST_TIMER = 48, FIRST_LEVEL = 96, FIRST_WATERMARK = 144, FIRST_OFF = 192 };

struct options {
    int sizes[MOST_SIZES], size_count;
    int exchanges, repetitions, warm_up;
    int send[KINDS], receive[KINDS];
    bool help;
};

static const char usage[] =
    "usage: fermata-ping-pong-LIBRARY [OPTIONS]     on 2 ranks\n"
    "  --sizes LIST       bytes of a message (default 8), as in 1,64,1024\n"
    "  --exchanges N      messages to and fro of a repetition (default 1000)\n"
    "  --repetitions N    (default 10)\n"
    "  --warm-up N        exchanges before the first repetition (default: as --exchanges)\n"
    "  --send UPDATES     that each MPI_Send makes: numbers of counters that are on, counters that "
    "are\n"
    "                     off, timers, watermarks, comparisons of bins, as in 4,0,0,0,1\n"
    "  --receive UPDATES  likewise of each MPI_Recv\n"
    "  --help             print this text\n";

/* ---- arguments ---- */

/* Reads numbers that commas separate. @return how many; -1: the text is wrong */
static int read_numbers(const char *text, int least, int most, int *numbers, int room)
{
    for (int count = 0; count < room;) {
        char *end;
        errno = 0;
        long value = strtol(text, &end, 10);
        if (end == text || errno != 0 || value < least || value > most) {
            return -1;
        }
        numbers[count++] = (int)value;
        if (*end == '\0') {
            return count;
        }
        if (*end != ',') {
            return -1;
        }
        text = end + 1;
    }
    return -1;
}

static bool read_option(struct options *o, int choice, const char *value)
{
    switch (choice) {
    case 's':
        o->size_count = read_numbers(value, 0, MOST_BYTES, o->sizes, MOST_SIZES);
        return o->size_count > 0;
    case 'e':
        return read_numbers(value, 1, MOST_EXCHANGES, &o->exchanges, 1) == 1;
    case 'r':
        return read_numbers(value, 1, MOST_REPETITIONS, &o->repetitions, 1) == 1;
    case 'w':
        return read_numbers(value, 0, MOST_EXCHANGES, &o->warm_up, 1) == 1;
    case 'S':
        return read_numbers(value, 0, MOST_UPDATES, o->send, KINDS) == KINDS;
    case 'R':
        return read_numbers(value, 0, MOST_UPDATES, o->receive, KINDS) == KINDS;
    default:
        return false;
    }
}

static bool read_options(struct options *o, int argc, char **argv, char *why, size_t why_size)
{
    static const struct option known[] = {{"sizes", required_argument, NULL, 's'},
                                          {"exchanges", required_argument, NULL, 'e'},
                                          {"repetitions", required_argument, NULL, 'r'},
                                          {"warm-up", required_argument, NULL, 'w'},
                                          {"send", required_argument, NULL, 'S'},
                                          {"receive", required_argument, NULL, 'R'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *o = (struct options){
        .sizes = {8}, .size_count = 1, .exchanges = 1000, .repetitions = 10, .warm_up = -1};
    opterr = 0;
    for (int choice, at = -1; (choice = getopt_long(argc, argv, "+:", known, &at)) != -1;) {
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
    if (optind < argc) {
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
    }
    if (o->warm_up < 0) {
        o->warm_up = o->exchanges;
    }
    return optind == argc;
}

/* ---- updates ---- */

static struct fm_library_counters counters;

static void set_up_counters(void)
{
    for (uint32_t number = 0; number < FIRST_OFF; number++) {
        counters.bits[number / 32] |= UINT32_C(1) << number % 32;
    }
    for (int bin = 0; bin < FM_LIBRARY_BINS; bin++) {
        counters.rules[bin] = -1; /* every size is in the last bin: the worst case of the model */
    }
}

static inline void update_all(const int *updates, int bytes)
{
    /* The O_On of a timer is made when it ends. */
    for (int i = updates[TIMERS]; i < updates[ON]; i++) {
        fm_library_update(&counters, (uint32_t)(FIRST_ON + i), bytes);
        FM_KEEP_MEMORY;
    }
    for (int i = 0; i < updates[OFF]; i++) {
        fm_library_pass(&counters, (uint32_t)(FIRST_OFF + i));
        FM_KEEP_MEMORY;
    }
    for (int i = 0; i < updates[WATERMARKS]; i++) {
        fm_library_watermark(&counters, (uint32_t)(FIRST_LEVEL + i),
                             (uint32_t)(FIRST_WATERMARK + i));
        FM_KEEP_MEMORY;
    }
    if (updates[COMPARISONS] > 0) {
        fm_library_bin(&counters, updates[COMPARISONS] + 1, bytes);
    }
    FM_KEEP_MEMORY;
}

static inline void start_timers(const int *updates, uint64_t *begins)
{
    for (int i = 0; i < updates[TIMERS]; i++) {
        begins[i] = fm_library_timer_start(&counters, (uint32_t)(FIRST_TIMER + i));
        FM_KEEP_MEMORY;
    }
}

static inline void stop_timers(const int *updates, const uint64_t *begins)
{
    for (int i = 0; i < updates[TIMERS]; i++) {
        fm_library_timer_stop(&counters, (uint32_t)(FIRST_TIMER + i), begins[i]);
        FM_KEEP_MEMORY;
    }
}

/* ---- messages ---- */

static void send_message(const struct options *o, const char *buffer, int bytes, int to)
{
    uint64_t begins[MOST_UPDATES];
    update_all(o->send, bytes);
    start_timers(o->send, begins);
    MPI_Send(buffer, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    stop_timers(o->send, begins);
}

static void receive_message(const struct options *o, char *buffer, int bytes, int from)
{
    uint64_t begins[MOST_UPDATES];
    start_timers(o->receive, begins);
    MPI_Recv(buffer, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    stop_timers(o->receive, begins);
    update_all(o->receive, bytes);
}

/* The last byte of a message has its number. */
static void mark(char *buffer, int bytes, char number)
{
    if (bytes > 0) {
        buffer[bytes - 1] = number;
    }
}

static bool has_mark(const char *buffer, int bytes, char number)
{
    return bytes == 0 || buffer[bytes - 1] == number;
}

/* @return whether the messages came in their order */
static bool exchange(const struct options *o, int rank, char *buffer, int bytes, int count)
{
    bool right = true;
    for (int i = 0; i < count; i++) {
        char number = (char)(i % 128);
        if (rank == 0) {
            mark(buffer, bytes, number);
            send_message(o, buffer, bytes, 1);
            mark(buffer, bytes, -1);
            receive_message(o, buffer, bytes, 1);
            right = has_mark(buffer, bytes, number) && right;
        } else {
            receive_message(o, buffer, bytes, 0);
            right = has_mark(buffer, bytes, number) && right;
            send_message(o, buffer, bytes, 0);
        }
    }
    return right;
}

/* ---- the table ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Microseconds of a message, of each repetition; they become sorted. */
static void print_row(int bytes, double *times, int count)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        sum += times[i];
    }
    double mean = sum / count;
    for (int i = 0; i < count; i++) {
        squares += (times[i] - mean) * (times[i] - mean);
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    double median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    printf("%10d %12d %12.4f %12.4f %12.4f %12.4f\n", bytes, count, mean,
           count > 1 ? sqrt(squares / (count - 1)) : 0.0, median, times[0]);
}

static void print_head(const struct options *o)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0, words = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    printf("ping-pong: ");
    for (char *word = strtok(version, " \t"); word != NULL; word = strtok(NULL, " \t")) {
        printf("%s%s", words++ > 0 ? " " : "", word);
    }
    printf(", repetitions of %d exchanges each, after %d to warm up\n", o->exchanges, o->warm_up);
    printf("%10s %12s %12s %12s %12s %12s\n", "bytes", "repetitions", "us/message", "deviation",
           "median", "least");
}

static int run(const struct options *o, int rank)
{
    int right = 1, most = 0;
    for (int i = 0; i < o->size_count; i++) {
        most = o->sizes[i] > most ? o->sizes[i] : most;
    }
    char *buffer = calloc((size_t)most + 1, 1);
    double *times = calloc((size_t)o->repetitions, sizeof *times);
    if (buffer == NULL || times == NULL) {
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
        return FAILURE;
    }
    set_up_counters();
    if (rank == 0) {
        print_head(o);
    }
    for (int size = 0; size < o->size_count; size++) {
        right = exchange(o, rank, buffer, o->sizes[size], o->warm_up) && right;
        for (int i = 0; i < o->repetitions; i++) {
            double begin = MPI_Wtime();
            right = exchange(o, rank, buffer, o->sizes[size], o->exchanges) && right;
            times[i] = 1e6 * (MPI_Wtime() - begin) / (2.0 * o->exchanges);
        }
        if (rank == 0) {
            print_row(o->sizes[size], times, o->repetitions);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0) {
        puts(right ? "all messages are right" : "a message is wrong");
    }
    free(times);
    free(buffer);
    return right ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    int rank, size, status = SUCCESS;
    char why[256] = "";
    struct options o;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bool good = read_options(&o, argc, argv, why, sizeof why);
    if (good && !o.help && size != 2) {
        snprintf(why, sizeof why, "needs 2 ranks, not %d", size);
        good = false;
    }
    if (!good) {
        if (rank == 0) {
            fprintf(stderr, "fermata-ping-pong: %s (try --help)\n", why);
        }
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0) {
            fputs(usage, stdout);
        }
    } else {
        status = run(&o, rank);
    }
    MPI_Finalize();
    return status;
}
