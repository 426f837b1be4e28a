/* SPDX-License-Identifier: BSD-3-Clause */
/* pthread-pipeline: items pass through stages, one POSIX thread each, with a bounded queue between
 * two stages. One stage can be slow: the stages before it wait for room in a queue, those behind it
 * for items. The sum of all results depends on the items and stages alone; it is compared with that
 * of one thread. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2, MOST_STAGES = 64, MOST_CAPACITY = 1024 };

typedef struct options {
    int stages, items, capacity, slow; /* slow: number of the stage, -1 for none */
    double work, delay;                /* seconds for each item; more on the slow stage */
    bool help;
} options;

typedef struct queue {
    uint64_t items[MOST_CAPACITY];
    int first, count, capacity;
    pthread_mutex_t mutex;
    pthread_cond_t has_room, has_items;
} queue;

typedef struct stage {
    const options *options;
    int number;
    queue *in, *out; /* NULL for the first and the last stage */
    uint64_t sum;    /* of the results, on the last stage */
    pthread_t thread;
} stage;

static const char usage[] =
    "usage: pthread-pipeline [OPTIONS]\n"
    "Items pass through the stages of a pipeline, one thread each, with bounded queues between "
    "them.\n"
    "  --stages N          stages (default 3)\n"
    "  --items N           items (default 200)\n"
    "  --capacity N        items that a queue can hold (default 4)\n"
    "  --work SECONDS      computation of each stage for each item (default 0.0002)\n"
    "  --slow STAGE        the stage that takes longer, counted from 0 (default: none)\n"
    "  --delay SECONDS     by so much for each item (default 0.001)\n"
    "  --help              print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"stages", required_argument, NULL, 's'},   {"items", required_argument, NULL, 'i'},
        {"capacity", required_argument, NULL, 'c'}, {"work", required_argument, NULL, 'w'},
        {"slow", required_argument, NULL, 'l'},     {"delay", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0}};
    *o = (options){
        .stages = 3, .items = 200, .capacity = 4, .slow = -1, .work = 2e-4, .delay = 1e-3};
    opterr = 0;
    int choice;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 's':
            valid = read_count(optarg, 2, MOST_STAGES, &o->stages);
            break;
        case 'i':
            valid = read_count(optarg, 1, 1000000, &o->items);
            break;
        case 'c':
            valid = read_count(optarg, 1, MOST_CAPACITY, &o->capacity);
            break;
        case 'w':
            valid = read_seconds(optarg, &o->work);
            break;
        case 'l':
            valid = read_count(optarg, 0, MOST_STAGES - 1, &o->slow);
            break;
        case 'd':
            valid = read_seconds(optarg, &o->delay);
            break;
        case 'h':
            o->help = true;
            break;
        default:
            valid = false;
        }
    }
    if (!valid || optind < argc)
        snprintf(why, why_size, "wrong argument \"%s\"", argv[valid ? optind : optind - 1]);
    return valid && optind == argc;
}

static void put(queue *q, uint64_t item)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == q->capacity)
        pthread_cond_wait(&q->has_room, &q->mutex);
    q->items[(q->first + q->count++) % q->capacity] = item;
    pthread_cond_signal(&q->has_items);
    pthread_mutex_unlock(&q->mutex);
}

static uint64_t take(queue *q)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == 0)
        pthread_cond_wait(&q->has_items, &q->mutex);
    const uint64_t item = q->items[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    pthread_cond_signal(&q->has_room);
    pthread_mutex_unlock(&q->mutex);
    return item;
}

static uint64_t result(uint64_t item, int number)
{
    return item * 6364136223846793005u + (uint64_t)number;
}

static __attribute__((noinline)) uint64_t filter(const options *o, uint64_t item, int number)
{
    work_for(o->work);
    return result(item, number);
}

static __attribute__((noinline)) uint64_t slow_filter(const options *o, uint64_t item, int number)
{
    work_for(o->work + o->delay);
    return result(item, number);
}

static void *run_stage(void *argument)
{
    stage *const s = argument;
    const options *const o = s->options;
    for (int i = 0; i < o->items; i++) {
        uint64_t item = s->in == NULL ? (uint64_t)i : take(s->in);
        item = s->number == o->slow ? slow_filter(o, item, s->number) : filter(o, item, s->number);
        if (s->out == NULL)
            s->sum += item;
        else
            put(s->out, item);
    }
    return NULL;
}

static uint64_t sum_of_one_thread(const options *o)
{
    uint64_t sum = 0;
    for (int i = 0; i < o->items; i++) {
        uint64_t item = (uint64_t)i;
        for (int number = 0; number < o->stages; number++)
            item = result(item, number);
        sum += item;
    }
    return sum;
}

static int run(const options *o)
{
    static queue queues[MOST_STAGES - 1];
    static stage stages[MOST_STAGES];
    const int last = o->stages - 1;
    for (int i = 0; i < last; i++) {
        queues[i].capacity = o->capacity;
        pthread_mutex_init(&queues[i].mutex, NULL);
        pthread_cond_init(&queues[i].has_room, NULL);
        pthread_cond_init(&queues[i].has_items, NULL);
    }
    for (int i = 0; i <= last; i++) {
        stages[i] = (stage){.options = o,
                            .number = i,
                            .in = i == 0 ? NULL : &queues[i - 1],
                            .out = i == last ? NULL : &queues[i]};
        if (pthread_create(&stages[i].thread, NULL, run_stage, &stages[i]) != 0)
            abort();
    }
    for (int i = 0; i <= last; i++)
        pthread_join(stages[i].thread, NULL);
    const bool correct = stages[last].sum == sum_of_one_thread(o);
    printf("pthread-pipeline: %d items through %d stages, sum %016llx, %s\n", o->items, o->stages,
           (unsigned long long)stages[last].sum, correct ? "correct" : "wrong");
    return correct ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    options o;
    char why[256];
    if (!read_options(&o, argc, argv, why, sizeof why)) {
        fprintf(stderr, "pthread-pipeline: %s (try --help)\n", why);
        return WRONG_USAGE;
    }
    if (o.help) {
        fputs(usage, stdout);
        return SUCCESS;
    }
    return run(&o);
}
