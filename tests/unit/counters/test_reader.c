/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of counters: values of several threads, functions that come later, damage. */
#include "check.h"
#include "counters/counter_layout.h"
#include "fermata/counters.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FUNCTIONS = 4, BLOCK_WORDS = FM_BLOCK_HEAD + FM_SLOTS + 2 * FUNCTIONS, BLOCKS = 3 };

static char path[] = "/tmp/fermata-counters-XXXXXX";
static int file;

static struct fm_counter_file_head head(void)
{
    struct fm_counter_file_head h = {
        .magic = FM_COUNTER_FILE_MAGIC,
        .version = FM_COUNTER_FILE_VERSION,
        .byte_order = 0x01020304,
        .description_bytes = sizeof(struct fm_counter_description),
        .function_bytes = sizeof(struct fm_counter_function),
        .descriptions_at = FM_COUNTER_HEAD_BYTES,
        .description_count = 3,
        .functions_at = 2 * FM_COUNTER_HEAD_BYTES,
        .functions_most = FUNCTIONS,
        .blocks_at = 3 * FM_COUNTER_HEAD_BYTES,
        .block_bytes = BLOCK_WORDS * sizeof(uint64_t),
        .functions_in_block = FUNCTIONS,
        .function_count = 1,
        .block_count = BLOCKS,
        .state = FM_COUNTING_ENDED,
        .ticks = 2000000,
        .nanoseconds = 1000000,
        .rank = 3,
        .size = 8,
    };
    return h;
}

static void put(const void *data, size_t bytes, uint64_t place)
{
    assert_int_equal(pwrite(file, data, bytes, (off_t)place), bytes);
}

static void put_word(unsigned block, unsigned word, uint64_t value)
{
    put(&value, sizeof value, head().blocks_at + block * head().block_bytes + word * sizeof value);
}

static void write_file(void)
{
    struct fm_counter_file_head h = head();
    struct fm_counter_description d[3] = {
        {.name = "mpi.bytes_sent",
         .unit = "bytes",
         .kind = FERMATA_KIND_BYTES,
         .slot = 0,
         .bins = 1,
         .is_selected = 1},
        {.name = "level", .unit = "x", .kind = FERMATA_KIND_HIGH_WATERMARK, .slot = 1, .bins = 1},
        {.name = "bins", .unit = "x", .kind = FERMATA_KIND_BINS, .slot = 2, .bins = 2}};
    struct fm_counter_function f[2] = {{.name = "MPI_Send", .is_selected = 3},
                                       {.name = "MPI_Recv"}};
    static const uint64_t empty[BLOCKS * BLOCK_WORDS];
    assert_int_equal(ftruncate(file, 0), 0);
    put(&h, sizeof h, 0);
    put(d, sizeof d, h.descriptions_at);
    put(f, sizeof f, h.functions_at);
    put(empty, sizeof empty, h.blocks_at);
    for (unsigned block = 1; block < BLOCKS; block++) { /* block 0 is that of the process */
        put_word(block, FM_BLOCK_HEAD + 0, 99 + block);
        put_word(block, FM_BLOCK_HEAD + 1, 8 - block);
        put_word(block, FM_BLOCK_HEAD + 2, 1);
        put_word(block, FM_BLOCK_HEAD + 3, 10);
        put_word(block, FM_BLOCK_HEAD + FM_SLOTS, 5);
        put_word(block, FM_BLOCK_HEAD + FM_SLOTS + 1, 1000000);
    }
}

static fermata_counters_t *opened(void)
{
    char why[256] = "";
    fermata_counters_t *counters = fermata_counters_open(path, why, sizeof why);
    assert_string_equal(why, "");
    return counters;
}

static int64_t value(fermata_counters_t *counters, const char *name)
{
    int number = fermata_counters_find(counters, name);
    assert_true(number >= 0);
    return fermata_counters_value(counters, (size_t)number);
}

static void sums_over_threads(void **state)
{
    (void)state;
    write_file();
    fermata_counters_t *counters = opened();
    assert_int_equal(fermata_counters_number(counters), 5);
    assert_int_equal(value(counters, "OMPI_SPC_BYTES_SENT_USER"), 201);
    assert_int_equal(value(counters, "level"), 7);
    assert_int_equal(value(counters, "bins"), 22);
    assert_int_equal(fermata_counters_bin(counters, 2, 1), 20);
    assert_int_equal(value(counters, "OMPI_SPC_SEND"), 10);
    assert_int_equal(fermata_counters_threads(counters), 2);
    assert_int_equal(fermata_counters_thread_value(counters, 1, 0), 101);
    int time = fermata_counters_find(counters, "time:MPI_Send");
    assert_true(fermata_counters_seconds(counters, (size_t)time) == 0.001);
    assert_int_equal(fermata_counters_rank(counters), 3);
    assert_int_equal(fermata_counters_size(counters), 8);
    assert_int_equal(fermata_counters_state(counters), FERMATA_PROCESS_ENDED);
    assert_int_equal(fermata_counters_info(counters, 0)->selected, 1);
    assert_int_equal(fermata_counters_info(counters, 1)->selected, 0);
    assert_int_equal(fermata_counters_find(counters, "calls:MPI_Recv"), -1);
    fermata_counters_close(counters);
}

