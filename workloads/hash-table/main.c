/* SPDX-License-Identifier: BSD-3-Clause */
/* hash-table: threads count words in one table of chains, protected by one mutex or by several
 * (stripes). One thread can hold a mutex for a long time: after each so many of its words it tidies
 * a chain up. Each word is counted as often as it was said, whatever the threads do; the program
 * checks that. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };
enum { CHAINS = 256, MOST_THREADS = 256, WORDS = 1000, TIDY_EVERY = 50 };

typedef struct options {
    int threads, words, stripes, holder; /* words: of each thread; holder: -1 for none */
    double work, hold;                   /* seconds for each word; for each tidying up */
    bool help;
} options;

typedef struct entry {
    struct entry *next;
    int word, count;
} entry;

static entry *chains[CHAINS];
static pthread_mutex_t table_locks[CHAINS]; /* one for each stripe of chains */
static pthread_barrier_t begin;
static options settings;

static const char usage[] =
    "usage: hash-table [OPTIONS]\n"
    "Threads count words in a common hash table, protected by mutexes.\n"
    "  --threads N         threads (default 4)\n"
    "  --words N           words of each thread (default 500)\n"
    "  --stripes N         mutexes, each for a part of the table (default 1)\n"
    "  --work SECONDS      computation for each word outside of the table (default 0.0001)\n"
    "  --holder THREAD     the thread that tidies up, holding a mutex (default: none)\n"
    "  --hold SECONDS      for so long, after each 50 of its words (default 0.01)\n"
    "  --help              print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"threads", required_argument, NULL, 't'}, {"words", required_argument, NULL, 'n'},
        {"stripes", required_argument, NULL, 's'}, {"work", required_argument, NULL, 'w'},
        {"holder", required_argument, NULL, 'l'},  {"hold", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    *o = (options){
        .threads = 4, .words = 500, .stripes = 1, .holder = -1, .work = 1e-4, .hold = 1e-2};
    opterr = 0;
    int choice;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 't':
            valid = read_count(optarg, 1, MOST_THREADS, &o->threads);
            break;
        case 'n':
            valid = read_count(optarg, 1, 1000000, &o->words);
            break;
        case 's':
            valid = read_count(optarg, 1, CHAINS, &o->stripes);
            break;
        case 'w':
            valid = read_seconds(optarg, &o->work);
            break;
        case 'l':
            valid = read_count(optarg, 0, MOST_THREADS - 1, &o->holder);
            break;
        case 'd':
            valid = read_seconds(optarg, &o->hold);
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

/* The i-th word that a thread says. */
static int word_of(int thread, int i)
{
    return (int)(((uint32_t)(thread * 7919 + i) * 2654435761u) >> 8) % WORDS;
}

static __attribute__((noinline)) void tidy_up(void)
{
    work_for(settings.hold);
}

static __attribute__((noinline)) void count_word(int word, bool tidies)
{
    const int chain = word % CHAINS;
    pthread_mutex_t *const lock = &table_locks[chain % settings.stripes];
    pthread_mutex_lock(lock);
    entry *e = chains[chain];
    while (e != NULL && e->word != word)
        e = e->next;
    if (e == NULL) {
        e = malloc(sizeof *e);
        if (e == NULL)
            abort();
        *e = (entry){.next = chains[chain], .word = word};
        chains[chain] = e;
    }
    e->count++;
    if (tidies)
        tidy_up();
    pthread_mutex_unlock(lock);
}

static void *count_words(void *argument)
{
    const int thread = (int)(intptr_t)argument;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < settings.words; i++) {
        work_for(settings.work);
        count_word(word_of(thread, i), thread == settings.holder && i % TIDY_EVERY == 0);
    }
    return NULL;
}

static bool is_correct(void)
{
    int expected[WORDS] = {0};
    for (int thread = 0; thread < settings.threads; thread++)
        for (int i = 0; i < settings.words; i++)
            expected[word_of(thread, i)]++;
    for (int chain = 0; chain < CHAINS; chain++)
        for (const entry *e = chains[chain]; e != NULL; e = e->next)
            expected[e->word] -= e->count;
    for (int word = 0; word < WORDS; word++)
        if (expected[word] != 0)
            return false;
    return true;
}

static int run(void)
{
    pthread_t threads[MOST_THREADS];
    for (int i = 0; i < settings.stripes; i++)
        pthread_mutex_init(&table_locks[i], NULL);
    pthread_barrier_init(&begin, NULL, (unsigned)settings.threads);
    for (int i = 0; i < settings.threads; i++)
        if (pthread_create(&threads[i], NULL, count_words, (void *)(intptr_t)i) != 0)
            abort();
    for (int i = 0; i < settings.threads; i++)
        pthread_join(threads[i], NULL);
    const bool correct = is_correct();
    printf("hash-table: %d threads, %d words each, %s\n", settings.threads, settings.words,
           correct ? "all are counted" : "wrong counts");
    return correct ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    char why[256];
    if (!read_options(&settings, argc, argv, why, sizeof why)) {
        fprintf(stderr, "hash-table: %s (try --help)\n", why);
        return WRONG_USAGE;
    }
    if (settings.help) {
        fputs(usage, stdout);
        return SUCCESS;
    }
    return run();
}
