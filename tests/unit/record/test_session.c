/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's core as a whole under many threads, without MPI: threads record, define, name,
 * look handles up, come and go, while another one saves; what is in the archive is what was
 * recorded. Once the archive is written by the process itself, once it is rebuilt of a process that
 * ended while others recorded. Meant for ThreadSanitizer, too. */
#include "base/files/file_tree.h"
#include "record/archive/archive_space.h"
#include "record/capture/handles.h"
#include "record/rebuild/rebuild.h"
#include "record/session/session.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    THREADS = 8,
    CALLS = 4000, /* of each */
    GUESTS = 200, /* threads that come and go */
    GUEST_CALLS = 5,
    SAVED_EVERY = 20, /* calls */
    WORKERS = THREADS + GUESTS,
    NUMBER_BITS = 32
};

/* ---- a run of one process ---- */

static void nothing(void)
{
}

static void keep(void *data, size_t bytes, uint32_t root)
{
    (void)data, (void)bytes, (void)root;
}

static void copy(const void *in, void *out, size_t bytes, uint32_t root)
{
    (void)root;
    memcpy(out, in, bytes);
}

static void keep_values(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    (void)values, (void)count, (void)reduction;
}

/* Of a process whose others are played by processes of their own: it talks to nobody. */
static void receive_zeros(void *data, size_t bytes, uint32_t from)
{
    (void)from;
    memset(data, 0, bytes);
}

static void send_nowhere(const void *data, size_t bytes, uint32_t to)
{
    (void)data, (void)bytes, (void)to;
}

static void tell_folder(void *data, size_t bytes, uint32_t root);

static const struct fm_exchange alone = {.rank = 0,
                                         .size = 1,
                                         .barrier = nothing,
                                         .broadcast = keep,
                                         .gather = copy,
                                         .scatter = copy,
                                         .reduce = keep_values};

static const struct fm_paradigm_description description = {.otf2 = OTF2_PARADIGM_MPI,
                                                           .otf2_class =
                                                               OTF2_PARADIGM_CLASS_PROCESS,
                                                           .name = "Test",
                                                           .process = "Rank",
                                                           .last_call = "End"};
static const struct fm_function functions[] = {{"One", OTF2_REGION_ROLE_FUNCTION},
                                               {"Two", OTF2_REGION_ROLE_FUNCTION},
                                               {"End", OTF2_REGION_ROLE_FUNCTION}};
static uint32_t first_function;
static const struct fm_paradigm paradigm = {.description = &description,
                                            .count = sizeof functions / sizeof functions[0],
                                            .functions = functions,
                                            .first = &first_function};

#ifdef FERMATA_SANITIZED
enum { RANKS = 2, MANY = 70000 };
#else
enum { RANKS = 2, MANY = 120000 };
#endif

static struct fm_exchange one_of_several = {.size = RANKS,
                                            .barrier = nothing,
                                            .broadcast = tell_folder,
                                            .gather = copy,
                                            .scatter = copy,
                                            .reduce = keep_values,
                                            .send = send_nowhere,
                                            .receive = receive_zeros};

static struct fm_handle_map handles = FM_HANDLE_MAP(0);
static char folder[64];

static void tell_folder(void *data, size_t bytes, uint32_t root)
{
    (void)root;
    snprintf(data, bytes, "%s", folder);
}

