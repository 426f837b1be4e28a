/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/findings/counter_findings.h"

#include "counters/findings/finding_parts.h"
#include "filter/name_pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shares of the messages that arrive, and numbers, below which nothing is stated. */
#define OUT_OF_SEQUENCE_SHARE 0.02
#define UNEXPECTED_SHARE      0.5
#define RENDEZVOUS_SHARE      0.05

/* Seconds; shorter times are stated in milliseconds. */
#define MILLISECONDS_BELOW 0.1

enum { MESSAGES_LEAST = 100, UNEXPECTED_LEAST = 1000 };

/* Bins of mpi.message_sizes: 0 bytes, then from 2^(bin-1) to 2^bin - 1. */
enum { SIZES = 65 };

/* Messages of a rank that others are a share of. @return false: it does not have their counters */
typedef bool messages_in_t(const struct fm_counter_job *job, size_t rank, double *messages);

/* Messages that the program has received in a rank whose arriving messages are not counted: those
 * of the library itself are not among them. */
static bool received_in(const struct fm_counter_job *job, size_t rank, double *messages)
{
    double arrived;
    return !arrivals_in(job, rank, &arrived) &&
           value_in(job, rank, "mpi.messages_received", messages);
}

static size_t largest_share_of(const struct fm_counter_job *job, messages_in_t *messages_in,
                               const char *name, double least, size_t *where)
{
    size_t ranks = 0;
    double largest = 0, value, messages;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        if (value_in(job, rank, name, &value) && messages_in(job, rank, &messages) &&
            messages >= MESSAGES_LEAST && value / messages >= least) {
            ranks++;
            *where = value / messages > largest ? rank : *where;
            largest = value / messages > largest ? value / messages : largest;
        }
    }
    return ranks;
}

/* The rank in which a counter is the largest share of arriving messages.
 * @return ranks with at least `least` of it */
static size_t largest_share(const struct fm_counter_job *job, const char *name, double least,
                            size_t *where)
{
    return largest_share_of(job, arrivals_in, name, least, where);
}

static void look_for_disorder(struct looking *looking)
{
    const struct fm_counter_job *job = looking->job;
    char text[TEXT], part[PART], time[192] = "";
    size_t worst = 0;
    double value, messages, seconds, disorder;
    size_t ranks = largest_share(job, "OUT_OF_SEQUENCE", OUT_OF_SEQUENCE_SHARE, &worst);
    if (ranks == 0) {
        return;
    }
    value_in(job, worst, "OUT_OF_SEQUENCE", &value);
    arrivals_in(job, worst, &messages);
    if (value_in(job, worst, "MATCH_TIME", &seconds)) {
        snprintf(time, sizeof time, ", and its threads spent up to %.3f s on matching", seconds);
    }
    if (value_in(job, worst, "OOS_MATCH_TIME", &disorder)) {
        size_t length = strlen(time);
        snprintf(time + length, sizeof time - length,
                 "%s %.3f %s on the queue of messages out of sequence",
                 length == 0 ? ", and its threads spent" : ",",
                 disorder < MILLISECONDS_BELOW ? 1000 * disorder : disorder,
                 disorder < MILLISECONDS_BELOW ? "ms" : "s");
    }
    snprintf(text, sizeof text,
             "Rank %u: %s arrived out of sequence%s. %zu of %zu ranks %s at least %.0f%%.",
             number_of(job, worst), part_of_messages(part, value, messages), time, ranks,
             job->ranks, ranks == 1 ? "has" : "have", 100 * OUT_OF_SEQUENCE_SHARE);
    state(
        looking, "out-of-sequence", (long)number_of(job, worst), text,
        "Threads that share a communicator cause this, or several networks between two processes: "
        "give each pair of threads a communicator of its own (MPI_Comm_dup). Without threads, "
        "small messages overtake larger ones that wait for a buffer of the library "
        "(btl_vader_free_list_max).");
}

static const char advice_on_floods[] =
    "Post receives before the messages come (MPI_Irecv), or let the receiver get the data when it "
    "needs them (MPI_Get): this saves copies, searches and memory.";

