/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata doctor: what works on this machine and for this program, and how to mend the rest. */
#include "cli/doctor/doctor.h"

#include "base/error.h"
#include "base/process/installed.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"
#include "record/capture/clock.h"
#include "record/cuda/cupti_profiler.h"
#include "record/known_libraries.h"
#include "record/marks/mark_kinds.h"
#include "record/sampling/obtained_rate.h"
#include "record/sampling/sample_clock.h"
#include "record/sampling/sample_rate.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Whether our file for a library can be loaded, which proves that the library is there and fits. */
static bool look_for_file(const char *file, const char *name)
{
    char path[PATH_MAX];
    if (fm_find_library(file, path, sizeof path, NULL) != FM_OK) {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "if you use it: install its compiler wrapper and build fermata again",
                         "%s: %s is missing", name, file);
        return false;
    }
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL) == NULL) {
        fm_doctor_report(
            FM_HEALTH_WARNING,
            "if you use it: load its module or set LD_LIBRARY_PATH, as for the program", "%s: %s",
            name, dlerror());
        return false;
    }
    return true;
}

/* @return whether programs can be recorded */
static bool look_at_libraries(void)
{
    bool any = false;
    for (size_t i = 0; i < fm_paradigm_library_count; i++) {
        const struct fm_paradigm_library *library = &fm_paradigm_libraries[i];
        if (look_for_file(library->wrappers, library->title)) {
            fm_doctor_report(FM_HEALTH_GOOD, NULL, "%s: programs that use it can be recorded",
                             library->title);
            any = true;
        }
    }
    return any;
}

/* The libraries by which the processes of an analysis exchange data. */
static void look_at_engines(void)
{
    static const struct {
        const char *file, *name;
    } engines[] = {{"libfermata-engine-openmpi.so", "Open MPI"},
                   {"libfermata-engine-mpich.so", "MPICH"}};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (look_for_file(engines[i].file, engines[i].name)) {
            fm_doctor_report(FM_HEALTH_GOOD, NULL,
                             "%s: its processes can analyse together (mpirun fermata analyze)",
                             engines[i].name);
        }
    }
}

/* The program that looks up function names (src/symbols). */
static void look_for_symbols(void)
{
    char path[PATH_MAX];
    if (fm_find_library("fermata-symbols", path, sizeof path, NULL) != FM_OK ||
        access(path, X_OK) != 0) {
        fm_doctor_report(FM_HEALTH_WARNING, "install fermata again",
                         "fermata-symbols is missing: functions in call paths have no names");
    }
}

static void look_at_installation(void)
{
    char path[PATH_MAX];
    if (fm_find_library("libfermata-preload.so", path, sizeof path, NULL) != FM_OK) {
        fm_doctor_report(FM_HEALTH_BAD, "install fermata again",
                         "libfermata-preload.so is missing");
        return;
    }
    if (!look_at_libraries()) {
        fm_doctor_report(FM_HEALTH_BAD, "install one of the libraries above",
                         "no library can be recorded");
    }
    look_at_engines();
    look_for_symbols();
}

static void look_at_clock(void)
{
    fm_clock_start(0, 0);
    if (fm_clock.counter) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL, "clock: time-stamp counter, invariant, %.0f MHz",
                         (double)fm_clock_resolution() / 1e6);
    } else if (fm_clock.doubted) {
        fm_doctor_report(
            FM_HEALTH_WARNING,
            "ask the administrator why, see the kernel's log; each reading costs more",
            "clock: CLOCK_MONOTONIC_RAW, for the kernel has found the time-stamp counter "
            "to be unstable");
    } else {
        fm_doctor_report(
            FM_HEALTH_WARNING,
            "nothing to do; each reading costs more where the system has to be asked",
            "clock: CLOCK_MONOTONIC_RAW, for there is no invariant time-stamp counter");
    }
}

/* The clock of samples is tried; the highest rate of CPU timers is derived, not measured: they fire
 * at ticks. */
static void look_at_samples(void)
{
    int reason = fm_sample_clock_try_perf();
    uint32_t ticks = fm_system_ticks();
    if (reason == 0) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "samples: " FM_SAMPLED_BY_PERF
                         ", kernel mode included, up to %d a second for a thread",
                         FM_SAMPLE_RATE_DEFAULT);
    } else if (ticks != 0) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "samples: " FM_SAMPLED_BY_TIMERS
                         ", at most %u a second for a thread (the system's tick, by the resolution "
                         "of CLOCK_MONOTONIC_COARSE); perf_event_open, which could give more, does "
                         "not sample in kernel mode here: %s",
                         ticks, strerrordesc_np(reason));
    } else {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "samples: " FM_SAMPLED_BY_TIMERS
                         "; the highest rate is not known, for CLOCK_MONOTONIC_COARSE does not "
                         "have the resolution of a tick");
    }
}