/* A definition of this call's own, known to all, named, found and forgotten again. */
static uint32_t define(struct fm_thread *thread, uint64_t number)
{
    char name[32];
    static int object;
    int member = 0;
    uint32_t group = fm_session_group(OTF2_PARADIGM_MPI, &member, 1);
    snprintf(name, sizeof name, "name %u", (unsigned)(number % 97));
    const uint32_t words[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = FM_COMM_FROM_GROUP,
                                           [FM_COMM_PARADIGM] = OTF2_PARADIGM_MPI,
                                           [FM_COMM_A] = group,
                                           [FM_COMM_B] = (uint32_t)(number >> NUMBER_BITS),
                                           [FM_COMM_C] = (uint32_t)number,
                                           [FM_COMM_GROUP] = group,
                                           [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                           [FM_COMM_PARENT] = FM_DEFINE_NONE,
                                           [FM_COMM_NAME] = FM_DEFINE_NONE};
    uint32_t comm = fm_session_define(FM_DEFINE_COMM, words, FM_COMM_WORDS);
    fm_session_name(FM_DEFINE_COMM, comm, name);
    fm_handles_insert(&handles, number + 1, &object);
    assert_ptr_equal(fm_handles_find(&handles, thread, number + 1), &object);
    assert_ptr_equal(fm_handles_remove(&handles, number + 1), &object);
    assert_null(fm_handles_find(&handles, thread, number + 1));
    return comm;
}

/* One call of worker `worker`; its request number tells which. */
static void record_call(uint64_t worker, uint64_t i)
{
    uint64_t number = worker << NUMBER_BITS | i;
    struct fm_thread *thread = fm_thread_enter((uint32_t)(i & 1));
    if (thread == NULL) {
        return; /* recording is over */
    }
    uint32_t comm = i % 50 == 0 ? define(thread, number) : FM_DEFINE_NONE;
    uint64_t *r = fm_thread_leave(thread, FM_WORDS_ISEND_COMPLETE);
    r[0] = fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0);
    r[1] = number;
    if (comm != FM_DEFINE_NONE) {
        r = fm_thread_reserve(thread, FM_WORDS_COMM_CREATE);
        r[0] = fm_record_header(FM_RECORD_COMM_CREATE, 0, comm);
    }
    fm_thread_done(thread);
}

static void *work(void *worker)
{
    for (uint64_t i = 0; i < CALLS; i++) {
        record_call((uint64_t)(uintptr_t)worker, i);
    }
    return NULL;
}

static void *visit(void *worker)
{
    for (uint64_t i = 0; i < GUEST_CALLS; i++) {
        record_call((uint64_t)(uintptr_t)worker, i);
    }
    return NULL;
}

static void *invite(void *unused)
{
    for (uintptr_t i = 0; i < GUESTS; i++) {
        pthread_t guest;
        pthread_create(&guest, NULL, visit, (void *)(THREADS + i));
        pthread_join(guest, NULL);
    }
    return unused;
}

static _Atomic bool working;

static void *save(void *unused)
{
    while (working) {
        fm_session_save(false);
    }
    return unused;
}

/* The last call's records. */
static void record_end(struct fm_thread *thread, uint64_t time)
{
    fm_thread_leave_at(thread, time, 0);
}

/* When, in the last call, all have met, and what the processes do next; clock ticks, 0: not yet. */
static uint64_t met, next_exchange;
static bool watches;

static void meet(void)
{
    met = watches && met == 0 ? fm_clock_now() : met;
}

static void note_exchange(void)
{
    next_exchange = met != 0 && next_exchange == 0 ? fm_clock_now() : next_exchange;
}

static void note_gather(const void *in, void *out, size_t bytes, uint32_t root)
{
    note_exchange();
    copy(in, out, bytes, root);
}

static void note_reduction(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    note_exchange();
    keep_values(values, count, reduction);
}

static const struct fm_exchange watched = {.rank = 0,
                                           .size = 1,
                                           .barrier = meet,
                                           .broadcast = keep,
                                           .gather = note_gather,
                                           .scatter = copy,
                                           .reduce = note_reduction};

static void begin(const struct fm_exchange *exchange)
{
    /* One byte of memory: two chunks for each thread, flushed when they are full. */
    setenv("FERMATA_EXPERIMENT_DIRECTORY", folder, 1);
    setenv("FERMATA_TOTAL_MEMORY", "1", 1);
    setenv("FERMATA_FLUSH_INTERVAL", "0.001", 1);
    fm_session_begin(0, 0, NULL);
    assert_true(fm_session_attach(&paradigm));
    struct fm_thread *thread = fm_thread_enter(0);
    assert_true(fm_session_open(&paradigm, exchange, "none"));
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
}

/* ---- what is in the archive ---- */

static uint64_t next_call[WORKERS];
static uint64_t locations, calls, wrong, undefined, misnamed;
static uint32_t comms;
static OTF2_LocationRef all_locations[THREADS + 4];
static uint64_t last_number[RANKS];
static uint64_t left, ended; /* times of the last Leave and of the program's end */