static void look_for_flood(struct looking *looking)
{
    const struct fm_counter_job *job = looking->job;
    char text[TEXT], part[PART];
    size_t worst = 0;
    double value, messages;
    size_t ranks = largest_share(job, "UNEXPECTED", UNEXPECTED_SHARE, &worst);
    if (ranks == 0 || !value_in(job, worst, "UNEXPECTED", &value) || value < UNEXPECTED_LEAST) {
        return;
    }
    arrivals_in(job, worst, &messages);
    snprintf(text, sizeof text,
             "Rank %u: %s arrived before their receive and waited in the library. %zu of %zu ranks "
             "%s at least %.0f%%.",
             number_of(job, worst), part_of_messages(part, value, messages), ranks, job->ranks,
             ranks == 1 ? "has" : "have", 100 * UNEXPECTED_SHARE);
    state(looking, "unexpected", (long)number_of(job, worst), text, advice_on_floods);
}

/* Without the counters of arriving messages: an Open MPI that was built with --enable-spc has none.
 * The library counts its own unexpected messages, too, so that they are no part of those that the
 * program has received. */
static void look_for_flood_beside_received(struct looking *looking)
{
    const struct fm_counter_job *job = looking->job;
    char text[TEXT], numbers[2][FM_TEXT_NUMBER];
    size_t worst = 0;
    double value, messages;
    size_t ranks = largest_share_of(job, received_in, "UNEXPECTED", UNEXPECTED_SHARE, &worst);
    if (ranks == 0 || !value_in(job, worst, "UNEXPECTED", &value) || value < UNEXPECTED_LEAST) {
        return;
    }
    received_in(job, worst, &messages);
    snprintf(text, sizeof text,
             "Rank %u: %s messages, those of the library itself included, arrived before their "
             "receive and waited in the library; the program received %s messages. In %zu of %zu "
             "ranks the former are at least %.0f%% of the latter.",
             number_of(job, worst), number(numbers[0], value), number(numbers[1], messages), ranks,
             job->ranks, 100 * UNEXPECTED_SHARE);
    state(looking, "unexpected", (long)number_of(job, worst), text, advice_on_floods);
}

/* Messages of the program by size, over all ranks. @return their number; 0: not known */
static double sizes_of(const struct fm_counter_job *job, double sizes[SIZES])
{
    size_t counter = fm_counter_job_find(job, "mpi.message_sizes");
    double all = 0, value;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        for (int bin = 0; bin < SIZES; bin++) {
            if (counter == job->count || job->counters[counter].bins != SIZES ||
                !fm_counter_job_value(job, rank, counter, bin, &value)) {
                return 0;
            }
            sizes[bin] += value;
            all += value;
        }
    }
    return all;
}

/* Appends how large the `slow` largest messages of the program are, and the others: between lies
 * the limit, if these are those that went by a rendezvous. */
static void append_sizes(char text[TEXT], const struct fm_counter_job *job, double slow)
{
    char numbers[3][FM_TEXT_NUMBER];
    double sizes[SIZES] = {0}, all = sizes_of(job, sizes), larger = 0;
    size_t length = strlen(text);
    int bin = SIZES - 1;
    while (bin > 0 && larger + sizes[bin] < slow) {
        larger += sizes[bin--];
    }
    if (all < slow || bin == 0) {
        return;
    }
    int next = bin;
    if (larger + sizes[bin] == slow) {
        do {
            next--;
        } while (next >= 0 && sizes[next] == 0);
    }
    length += (size_t)snprintf(text + length, TEXT - length,
                               " Of the program's messages, the %s largest have %s bytes or more",
                               number(numbers[0], slow), number(numbers[1], ldexp(1, bin - 1)));
    if (next >= 0) {
        snprintf(text + length, TEXT - length, ", the others up to %s.",
                 number(numbers[2], next == 0 ? 0 : ldexp(1, next) - 1));
    } else {
        snprintf(text + length, TEXT - length, ".");
    }
}

