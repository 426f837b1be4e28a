/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffer files: what a process has recorded is in its file, whenever it is killed; without room it
 * records in its own memory; its children do not change the file. Each process of the test is a
 * child that shares a page with it. */
#include "record/buffers/buffer_file.h"
#include "record/buffers/buffer_read.h"
#include "record/capture/thread.h"
#include "record/flight/cut.h"
#include "record/paradigm/open_call.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY = 4 * FM_CHUNK_BYTES, BEFORE = 20000, THREADS = 2, KILLS = 25, FUNCTION = 7 };

/* What the process tells. */
static struct shared {
    char path[4096];
    _Atomic uint64_t calls[THREADS];  /* recorded completely */
    _Atomic uint64_t stored[THREADS]; /* words that a journal has */
    _Atomic int failed, ready;
} * shared;

static char folder[64];

/* ---- in the process ---- */

/* Discards the records, as if they were in a journal. */
static bool store(struct fm_thread *thread, bool full)
{
    (void)full;
    if (!fm_thread_claim(thread)) {
        return false;
    }
    const struct fm_chunk *chunk = thread->current;
    shared->stored[thread->index] = chunk->position + (uint64_t)(thread->cursor - chunk->words);
    fm_thread_reuse(thread);
    fm_thread_move_to_file(thread);
    fm_thread_unclaim(thread);
    return true;
}

static const char *function_name(uint32_t function)
{
    (void)function;
    return "MPI_Send";
}

/* A call with a record that has its number, which waits for one. */
static void call(void)
{
    struct fm_thread *thread = fm_thread_enter(FUNCTION);
    if (thread == NULL) {
        shared->failed = 1;
        _exit(1);
    }
    fm_open_id(thread, fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0),
               shared->calls[thread->index]);
    uint64_t *record = fm_thread_leave(thread, FM_WORDS_SEND + FM_WORDS_ISEND_COMPLETE);
    record[0] = fm_record_sized(FM_RECORD_SEND, 8, 3);
    record[1] = 1;
    record[2] = fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0);
    record[3] = shared->calls[thread->index];
    fm_thread_done(thread);
    shared->calls[thread->index]++;
}

static bool begin_file(void)
{
    static struct fm_buffer_place place;
    const struct fm_buffer_request request = {.directory = folder, .size = 1};
    bool good = fm_buffers_begin(&request, &place);
    snprintf(shared->path, sizeof shared->path, "%s", fm_buffers_path());
    return good;
}

static void move(struct fm_thread *thread)
{
    fm_thread_claim(thread);
    fm_thread_move_to_file(thread);
    fm_thread_unclaim(thread);
}

static void begin_recording(void)
{
    fm_clock_start(0, 0);
    fm_threads_begin(MEMORY, store);
    fm_thread_attach();
}

static void *record_for_ever(void *nothing)
{
    for (;;) {
        call();
    }
    return nothing;
}

/* Records before there is a file, and then in two threads until it is killed. */
static void record_in_threads(void)
{
    pthread_t thread;
    begin_recording();
    for (int i = 0; i < BEFORE; i++) {
        call();
    }
    if (!begin_file()) {
        _exit(1);
    }
    move(fm_thread_self);
    pthread_create(&thread, NULL, record_for_ever, NULL);
    while (shared->calls[1] == 0) {
        usleep(100);
    }
    shared->ready = 1;
    record_for_ever(NULL);
}

static void record_last_ones(void)
{
    begin_recording();
    fm_threads_keep_last(function_name);
    if (!begin_file()) {
        _exit(1);
    }
    move(fm_thread_self);
    shared->ready = 1;
    record_for_ever(NULL);
}

/* The child of the process records on, too. */
static void fork_a_child(void)
{
    begin_recording();
    begin_file();
    move(fm_thread_self);
    for (int i = 0; i < BEFORE; i++) {
        call();
    }
    const uint64_t calls = shared->calls[0], stored = shared->stored[0];
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < BEFORE; i++) {
            call();
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
    shared->calls[0] = calls;
    shared->stored[0] = stored;
    raise(SIGKILL);
}

/* The file cannot grow: what there is of it is used again and again. */
static void record_in_little_room(void)
{
    const struct rlimit limit = {5 * (rlim_t)FM_BLOCK_BYTES, 5 * (rlim_t)FM_BLOCK_BYTES};
    begin_recording();
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!begin_file()) {
        _exit(1);
    }
    move(fm_thread_self);
    for (int i = 0; i < 5 * BEFORE; i++) {
        call();
    }
    shared->failed = fm_thread_self->slot == NULL;
    raise(SIGKILL);
}