/* Numbers in the names of strings and communicators: "comm 12"; 0: another name. */
static uint32_t string_numbers[4 * MANY], comm_numbers[2 * MANY];

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef string, const char *text)
{
    (void)data;
    if (string < sizeof string_numbers / sizeof string_numbers[0]) {
        unsigned number = 0;
        sscanf(text, "comm %u", &number);
        string_numbers[string] = number;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    (void)data, (void)name, (void)type, (void)events, (void)group;
    if (locations < sizeof all_locations / sizeof all_locations[0]) {
        all_locations[locations] = location;
    }
    locations++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef comm, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)data, (void)group, (void)parent, (void)flags;
    if (comm < sizeof comm_numbers / sizeof comm_numbers[0]) {
        comm_numbers[comm] = string_numbers[name];
    }
    comms++;
    return OTF2_CALLBACK_SUCCESS;
}

/* The calls of a worker come in order, none is missing. */
static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, uint64_t request)
{
    (void)time, (void)data, (void)attributes;
    last_number[location % RANKS] = request;
    uint64_t worker = request >> NUMBER_BITS, i = request & UINT32_MAX;
    calls++;
    if (worker >= WORKERS || next_call[worker] != i) {
        wrong++;
    } else {
        next_call[worker]++;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_CommRef comm)
{
    (void)time, (void)data, (void)attributes;
    undefined += comm >= comms;
    misnamed += comm >= comms || comm_numbers[comm] != last_number[location % RANKS];
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)location, (void)data, (void)attributes, (void)region;
    left = time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                OTF2_AttributeList *attributes, int64_t status)
{
    (void)location, (void)data, (void)attributes, (void)status;
    ended = time;
    return OTF2_CALLBACK_SUCCESS;
}

static void read_archive(void)
{
    char path[96];
    uint64_t count;
    memset(next_call, 0, sizeof next_call);
    locations = calls = wrong = undefined = misnamed = 0;
    comms = 0;
    snprintf(path, sizeof path, "%s/traces.otf2", folder);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    assert_non_null(reader);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReaderCallbacks *definitions = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(definitions, on_string);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(definitions, on_location);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(definitions, on_comm);
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, definitions, NULL);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count);
    assert_in_range(locations, 1, sizeof all_locations / sizeof all_locations[0]);
    for (uint32_t i = 0; i < locations; i++) {
        OTF2_Reader_SelectLocation(reader, all_locations[i]);
    }
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    for (uint32_t i = 0; i < locations; i++) {
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, all_locations[i]);
        OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
        OTF2_Reader_CloseDefReader(reader, local);
        OTF2_Reader_GetEvtReader(reader, all_locations[i]);
    }
    OTF2_GlobalEvtReaderCallbacks *events = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(events, on_complete);
    OTF2_GlobalEvtReaderCallbacks_SetCommCreateCallback(events, on_create);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(events, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetProgramEndCallback(events, on_end);
    OTF2_GlobalEvtReader *all = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, all, events, NULL);
    assert_int_equal(OTF2_Reader_ReadAllGlobalEvents(reader, all, &count), OTF2_SUCCESS);
    OTF2_GlobalDefReaderCallbacks_Delete(definitions);
    OTF2_GlobalEvtReaderCallbacks_Delete(events);
    OTF2_Reader_Close(reader);
}

/* ---- the tests ---- */

static int new_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/fermata-session-XXXXXX");
    return mkdtemp(folder) != NULL && rmdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return fm_remove_tree(folder);
}

