/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait at explicit and implicit barriers of OpenMP [W02 3.4.5]: the threads of a team wait for the
 * one that enters the barrier last. The j-th barriers of all members of an instance of a team are
 * one barrier. Forks are points that all members share, too: what a thread does for the team begins
 * there. */
#include "analysis/dependencies/dependencies.h"
#include "analysis/pattern.h"
#include "analysis/threads/team_instances.h"
#include "analysis/threads/thread_starts.h"

static void add_point(const struct fm_finder *finder, uint32_t location,
                      const struct fm_team_instance *team, uint64_t t, uint32_t meeting)
{
    const struct fm_trace *trace = finder->analysis->trace;
    fm_found_group_point(finder, location,
                         &(struct fm_group_point){
                             .t = t,
                             .communicator = fm_team_community(trace, team->communicator),
                             .meeting = meeting & INT32_MAX,
                         });
}

/* The members of an instance begin with its fork. */
static void add_fork(const struct fm_finder *finder, const struct fm_teams *teams,
                     const struct fm_team_instance *team, uint32_t meeting)
{
    for (uint32_t m = 0; m < team->member_count; m++) {
        const struct fm_team_member *member = &teams->members.items[team->first_member + m];
        const uint32_t location = member->location;
        add_point(finder, location, team, team->fork, meeting);
        if (location != team->master) {
            if (finder->analysis->dependencies != NULL) {
                fm_depend_start(finder->analysis, location, member->record, team->master,
                                team->fork_record, FM_DEPENDS_ON_START);
            }
            fm_thread_starts_add(finder->analysis->thread_starts, finder->analysis->trace,
                                 (struct fm_thread_record_ref){team->master, team->fork_record},
                                 (struct fm_thread_record_ref){location, member->record});
        }
    }
}

/* Each thread depends on all others. */
static void depend(const struct fm_finder *finder, const struct fm_team_instance *team,
                   const struct fm_team_barrier *calls, uint64_t last)
{
    const struct fm_analysis *analysis = finder->analysis;
    fm_junction_begin(analysis, finder->worker,
                      fm_trace_process(analysis->trace, calls[0].location));
    for (uint32_t i = 0; i < team->member_count; i++) {
        fm_junction_add(
            analysis, finder->worker,
            fm_awaited_enter((struct fm_call_ref){calls[i].location, calls[i].activity}));
    }
    const struct fm_awaited all = fm_junction_end(analysis, finder->worker);
    for (uint32_t i = 0; i < team->member_count; i++) {
        fm_depend_in_stretch(analysis, finder->worker,
                             (struct fm_call_ref){calls[i].location, calls[i].activity}, all, last,
                             FM_DEPENDS_ON_TEAM_BARRIER);
    }
}

/* A barrier of all members of a team; `calls` ascend by location. */
static void add_barrier(const struct fm_finder *finder, const struct fm_team_instance *team,
                        const struct fm_team_barrier *calls, uint32_t meeting)
{
    const struct fm_analysis *analysis = finder->analysis;
    const struct fm_team_barrier *last = &calls[0];
    for (uint32_t i = 1; i < team->member_count; i++) {
        last = calls[i].enter > last->enter ? &calls[i] : last;
    }
    if (analysis->dependencies != NULL) {
        depend(finder, team, calls, last->enter);
    }
    for (uint32_t i = 0; i < team->member_count; i++) {
        const struct fm_location *location = &analysis->trace->locations[calls[i].location];
        const uint32_t activity = fm_stretch_at(location, calls[i].activity, last->enter);
        const fm_metric_t own = analysis->own_metrics[fm_trace_region(location, activity)];
        add_point(finder, calls[i].location, team, last->enter, meeting);
        fm_found_wait(finder, (struct fm_call_ref){calls[i].location, activity}, last->enter,
                      (struct fm_call_ref){last->location, last->activity},
                      own == FM_METRIC_OMP_IBARRIER ? FM_METRIC_OMP_IBARRIER_WAIT
                                                    : FM_METRIC_OMP_EBARRIER_WAIT);
    }
}

static void find_in_process(const struct fm_finder *finder, const struct fm_teams *teams)
{
    for (size_t i = 0; i < teams->instances.count; i++) {
        if (teams->instances.items[i].master != FM_NONE) {
            add_fork(finder, teams, &teams->instances.items[i], (uint32_t)i);
        }
    }
    for (size_t begin = 0, end; begin < teams->barriers.count; begin = end) {
        const struct fm_team_barrier *calls = &teams->barriers.items[begin];
        const struct fm_team_instance *team = &teams->instances.items[calls->team];
        end = begin + 1;
        while (end < teams->barriers.count && teams->barriers.items[end].team == calls->team &&
               teams->barriers.items[end].ordinal == calls->ordinal) {
            end++;
        }
        if (end - begin == team->member_count) {
            add_barrier(finder, team, calls, (uint32_t)(teams->instances.count + begin));
        } else {
            atomic_fetch_add(&finder->analysis->omissions.incomplete_barriers, 1);
        }
    }
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_trace *trace = finder.analysis->trace;
    struct fm_teams teams = {0};
    finder.worker = worker;
    for (uint32_t process = first; process < last; process++) {
        fm_teams_find(trace, process, &teams);
        find_in_process(&finder, &teams);
    }
    fm_teams_free(&teams);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find, &own);
}

const struct fm_pattern fm_pattern_team_barrier = {
    .name = "Wait at OpenMP barrier",
    .detect = detect,
    .of_threads = true,
};
