/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/hook_connection.h"

#include "counters/catalogue.h"
#include "record/capture/clock.h"
#include "record/counting/library_counters.h"
#include "record/experiment/kept_variables.h"
#include "record/hooks/hooks.h"
#include "record/mpi/inside/library_name.h"
#include "record/mpi/inside/unexpected_queue.h"
#include "record/mpi/wrap.h"

#include <ctype.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Libraries that the tests have run with. */
static const struct tested {
    const char *version; /* first words of MPI_Get_library_version */
    const char *part;    /* that is in it, too */
    enum fm_hooked_way way;
    const char *other_way; /* why hooks cannot count if no message takes this way */
} tested[] = {
    {"Open MPI v4.1.4", "", FM_HOOKED_OB1,
     "the library does not call the functions that are hooked: messages go another way than its "
     "component ob1"},
    {"MPICH Version: 4.0.2", "ch4:ucx", FM_HOOKED_UCX,
     "the library does not call the functions that are hooked: messages go another way than UCX"},
};

static fm_hooks_connect_t *connect;

static uint64_t now(void)
{
    return fm_clock_now();
}

static int type_size(void *type)
{
    int size = 0;
    MPI_Datatype handle;
    memcpy(&handle, &type, sizeof handle);
    PMPI_Type_size(handle, &size);
    return size;
}

static int comm_size(void *comm)
{
    int size = 0;
    MPI_Comm handle;
    memcpy(&handle, &comm, sizeof handle);
    PMPI_Comm_size(handle, &size);
    return size;
}

static struct fm_hook_places places = {.now = now, .type_size = type_size, .comm_size = comm_size};

static const struct {
    const char *name, *how;
    uint32_t tier;
} counters[] = {
#define FM_HOOKED(symbol, counter, words, tier, how) {counter, how, FM_TIER_##tier},
#include "record/hooks/hooked.def"
#undef FM_HOOKED
};

/* @return the library; NULL: hooks are not tested with it */
static const struct tested *tested_library(const char *version)
{
    char words[1024];
    fm_library_words(words, sizeof words, version, strlen(version));
    for (size_t i = 0; i < sizeof tested / sizeof tested[0]; i++) {
        size_t length = strlen(tested[i].version);
        if (strncmp(words, tested[i].version, length) == 0 && words[length] != '.' &&
            !isalnum((unsigned char)words[length]) && strstr(words, tested[i].part) != NULL) {
            return &tested[i];
        }
    }
    return NULL;
}

/* Why the hooks cannot count; NULL: they can. */
static const char *obstacle(const char *version, uint32_t size)
{
    static char reason[160];
    char name[FM_LIBRARY_NAME];
    void *connect_symbol = dlsym(RTLD_DEFAULT, FM_HOOKS_CONNECT);
    void *arrived_symbol = dlsym(RTLD_DEFAULT, FM_HOOKS_ARRIVED);
    void *missing_symbol = dlsym(RTLD_DEFAULT, FM_HOOKS_MISSING);
    fm_hooks_arrived_t *arrived = (fm_hooks_arrived_t *)(uintptr_t)arrived_symbol;
    fm_hooks_missing_t *missing = (fm_hooks_missing_t *)(uintptr_t)missing_symbol;
    const struct tested *library = tested_library(version);
    connect = (fm_hooks_connect_t *)(uintptr_t)connect_symbol;
    if (connect == NULL || arrived == NULL || missing == NULL) {
        return "the library of hooks is not loaded";
    }
    if (library == NULL) {
        snprintf(reason, sizeof reason, "hooks are tested with %s and MPICH 4.0.2 only, this is %s",
                 tested[0].version, fm_library_name(name, version));
        return reason;
    }
    places.way = library->way;
    if (size > 1 && arrived((int)library->way) == 0) {
        return library->other_way;
    }
    const char *function = missing((int)library->way);
    if (function != NULL) {
        snprintf(reason, sizeof reason, "the library has no function %s, which is hooked",
                 function);
    }
    return function != NULL ? reason : NULL;
}

static bool sees_queue; /* fm_unexpected_queue_open() */

static bool is_asked(const char *name)
{
    return fm_library_counter_selected(name);
}