/* A process ends while its threads record: everything up to some moment of each is there. */
static void a_process_that_ends_loses_nothing_before(void **state)
{
    (void)state;
    struct fm_rebuilt result;
    struct fm_error error = {""};
    int status;
    pid_t child = fork();
    if (child == 0) {
        pthread_t threads[THREADS], host;
        begin(&alone);
        for (uintptr_t i = 1; i < THREADS; i++) {
            pthread_create(&threads[i], NULL, work, (void *)i);
        }
        pthread_create(&host, NULL, invite, NULL);
        for (uint64_t i = 0; i < CALLS; i++) {
            record_call(0, i);
            if (i % SAVED_EVERY == 0) { /* while the others define */
                fm_session_save(true);
            }
        }
        fm_session_save(true);
        syscall(SYS_exit_group, 0); /* at once, whatever the others do */
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    fm_status_t rebuilt = fm_rebuild(folder, 0, &result, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(rebuilt, FM_OK);
    read_archive();
    assert_int_equal(wrong, 0);
    assert_int_equal(undefined, 0);
    assert_int_equal(next_call[0], CALLS); /* of the thread that saved */
}

/* What rank `rank` of the two does: the other way round than the other. */
static void define_many(uint32_t rank)
{
    one_of_several.rank = rank;
    begin(&one_of_several);
    for (uint64_t i = 0; i < MANY; i++) {
        char name[32];
        int members[RANKS] = {0, 1};
        uint32_t number = (uint32_t)(rank == 0 ? i : MANY - 1 - i);
        struct fm_thread *thread = fm_thread_enter(0);
        snprintf(name, sizeof name, "comm %u", number);
        uint32_t group = fm_session_group(OTF2_PARADIGM_MPI, members, RANKS);
        const uint32_t words[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = FM_COMM_FROM_GROUP,
                                               [FM_COMM_PARADIGM] = OTF2_PARADIGM_MPI,
                                               [FM_COMM_A] = group,
                                               [FM_COMM_B] = number,
                                               [FM_COMM_GROUP] = group,
                                               [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                               [FM_COMM_PARENT] = FM_DEFINE_NONE,
                                               [FM_COMM_NAME] = fm_session_string(name)};
        uint32_t comm = fm_session_define(FM_DEFINE_COMM, words, FM_COMM_WORDS);
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ISEND_COMPLETE + FM_WORDS_COMM_CREATE);
        r[0] = fm_record_header(FM_RECORD_ISEND_COMPLETE, 0, 0);
        r[1] = number;
        r[2] = fm_record_header(FM_RECORD_COMM_CREATE, 0, comm);
        fm_thread_done(thread);
    }
    fm_session_save(true);
    syscall(SYS_exit_group, 0);
}

/* Mappings that are longer than OTF2's smallest chunk, and are not the identity. */
static void many_definitions_find_their_names(void **state)
{
    (void)state;
    struct fm_rebuilt result;
    struct fm_error error = {""};
    int status;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        pid_t child = fork();
        if (child == 0) {
            define_many(rank);
        }
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    fm_status_t rebuilt = fm_rebuild(folder, 0, &result, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(rebuilt, FM_OK);
    read_archive();
    assert_int_equal(comms, MANY);
    assert_int_equal(calls, RANKS * MANY);
    assert_int_equal(misnamed, 0);
}

/* More definitions than an archive can have end recording; what was before is there. */
static void too_many_definitions_end_recording(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        begin(&alone);
        record_call(0, 0);
        for (uint32_t i = 0; i <= FM_ARCHIVE_ENTRIES_MOST; i++) {
            const uint32_t words[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = FM_COMM_SELF_LIKE,
                                                   [FM_COMM_PARADIGM] = OTF2_PARADIGM_MPI,
                                                   [FM_COMM_A] = i,
                                                   [FM_COMM_GROUP] = FM_DEFINE_NONE,
                                                   [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                                   [FM_COMM_PARENT] = FM_DEFINE_NONE,
                                                   [FM_COMM_NAME] = FM_DEFINE_NONE};
            fm_session_define(FM_DEFINE_COMM, words, FM_COMM_WORDS);
        }
        record_call(0, 1); /* in vain */
        fm_session_close(NULL, NULL, 0);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    read_archive();
    assert_in_range(comms, FM_ARCHIVE_ENTRIES_MOST, FM_ARCHIVE_ENTRIES_MOST + 2);
    assert_int_equal(next_call[0], 1);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    pthread_t threads[THREADS], host, saver;
    begin(&watched);
    working = true;
    pthread_create(&saver, NULL, save, NULL);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)i);
    }
    pthread_create(&host, NULL, invite, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_join(host, NULL);
    working = false;
    pthread_join(saver, NULL);
    watches = true;
    fm_session_close(fm_thread_enter(2), record_end, 2 + 1);
    read_archive();
    /* The last call does not contain what the recorder does at the end. */
    assert_in_range(left, met, next_exchange);
    assert_in_range(ended, left, next_exchange);
    assert_int_equal(wrong, 0);
    assert_int_equal(undefined, 0);
    assert_int_equal(calls, THREADS * CALLS + GUESTS * GUEST_CALLS);
    /* the main thread, the workers, and one place for all that came one after the other */
    assert_in_range(locations, 2, 1 + THREADS + 1);
    assert_null(fm_thread_enter(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_process_that_ends_loses_nothing_before, new_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(many_definitions_find_their_names, new_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(too_many_definitions_end_recording, new_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(nothing_is_lost, new_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