static void record_without_room(void)
{
    const struct rlimit limit = {FM_BLOCK_BYTES, FM_BLOCK_BYTES};
    begin_recording();
    setrlimit(RLIMIT_FSIZE, &limit);
    shared->failed = begin_file() || shared->path[0] != '\0';
    move(fm_thread_self);
    for (int i = 0; i < 5 * BEFORE; i++) {
        call();
    }
    shared->failed = shared->failed || fm_thread_self->slot != NULL;
    raise(SIGKILL);
}

/* ---- in the test ---- */

/* Runs a process until it dies; kills it some time after it is ready. @return its status */
static int run(void (*process)(void), int microseconds)
{
    int status;
    memset(shared, 0, sizeof *shared);
    pid_t child = fork();
    if (child == 0) {
        process();
        _exit(1);
    }
    if (microseconds >= 0) {
        while (!shared->ready && waitpid(child, &status, WNOHANG) == 0) {
            usleep(100);
        }
        usleep((useconds_t)microseconds);
        kill(child, SIGKILL);
    }
    waitpid(child, &status, 0);
    assert_int_equal(shared->failed, 0);
    return status;
}

/* Checks that the records of a thread continue what is stored, call by call. @return number of the
 * call behind the last one */
static uint64_t check_records(struct fm_buffer_reader *reader, uint32_t thread, uint64_t position,
                              uint64_t next)
{
    size_t count;
    const uint64_t *words;
    while ((words = fm_buffer_records(reader, thread, position, &count)) != NULL) {
        const uint64_t *end = words + count;
        for (const uint64_t *record = words; record < end;
             record += fm_record_words[fm_record_kind(record[0])]) {
            assert_true(fm_record_kind(record[0]) < FM_RECORD_KIND_COUNT);
            if (fm_record_kind(record[0]) == FM_RECORD_ISEND_COMPLETE) {
                assert_true(next == UINT64_MAX || record[1] == next);
                next = record[1] + 1;
            }
        }
        position += count;
    }
    return next;
}

enum { WORDS_OF_CALL = FM_WORDS_CALL + FM_WORDS_SEND + FM_WORDS_ISEND_COMPLETE };

/* Checks the call that a thread was in. @param next  number of the call behind the last record */
static void check_open_call(const struct fm_buffer_reader *reader, uint32_t thread, uint64_t next)
{
    struct fm_shown_call open;
    assert_true(fm_buffer_open_call(reader, thread, &open));
    if (open.enter != 0) {
        const uint64_t words = open.call >> 32;
        assert_int_equal((uint32_t)open.call, FUNCTION);
        assert_true(words == 0 || words == FM_WORDS_ISEND_COMPLETE);
        assert_true(words == 0 || open.words[1] == next || open.words[1] + 1 == next);
    }
}

static void nothing_is_lost_by_a_kill(void **state)
{
    struct fm_buffer_reader reader;
    (void)state;
    for (int i = 0; i < KILLS; i++) {
        assert_true(WIFSIGNALED(run(record_in_threads, rand() % 4000)));
        assert_true(fm_buffer_open(&reader, shared->path, 0));
        assert_true(reader.is_whole);
        assert_int_equal(reader.thread_count, THREADS);
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            uint64_t stored = shared->stored[thread], calls = shared->calls[thread];
            assert_true(stored % WORDS_OF_CALL == 0);
            uint64_t end = check_records(&reader, thread, stored, stored / WORDS_OF_CALL);
            assert_true(end == calls || end == calls + 1);
            check_open_call(&reader, thread, end);
        }
        assert_false(fm_buffer_open_call(&reader, THREADS, &(struct fm_shown_call){0}));
        fm_buffer_close(&reader);
        unlink(shared->path);
    }
}

static void the_last_records_survive(void **state)
{
    struct fm_buffer_reader reader;
    (void)state;
    for (int i = 0; i < KILLS; i++) {
        assert_true(WIFSIGNALED(run(record_last_ones, 1000 + rand() % 20000)));
        assert_true(fm_buffer_open(&reader, shared->path, 0));
        uint64_t position = 0, lost = 0, calls = shared->calls[0];
        const struct fm_buffer_front *front = fm_buffer_front(&reader, 0);
        struct fm_cut cut = {.gone = false};
        if (front != NULL) {
            assert_int_equal(front->gone, 1);
            for (uint64_t k = 0; k < front->count;
                 k += fm_record_words[fm_record_kind(front->words[k])]) {
                fm_cut_pass(&cut, front->words + k, true, function_name);
            }
            position = front->position;
            lost = cut.unrecorded.slots[0].count;
            for (size_t k = 1; k < cut.unrecorded.capacity; k++) {
                lost += cut.unrecorded.slots[k].count;
            }
        }
        assert_true(fm_buffer_first(&reader, 0) <= position);
        uint64_t end = check_records(&reader, 0, position, lost);
        assert_true(end == calls || end == calls + 1);
        fm_unrecorded_free(&cut.unrecorded);
        if (cut.room != 0) {
            munmap(cut.items, cut.room * sizeof *cut.items);
        }
        fm_buffer_close(&reader);
        unlink(shared->path);
    }
}

