#include "record/mpi/inside/hook_connection.h"

#include "counters/catalogue.h"
#include "record/capture/clock.h"
#include "record/counting/library_counters.h"
#include "record/hooks/hooks.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Versions of Open MPI that the tests have run with. */
static const char *const tested[] = {"Open MPI v4.1.4"};

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
#define FM_HOOKED(symbol, counter, words, tier, how) {#counter, how, FM_TIER_##tier},
#include "record/hooks/hooked.def"
#undef FM_HOOKED
};

static bool is_tested(const char *version)
{
    bool found = false;
    for (size_t i = 0; !found && i < sizeof tested / sizeof tested[0]; i++) {
        size_t length = strlen(tested[i]);
        found = strncmp(version, tested[i], length) == 0 &&
                (version[length] == ',' || version[length] == '\0');
    }
    return found;
}

/* Why the hooks cannot count; NULL: they can. */
static const char *obstacle(const char *version, uint32_t size)
{
    static char reason[160];
    void *connect_symbol = dlsym(RTLD_DEFAULT, FM_HOOKS_CONNECT);
    void *arrived_symbol = dlsym(RTLD_DEFAULT, FM_HOOKS_ARRIVED);
    fm_hooks_arrived_t *arrived = (fm_hooks_arrived_t *)(uintptr_t)arrived_symbol;
    connect = (fm_hooks_connect_t *)(uintptr_t)connect_symbol;
    if (connect == NULL || arrived == NULL) {
        return "the library of hooks is not loaded";
    }
    if (!is_tested(version)) {
        snprintf(reason, sizeof reason, "hooks are tested with %s only, this is %.*s", tested[0],
                 (int)strcspn(version, ",\n"), version);
        for (char *c = reason; (c = strchr(c, '\t')) != NULL;) {
            *c = ' ';
        }
        return reason;
    }
    if (size > 1 && arrived() == 0) {
        return "the library does not call the functions that are hooked: messages go another way "
               "than its component ob1";
    }
    return NULL;
}

static bool is_asked(const char *name)
{
    return fm_library_counter_selected(name);
}

static void add_counters(const char *reason)
{
    for (size_t i = 0; i < FM_HOOKED_COUNT; i++) {
        const char *name = counters[i].name;
        if (reason != NULL && fm_library_spc_named(name)) {
            fm_library_spc_add(name, fm_library_spc_kind(name), FM_TIER_UNAVAILABLE, reason);
        } else if (reason == NULL && is_asked(name)) {
            uint32_t slot = fm_library_spc_add(name, fm_library_spc_kind(name), counters[i].tier,
                                               counters[i].how);
            places.words[i] = slot != 0 ? fm_library_counter_word(slot) : NULL;
        }
    }
}

void fm_hooks_begin(const char *version, uint32_t rank, uint32_t size)
{
    const char *wish = getenv("FERMATA_HOOKS");
    if (wish == NULL || strcmp(wish, "1") != 0 || fm_counters_asked() == NULL) {
        return;
    }
    const char *reason = obstacle(version, size);
    add_counters(reason);
    if (reason == NULL) {
        fm_library_boundaries(&places.message_boundary, &places.communicator_boundary);
        connect(&places);
    } else if (rank == 0) {
        dprintf(STDERR_FILENO, "fermata: --hooks: no hooks: %s\n", reason);
    }
}

void fm_hooks_end(void)
{
    if (connect != NULL) {
        connect(NULL);
    }
}
