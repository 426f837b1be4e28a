/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP runtimes that cannot be recorded, or not wholly. */
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

/* What a program defines of the runtimes and their tools interface. */
struct defined {
    bool gcc, llvm, tool;
};

static void note(void *context, const char *name, bool defined)
{
    struct defined *there = context;
    if (defined) {
        there->gcc |= strcmp(name, "GOMP_parallel") == 0;
        there->llvm |= strcmp(name, "__kmpc_fork_call") == 0;
        there->tool |= strcmp(name, "ompt_start_tool") == 0;
    }
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* Runtimes with a tools interface have one tool: that of the recorder, or another one. */
static void look_at_tools(const char *path, bool has_tool)
{
    const char *tools = getenv("OMP_TOOL");
    if (tools != NULL && strcmp(tools, "disabled") == 0) {
        fm_doctor_report(FM_HEALTH_WARNING, "unset OMP_TOOL",
                         "OMP_TOOL is `disabled`: of OpenMP in %s, only locks and critical and "
                         "ordered constructs are recorded",
                         path);
    } else if (has_tool || is_set("OMP_TOOL_LIBRARIES")) {
        fm_doctor_report(FM_HEALTH_WARNING,
                         has_tool ? "build it without the tool" : "unset OMP_TOOL_LIBRARIES",
                         "%s has a tool of its own for OpenMP: only locks and critical and ordered "
                         "constructs are recorded",
                         path);
    }
}

void fm_doctor_openmp(const char *path, const struct fm_elf *elf, const char *libraries)
{
    struct defined there = {.gcc = false};
    fm_elf_visit_symbols(elf, note, &there);
    if (there.gcc) {
        fm_doctor_report(FM_HEALTH_WARNING, "link it with the shared libgomp",
                         "GCC's OpenMP runtime is linked statically into %s: its constructs and "
                         "locks are not recorded, its threads are",
                         path);
    }
    if (there.llvm) {
        fm_doctor_report(FM_HEALTH_WARNING, "link it with the shared libomp or libiomp5",
                         "LLVM's or Intel's OpenMP runtime is linked statically into %s: its locks "
                         "and critical and ordered constructs are not recorded",
                         path);
    }
    if (strstr(libraries, "libomp.") != NULL || strstr(libraries, "libomp5") != NULL ||
        strstr(libraries, "libomp-") != NULL || strstr(libraries, "libiomp5") != NULL) {
        look_at_tools(path, there.tool);
    }
}
