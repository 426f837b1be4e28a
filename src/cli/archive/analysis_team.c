/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/analysis_team.h"

#include "base/process/launcher.h"
#include "engine/team/transport_load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that the MPI library gets to end all processes when there is no other: not so much that
 * the system would take it back. */
#define RESERVE ((size_t)96 << 10)

static struct {
    bool joining;                   /* or joined */
    struct fm_transport *transport; /* NULL: not yet joined */
    void *reserve;
} membership;

const char *fm_team_library(const char *choice)
{
    struct fm_launch launch = fm_launch_read();
    if (choice != NULL) {
        return strcmp(choice, "none") == 0 ? NULL : choice;
    }
    return launch.size > 1 ? launch.library : NULL;
}

static fm_status_t refuse_library(const char *library, struct fm_launch launch,
                                  struct fm_error *error)
{
    return fm_fail(error, FM_ERR_USAGE,
                   "%s does not know the other %u processes: their launcher belongs to another "
                   "MPI library; choose that one with --mpi",
                   library, launch.size - 1);
}

fm_status_t fm_team_check_library(const char *choice, struct fm_error *error)
{
    struct fm_launch launch = fm_launch_read();
    const char *library = fm_team_library(choice);
    bool is_refused =
        library != NULL && launch.size > 1 && launch.is_own && strcmp(library, launch.library) != 0;
    return is_refused ? refuse_library(library, launch, error) : FM_OK;
}

bool fm_team_speaks(void)
{
    return fm_launch_read().local_rank == 0;
}

/* At exit: this process has to end, mostly because memory is exhausted. */
static void abandon_team(void)
{
    free(membership.reserve);
    if (membership.transport != NULL) {
        membership.transport->calls->abandon(membership.transport, FM_ERR_SYSTEM);
    }
}

/* Behind abandon_team(), in which the MPI library may exit in its own way. */
static void end_as_failed(void)
{
    if (membership.joining) {
        _exit(FM_ERR_SYSTEM);
    }
}

static void prepare_for_the_worst(void)
{
    membership.reserve = malloc(RESERVE);
    if (membership.reserve != NULL) {
        memset(membership.reserve, 1, RESERVE);
    }
    membership.joining = atexit(end_as_failed) == 0 && atexit(abandon_team) == 0;
}

fm_status_t fm_team_join(const char *library, struct fm_team **team, struct fm_error *error)
{
    struct fm_transport *transport;
    struct fm_launch launch = fm_launch_read();
    *team = NULL;
    if (library == NULL) {
        return FM_OK;
    }
    prepare_for_the_worst();
    fm_status_t status = fm_transport_load(library, &transport, error);
    if (status != FM_OK) {
        membership.joining = false;
        return status;
    }
    membership.transport = transport;
    *team = fm_team_create(transport);
    if (transport->count == 1 && launch.size > 1) {
        fm_team_leave(*team);
        *team = NULL;
        return refuse_library(library, launch, error);
    }
    return FM_OK;
}

void fm_team_leave(struct fm_team *team)
{
    if (team != NULL) {
        /* Launchers end all processes as soon as one exits with a status: not before process 0 has
         * told why. */
        fm_team_largest(team, 0);
        fm_team_free(team);
        membership.transport->calls->close(membership.transport);
        membership.transport = NULL;
        membership.joining = false;
    }
}