static void look_at_counters(void)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int level = 4;
    if (file == NULL) {
        fm_doctor_report(FM_HEALTH_WARNING, "ask the administrator for a kernel with perf events",
                         "hardware counters: the kernel has none");
        return;
    }
    if (fscanf(file, "%d", &level) != 1) {
        level = 4;
    }
    fclose(file);
    if (level <= 2 || geteuid() == 0) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "hardware counters: allowed (perf_event_paranoid %d)", level);
    } else {
        fm_doctor_report(FM_HEALTH_WARNING, "sysctl kernel.perf_event_paranoid=2",
                         "hardware counters: not allowed (perf_event_paranoid %d)", level);
    }
}

/* What `record --gpu` needs. Whether CUDA then lets a tool attach is known in a program only. */
static void look_at_accelerators(void)
{
    struct fm_cupti cupti;
    struct fm_cupti_profiler profiler;
    char reason[512];
    if (!fm_cuda_driver_is_installed()) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL, /* nothing is wrong with a machine without one */
                         "accelerators: " FM_CUDA_NO_DRIVER);
    } else if (!fm_cupti_load(&cupti, reason, sizeof reason)) {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "only if programs use GPUs: load the module of CUDA or set CUDA_HOME",
                         "accelerators: %s", reason);
    } else {
        fm_doctor_report(
            FM_HEALTH_GOOD, NULL, "accelerators: CUPTI version %u (%s), for fermata record --gpu%s",
            cupti.version, cupti.path,
            fm_cupti_profiler_load(&cupti, &profiler, reason, sizeof reason)
                ? ", --gpu=metrics too where the device and its administrator permit it"
                : "; --gpu=metrics needs that of CUDA 12.6 Update 2");
    }
}

/* Marks that programs carry. Whether a program has some is known when it runs. */
static void look_at_marks(void)
{
    char library[PATH_MAX];
    if (fm_find_library(FM_MARKS_LIBRARY, library, sizeof library, NULL) != FM_OK) {
        fm_doctor_report(FM_HEALTH_WARNING, "install fermata again", "marks: %s is missing",
                         FM_MARKS_LIBRARY);
        return;
    }
    for (int i = 0; i < FM_MARK_KINDS; i++) {
        const struct fm_mark_kind_facts *kind = &fm_mark_kinds[i];
        const char *named = kind->variable != NULL ? getenv(kind->variable) : NULL;
        if (named != NULL && named[0] != '\0') {
            fm_doctor_report(FM_HEALTH_WARNING, "unset it, if the other tool is not needed",
                             "marks of %s: not recorded, for %s names %s", kind->title,
                             kind->variable, named);
        } else {
            fm_doctor_report(
                FM_HEALTH_GOOD, NULL, "marks of %s: recorded%s%s%s, %s", kind->title,
                kind->by_default ? "" : " with --marks=", kind->by_default ? "" : kind->name,
                kind->by_default ? " if the program has them" : "", kind->way);
        }
    }
}

static void look_at_resources(void)
{
    enum { LITTLE = 1 << 30 };
    struct statvfs disk;
    const char *remedy = "record to another folder with -o";
    if (access(".", W_OK) != 0) {
        fm_doctor_report(FM_HEALTH_BAD, remedy, "the working directory cannot be written to: %m");
    } else if (statvfs(".", &disk) == 0) {
        double bytes = (double)disk.f_bavail * (double)disk.f_frsize;
        bool full = (disk.f_flag & ST_RDONLY) != 0 || disk.f_bavail == 0;
        fm_doctor_report(full             ? FM_HEALTH_BAD
                         : bytes < LITTLE ? FM_HEALTH_WARNING
                                          : FM_HEALTH_GOOD,
                         full || bytes < LITTLE ? remedy : NULL,
                         "disk: %.1f GB free in the working directory", bytes / 1e9);
    }
    double memory = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    bool scarce = memory < LITTLE;
    fm_doctor_report(scarce ? FM_HEALTH_WARNING : FM_HEALTH_GOOD,
                     scarce ? "record with a smaller --memory" : NULL,
                     "memory: %.1f GB free; a process takes 16 MiB for its events", memory / 1e9);
}

int fm_command_doctor(int argc, char **argv)
{
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_doctor, argc, argv);
    int option = fm_options_next(&reader);
    if (option != FM_OPTIONS_END) {
        return fm_options_stop(&reader, option);
    }
    if (!fm_options_operands(&reader, 0, 1, "one program without launcher and arguments")) {
        return fm_options_complain(&reader);
    }
    look_at_installation();
    look_at_clock();
    look_at_samples();
    look_at_counters();
    look_at_accelerators();
    look_at_marks();
    look_at_resources();
    fm_doctor_buffers();
    if (reader.operand_count > 0) {
        fm_doctor_program(reader.operands[0]);
    }
    return fm_doctor_conclude() ? FM_OK : FM_ERR_FAILED;
}