static void follows_the_process(void **state)
{
    (void)state;
    write_file();
    fermata_counters_t *counters = opened();
    struct fm_counter_file_head later = head();
    later.function_count = 2;
    put(&later, sizeof later, 0);
    put_word(1, FM_BLOCK_HEAD + FM_SLOTS + 2, 8);
    put_word(2, FM_BLOCK_HEAD + 0, 200);
    assert_int_equal(fermata_counters_read(counters), 0);
    assert_int_equal(value(counters, "calls:MPI_Recv"), 8);
    assert_int_equal(value(counters, "mpi.bytes_sent"), 300);
    fermata_counters_close(counters);
}

/* The calls of a function with two names are a counter, too, for whoever asks for it. */
static void adds_calls_under_two_names(void **state)
{
    (void)state;
    const struct fm_counter_function f[2] = {{.name = "MPI_Bcast_init", .is_selected = 3},
                                             {.name = "MPIX_Bcast_init", .is_selected = 3}};
    write_file();
    put(f, sizeof f, head().functions_at);
    fermata_counters_t *counters = opened();
    assert_int_equal(fermata_counters_find(counters, "BCAST_INIT"), -1);
    struct fm_counter_file_head later = head();
    later.function_count = 2;
    put(&later, sizeof later, 0);
    put_word(1, FM_BLOCK_HEAD + FM_SLOTS + 2, 8);
    assert_int_equal(fermata_counters_read(counters), 0);
    assert_int_equal(value(counters, "calls:MPI_Bcast_init"), 10);
    assert_int_equal(value(counters, "calls:MPIX_Bcast_init"), 8);
    assert_int_equal(value(counters, "OMPI_SPC_BCAST_INIT"), 18);
    const size_t sum = (size_t)fermata_counters_find(counters, "BCAST_INIT");
    assert_int_equal(fermata_counters_thread_value(counters, 0, sum), 13);
    assert_int_equal(fermata_counters_thread_value(counters, 1, sum), 5);
    assert_string_equal(fermata_counters_info(counters, sum)->name, "BCAST_INIT");
    assert_int_equal(fermata_counters_info(counters, sum)->selected, 0);
    fermata_counters_close(counters);
}

/* Counters that are added while the process runs: with fractions, and one that it cannot have. */
static void follows_added_counters(void **state)
{
    (void)state;
    const struct fm_counter_description added[2] = {
        {.name = "user:mass",
         .unit = "kg",
         .kind = FERMATA_KIND_REAL,
         .slot = FM_SLOTS + 3,
         .bins = 1,
         .meaning = "meant"},
        {.name = "perf:cycles", .unit = "cycles", .meaning = "no such hardware"}};
    const double parts[] = {0.5, 0.25};
    const char *reason;
    write_file();
    fermata_counters_t *counters = opened();
    assert_null(fermata_counters_unavailable(counters, 0, &reason));
    struct fm_counter_file_head later = head();
    later.description_count = 5;
    put(&later, sizeof later, 0);
    put(added, sizeof added, later.descriptions_at + 3 * sizeof added[0]);
    for (unsigned block = 1; block < BLOCKS; block++) {
        uint64_t bits;
        memcpy(&bits, &parts[block - 1], sizeof bits);
        put_word(block, FM_BLOCK_HEAD + FM_SLOTS + 3, bits);
    }
    assert_int_equal(fermata_counters_read(counters), 0);
    int mass = fermata_counters_find(counters, "user:mass");
    assert_true(mass >= 0);
    assert_true(fermata_counters_real(counters, (size_t)mass) == 0.75);
    assert_int_equal(fermata_counters_value(counters, (size_t)mass), 1);
    assert_string_equal(fermata_counters_info(counters, (size_t)mass)->meaning, "meant");
    assert_int_equal(fermata_counters_find(counters, "perf:cycles"), -1);
    assert_string_equal(fermata_counters_unavailable(counters, 0, &reason), "perf:cycles");
    assert_string_equal(reason, "no such hardware");
    assert_null(fermata_counters_unavailable(counters, 1, &reason));
    assert_int_equal(value(counters, "OMPI_SPC_SEND"), 10);
    fermata_counters_close(counters);
}

/* A watermark of the process is reset by the reader, those of threads by the threads: until then
 * their levels are what is read. */