/* Why the hooks in the library of the process do not have a counter; NULL: they have it. */
static const char *lack_of(size_t counter)
{
    if (places.way != FM_HOOKED_OB1) {
        return counter == FM_HOOKED_SENT_INSIDE || counter == FM_HOOKED_RECEIVED_INSIDE
                   ? NULL
                   : "hooks in MPICH count its own bytes only";
    }
    return counter == FM_HOOKED_UNEXPECTED_IN_QUEUE_MOST && places.unexpected_length == NULL
               ? "the library does not have the variable pml_ob1_unexpected_msgq_length"
               : NULL;
}

/* The counter that has the reason why hooks do not count if the list names none of those that lack:
 * one row of what is unavailable in place of fifty with the same reason. */
static const char in_place_of_all[] = "EAGER_MESSAGES";

static bool has_reason(const char *name)
{
    return fm_library_spc_named(name) || (strcmp(name, in_place_of_all) == 0 && is_asked(name));
}

/* How exact a counter is in this process. The queue may grow between a thread's look at it and its
 * receive if another thread takes messages in. */
static uint32_t tier_of(size_t counter)
{
    bool is_least = (counter == FM_HOOKED_UNEXPECTED_IN_QUEUE_MOST && fm_mpi_is_threaded()) ||
                    (counter == FM_HOOKED_UNEXPECTED && !sees_queue);
    return is_least ? FM_TIER_HOOK_LEAST : counters[counter].tier;
}

static void add_counters(const char *reason)
{
    for (size_t i = 0; i < FM_HOOKED_COUNT; i++) {
        const char *name = counters[i].name;
        const char *lack = reason != NULL ? reason : lack_of(i);
        if (lack != NULL && has_reason(name)) {
            fm_library_spc_add(name, fm_library_spc_kind(name), FM_TIER_UNAVAILABLE, lack);
        } else if (lack == NULL && is_asked(name)) {
            uint32_t slot =
                fm_library_spc_add(name, fm_library_spc_kind(name), tier_of(i), counters[i].how);
            places.words[i] = slot != 0 ? fm_library_counter_word(slot) : NULL;
        }
    }
}

void fm_hooks_begin(const char *version, uint32_t rank, uint32_t size)
{
    const char *wish = fm_variable("FERMATA_HOOKS");
    if (wish == NULL || strcmp(wish, "1") != 0 || fm_counters_asked() == NULL) {
        return;
    }
    const char *reason = obstacle(version, size);
    if (reason == NULL && places.way == FM_HOOKED_OB1) {
        /* Each receive then asks for the messages of each rank: it must be named. */
        bool is_longest_named = fm_library_spc_named("MAX_UNEXPECTED_IN_QUEUE");
        sees_queue = (is_longest_named || is_asked("UNEXPECTED")) && fm_unexpected_queue_open();
        places.unexpected_length =
            is_longest_named && sees_queue ? fm_unexpected_queue_length : NULL;
    }
    add_counters(reason);
    if (reason == NULL) {
        fm_library_boundaries(&places.message_boundary, &places.communicator_boundary);
        connect(&places);
    } else if (rank == 0) {
        dprintf(STDERR_FILENO, "fermata: --hooks: no hooks: %s\n", reason);
    }
}

/* Messages that no receive has taken are in the queue at the end. */
static void look_at_rest(void)
{
    uint64_t *most = places.words[FM_HOOKED_UNEXPECTED_IN_QUEUE_MOST];
    uint64_t *unexpected = places.words[FM_HOOKED_UNEXPECTED];
    struct fm_unexpected_rest rest = fm_unexpected_queue_rest();
    if (most != NULL && rest.longest > __atomic_load_n(most, __ATOMIC_RELAXED)) {
        __atomic_store_n(most, rest.longest, __ATOMIC_RELAXED);
    }
    if (unexpected != NULL) {
        __atomic_add_fetch(unexpected, rest.messages, __ATOMIC_RELAXED);
    }
}

void fm_hooks_end(void)
{
    if (connect != NULL) {
        look_at_rest();
        connect(NULL);
        fm_unexpected_queue_close();
    }
}