static void children_do_not_write(void **state)
{
    struct fm_buffer_reader reader;
    (void)state;
    assert_true(WIFSIGNALED(run(fork_a_child, -1)));
    assert_true(fm_buffer_open(&reader, shared->path, 0));
    uint64_t stored = shared->stored[0];
    assert_true(check_records(&reader, 0, stored, stored / WORDS_OF_CALL) == BEFORE);
    fm_buffer_close(&reader);
    unlink(shared->path);
}

static void without_room_recording_continues(void **state)
{
    struct fm_buffer_reader reader;
    (void)state;
    assert_true(WIFSIGNALED(run(record_in_little_room, -1)));
    assert_true(fm_buffer_open(&reader, shared->path, 0));
    uint64_t stored = shared->stored[0];
    assert_true(check_records(&reader, 0, stored, stored / WORDS_OF_CALL) == 5 * BEFORE);
    fm_buffer_close(&reader);
    unlink(shared->path);
    assert_true(WIFSIGNALED(run(record_without_room, -1)));
    assert_false(fm_buffer_open(&reader, shared->path, 0));
}

/* Where no room can be reserved for good there is no file. */
static void places_are_chosen(void **state)
{
    static struct fm_buffer_place place;
    (void)state;
    assert_true(fm_buffer_place_choose(folder, "/nowhere", 1, &place));
    assert_string_equal(place.folder, folder);
    assert_true(place.share > 0);
    uint64_t whole = place.share;
    assert_true(fm_buffer_place_choose(folder, "/nowhere", 4, &place));
    assert_true(place.share <= whole / 3);
    assert_false(fm_buffer_place_choose(folder, "/nowhere", UINT32_MAX, &place));
    assert_non_null(strstr(place.reason, "too little room"));
    assert_false(fm_buffer_place_choose("/proc/self", "/nowhere", 1, &place));
    assert_non_null(strstr(place.reason, "/proc/self"));
    assert_false(fm_buffer_place_choose("/nowhere/at/all", "/nowhere", 1, &place));
    assert_non_null(strstr(place.reason, "No such file"));
    assert_false(fm_buffer_place_choose("off", folder, 1, &place));
}

/* Any file is opened or refused. */
static void damaged_files_are_read(void **state)
{
    struct fm_buffer_reader reader;
    char path[128];
    uint64_t base, bytes;
    size_t count;
    (void)state;
    run(record_in_threads, 2000);
    FILE *file = fopen(shared->path, "rb");
    assert_non_null(file);
    static unsigned char content[8 * FM_BLOCK_BYTES], damaged[sizeof content];
    size_t length = fread(content, 1, sizeof content, file);
    fclose(file);
    unlink(shared->path);
    snprintf(path, sizeof path, "%s/damaged", folder);
    for (int i = 0; i < 100; i++) {
        memcpy(damaged, content, length);
        for (int k = 0; k < 50; k++) { /* in the heads of blocks and slots, mostly */
            size_t block = (size_t)rand() % (length / FM_BLOCK_BYTES);
            size_t place =
                rand() % 2 != 0
                    ? (size_t)rand() % 64
                    : FM_BUFFER_SLOTS_AT + (size_t)rand() % 3 * FM_SLOT_BYTES + (size_t)rand() % 16;
            damaged[block * FM_BLOCK_BYTES + (block == 0 ? FM_BUFFER_SLOTS_AT : 0) +
                    place % (FM_BLOCK_BYTES - FM_BUFFER_SLOTS_AT)] = (unsigned char)rand();
        }
        file = fopen(path, "wb");
        assert_int_equal(fwrite(damaged, 1, length - (size_t)rand() % 1000, file) > 0, 1);
        fclose(file);
        if (fm_buffer_open(&reader, path, 0)) {
            fm_buffer_definitions(&reader, &base, &bytes);
            for (uint32_t thread = 0; thread < 3; thread++) {
                fm_buffer_front(&reader, thread);
                uint64_t position = 0;
                for (int k = 0;
                     k < 100 && fm_buffer_records(&reader, thread, position, &count) != NULL; k++) {
                    position += count;
                }
            }
            fm_buffer_close(&reader);
        }
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_by_a_kill),
        cmocka_unit_test(the_last_records_survive),
        cmocka_unit_test(children_do_not_write),
        cmocka_unit_test(places_are_chosen),
        cmocka_unit_test(without_room_recording_continues),
        cmocka_unit_test(damaged_files_are_read),
    };
    snprintf(folder, sizeof folder, "/tmp/test-buffers-XXXXXX");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mkdtemp(folder) == NULL || shared == MAP_FAILED) {
        return 1;
    }
    setenv(FM_BUFFERS_VARIABLE, folder, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