static void resets_watermarks(void **state)
{
    (void)state;
    struct fm_counter_description d[2] = {
        {.name = "level", .kind = FERMATA_KIND_LEVEL, .bins = 1},
        {.name = "most", .kind = FERMATA_KIND_HIGH_WATERMARK, .slot = 1, .sentinel = 2, .bins = 1}};
    struct fm_counter_file_head h = head();
    write_file();
    d[0].slot = d[1].sentinel;
    put(d, sizeof d, h.descriptions_at);
    h.description_count = 2;
    h.state = FM_COUNTING;
    h.process = (uint64_t)getpid();
    gethostname(h.host, sizeof h.host - 1);
    put(&h, sizeof h, 0);
    put_word(0, FM_BLOCK_HEAD + 1, 50);
    put_word(0, FM_BLOCK_HEAD + 2, 4);
    fermata_counters_t *counters = opened();
    assert_int_equal(value(counters, "most"), 50);
    assert_false(fermata_counters_can_reset(counters, 0));
    assert_true(fermata_counters_can_reset(counters, 1));
    assert_int_equal(fermata_counters_reset_watermarks(counters), 0);
    assert_int_equal(fermata_counters_read(counters), 0);
    assert_int_equal(value(counters, "most"), 4);
    assert_int_equal(fermata_counters_thread_value(counters, 0, 1), 1); /* its level, not 7 */
    put_word(1, FM_BLOCK_RESETS, 1);
    put_word(1, FM_BLOCK_HEAD + 1, 9); /* the thread has reset it, and its level has risen */
    assert_int_equal(fermata_counters_read(counters), 0);
    assert_int_equal(fermata_counters_thread_value(counters, 0, 1), 9);
    assert_int_equal(value(counters, "most"), 9);
    fermata_counters_close(counters);
}

static void tells_an_interrupted_update(void **state)
{
    (void)state;
    write_file();
    fermata_counters_t *counters = opened();
    put_word(1, FM_BLOCK_SEQUENCE, 7);
    assert_int_equal(fermata_counters_read(counters), 1);
    assert_int_equal(value(counters, "mpi.bytes_sent"), 201);
    fermata_counters_close(counters);
}

static void refused(const char *reason)
{
    char why[256] = "", expected[512];
    assert_null(fermata_counters_open(path, why, sizeof why));
    snprintf(expected, sizeof expected, "%s: %s", path, reason);
    assert_string_equal(why, expected);
}

static void refuses_damage(void **state)
{
    (void)state;
    struct fm_counter_file_head h;
    write_file();
    assert_int_equal(ftruncate(file, 100), 0);
    refused("not a file of counters, or not complete");
    write_file();
    h = head();
    h.byte_order = 0x04030201;
    put(&h, sizeof h, 0);
    refused("written on a machine with another byte order");
    h = head();
    h.version = 99;
    put(&h, sizeof h, 0);
    refused("written by another version of fermata");
    h = head();
    h.block_bytes = 16;
    put(&h, sizeof h, 0);
    refused("damaged");
    h = head();
    h.block_count = 1000;
    put(&h, sizeof h, 0);
    refused("damaged");
    h = head();
    h.description_count = UINT64_MAX;
    put(&h, sizeof h, 0);
    refused("damaged");
    h = head();
    h.functions_at = UINT64_MAX - 8;
    put(&h, sizeof h, 0);
    refused("damaged");
    struct fm_counter_description d = {.name = "x", .unit = "x", .slot = BLOCK_WORDS, .bins = 1};
    write_file();
    put(&d, sizeof d, head().descriptions_at);
    refused("damaged");
}

/* Whatever a file has, reading it ends, and touches no memory that is not its own. */
static void survives_any_bytes(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 500; i++) {
        write_file();
        unsigned char byte = (unsigned char)next_random(&random);
        uint64_t place = next_random(&random) % (sizeof(struct fm_counter_file_head) + 300);
        place = place < sizeof(struct fm_counter_file_head)
                    ? place
                    : place - sizeof(struct fm_counter_file_head) + FM_COUNTER_HEAD_BYTES;
        put(&byte, 1, place);
        fermata_counters_t *counters = fermata_counters_open(path, NULL, 0);
        for (size_t k = 0; counters != NULL && k < fermata_counters_number(counters); k++) {
            fermata_counters_value(counters, k);
        }
        fermata_counters_close(counters);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_over_threads),      cmocka_unit_test(follows_the_process),
        cmocka_unit_test(follows_added_counters), cmocka_unit_test(tells_an_interrupted_update),
        cmocka_unit_test(refuses_damage),         cmocka_unit_test(survives_any_bytes),
        cmocka_unit_test(resets_watermarks),      cmocka_unit_test(adds_calls_under_two_names),
    };
    file = mkstemp(path);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    close(file);
    unlink(path);
    return failures;
}
