/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/team/transport_load.h"

#include "base/memory.h"
#include "base/process/installed.h"
#include "base/process/launcher.h"
#include "engine/team/transport_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* MPI libraries and the libraries below them print long reports of a crash. The parent of this
 * process reports it in one line (OTF2's reader can crash on a damaged archive). */
static void silence_crash_reports(void)
{
    setenv("OMPI_MCA_opal_signal", "", 0);
    setenv("UCX_ERROR_SIGNALS", "", 0);
}

/* Open MPI takes 0.2 s to search for networks between machines. Settings of the user prevail. */
static void spare_search_for_networks(void)
{
    if (fm_launch_read().all_are_here) {
        setenv("OMPI_MCA_pml", "ob1", 0);
    }
}

fm_status_t fm_transport_load(const char *library, struct fm_transport **transport,
                              struct fm_error *error)
{
    static const struct fm_transport_memory memory = {fm_resize, fm_free};
    char name[64], path[PATH_MAX];
    snprintf(name, sizeof name, "libfermata-engine-%s.so", library);
    fm_status_t status = fm_find_library(name, path, sizeof path, error);
    if (status != FM_OK) {
        return status;
    }
    silence_crash_reports();
    spare_search_for_networks();
    /* Open MPI loads plugins, which resolve its symbols in the global scope. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (module == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot load the module for this MPI library: %s",
                       dlerror());
    }
    fm_transport_open_t *open = (fm_transport_open_t *)dlsym(module, FM_TRANSPORT_OPEN);
    if (open == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s is of another version of fermata", path);
    }
    return open(&memory, transport, error);
}