static void look_for_rendezvous(struct looking *looking)
{
    const struct fm_counter_job *job = looking->job;
    char text[TEXT], part[PART];
    double all = 0, slow = 0, value, messages;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        if (arrivals_in(job, rank, &messages) &&
            value_in(job, rank, "NOT_EAGER_MESSAGES", &value)) {
            all += messages;
            slow += value;
        }
    }
    if (slow < MESSAGES_LEAST || slow < RENDEZVOUS_SHARE * all) {
        return;
    }
    snprintf(text, sizeof text,
             "%s went by a rendezvous: their data travelled when the receiver had answered.",
             part_of_messages(part, slow, all));
    append_sizes(text, job, slow);
    state(looking, "rendezvous", -1, text,
          "The limit of eager messages decides (Open MPI: btl_vader_eager_limit, "
          "btl_tcp_eager_limit, ...). Messages just above it gain from a higher one; see "
          "mpi.message_sizes.");
}

size_t fm_counter_findings(const struct fm_counter_job *job, fm_counter_found_t *found,
                           void *context)
{
    struct looking looking = {.job = job, .found = found, .context = context};
    look_for_disorder(&looking);
    look_for_flood(&looking);
    look_for_flood_beside_received(&looking);
    look_for_rendezvous(&looking);
    fm_find_in_collectives(&looking);
    return looking.count;
}

/* What findings are made of: all of these counters, or all of the other ones. */
static const struct {
    struct fm_counter_rule rule;
    const char *other; /* NULL: none */
} rules[FM_COUNTER_RULES] = {
    {{"out-of-sequence", "messages out of sequence",
      "OUT_OF_SEQUENCE,EAGER_MESSAGES,NOT_EAGER_MESSAGES"},
     NULL},
    {{"unexpected", "floods of unexpected messages", "UNEXPECTED,mpi.messages_received"},
     "UNEXPECTED,EAGER_MESSAGES,NOT_EAGER_MESSAGES"},
    {{"rendezvous", "rendezvous", "EAGER_MESSAGES,NOT_EAGER_MESSAGES"}, NULL},
    {{"algorithms", "algorithms of collectives", "BASE_*"}, "algorithm.*"},
    {{"recursive-doubling", "recursive doubling",
      "BASE_ALLREDUCE_RECURSIVE_DOUBLING,EAGER_MESSAGES,NOT_EAGER_MESSAGES,mpi.messages_received"},
     NULL},
};

/* Whether some rank has each counter of a list. */
static bool has_all(const struct fm_counter_job *job, const char *list)
{
    char word[FM_COUNTER_WORD];
    while ((list = fm_counter_list_next(list, word)) != NULL) {
        size_t i = 0;
        while (i < job->count && !fm_pattern_matches(word, job->counters[i].name)) {
            i++;
        }
        if (i == job->count) {
            return false;
        }
    }
    return true;
}

size_t fm_counter_findings_unjudged(const struct fm_counter_job *job,
                                    struct fm_counter_rule unjudged[FM_COUNTER_RULES])
{
    size_t count = 0;
    for (size_t i = 0; i < FM_COUNTER_RULES; i++) {
        if (!has_all(job, rules[i].rule.needs) &&
            (rules[i].other == NULL || !has_all(job, rules[i].other))) {
            unjudged[count++] = rules[i].rule;
        }
    }
    return count;
}

/* Whether a rule needs a counter of the inside of the library. */
static bool is_needed(const char *name)
{
    bool found = false;
    for (size_t i = 0; !found && i < FM_COUNTER_RULES; i++) {
        found =
            strncmp(name, "mpi.", 4) != 0 && fm_counter_list_names(rules[i].rule.needs, "", name);
    }
    return found;
}

bool fm_counter_findings_possible(const struct fm_counter_job *job)
{
    bool found = false;
    for (size_t i = 0; !found && i < job->count; i++) {
        found = is_needed(job->counters[i].name);
    }
    return found;
}

const char *fm_counter_findings_lack(const struct fm_counter_job *job)
{
    for (size_t rank = 0; !fm_counter_findings_possible(job) && rank < job->ranks; rank++) {
        const char *name, *reason;
        for (size_t i = 0;
             (name = fermata_counters_unavailable(job->files[rank], i, &reason)) != NULL; i++) {
            if (is_needed(name)) {
                return reason;
            }
        }
    }
    return NULL;
}
