#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cases of OpenMP and POSIX threads, derived by hand from the rules, and properties on random programs
of threads."""

import fractions
import glob
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]

import check_expectations
import composition
import generate
import metrics
import scenario_file
import severities
import share
import timeline
from simulation import THREAD_FOCUSES
from test_reference import ReferenceTest

PARALLEL = "!$omp parallel @a.c:5"


def split(text):
    """Lines `TIME LOCATION EVENT`, several in a line apart by `;`."""
    return [part.strip() for line in text.splitlines() for part in line.split(";") if part.strip()]


def member(loc, begin, *calls, end, team="t"):
    """A member of a team, with calls (region, enter, leave)."""
    lines = ["%s %s team_begin %s" % (begin, loc, team), "%s %s enter %s" % (begin, loc, PARALLEL)]
    for region, enter, leave in calls:
        lines += ["%s %s enter %s" % (enter, loc, region), "%s %s leave %s" % (leave, loc, region)]
    return lines + ["%s %s leave %s" % (end, loc, PARALLEL), "%s %s team_end %s" % (end, loc, team)]


class ThreadTest(ReferenceTest):
    def evaluate(self, header, *locations):
        super().evaluate(header, *locations)
        scenario = scenario_file.parse_scenario(
            "\n".join(["unit 1"] + header + [line for lines in locations for line in lines]))
        self.times = timeline.Timeline(scenario)
        self.formation = severities.compute_formation(self.times, severities.compute(self.times))

    def assert_formation(self, expected, metric, path, loc):
        value = self.formation[metric].get((tuple(path.split("|")),
                                            scenario_file.parse_location(str(loc))), 0)
        if not metric.startswith("wait_count"):
            value /= scenario_file.TICKS_PER_UNIT
        self.assertAlmostEqual(expected, float(value), 9, (metric, path, loc))


class TeamTest(ThreadTest):
    HEADER = ["ranks 1 threads 3", "team t 0.0 0.1", "team all 0.0 0.1 0.2"]

    def test_barriers_wait_for_the_last_of_the_instance(self):
        self.evaluate(self.HEADER, ["0 0 enter main", "1 0 fork 2"],
                      member(0, 1, ("!$omp barrier", 3, 6), ("!$omp implicit barrier", 7, 10),
                             end=10),
                      ["10 0 join"],
                      member(0, 11, ("!$omp implicit barrier", 12, 14), end=14),
                      ["15 0 leave main"],
                      member(0.1, 1, ("!$omp barrier", 5, 6), ("!$omp implicit barrier", 9.5, 10),
                             end=10),
                      member(0.1, 11, ("!$omp implicit barrier", 11, 14), end=14))
        self.assert_value(2, "omp_ebarrier_wait", "*", 0)
        self.assert_value(1 + 1, "omp_ebarrier", "*")
        self.assert_value(2.5, "omp_ibarrier_wait", "*", 0)
        self.assert_value(1, "omp_ibarrier_wait", "*", 0.1)
        self.assert_value(0.5 + 2 + 0.5 + 2, "omp_ibarrier")

    def test_a_barrier_that_lacks_a_member_is_left_out(self):
        self.evaluate(self.HEADER, member(0, 1, ("!$omp barrier", 2, 4), end=5),
                      ["1 0.1 team_begin t", "3 0.1 enter foo"])
        self.assert_value(0, "omp_ebarrier_wait")
        self.assert_value(2, "omp_ebarrier")

    def test_members_are_those_that_begin(self):
        """Thread 2 belongs to the team, but not to this instance; nested teams are their own."""
        inner = ["team inner 0.1 0.2"]
        self.evaluate(self.HEADER + inner,
                      member(0, 0, ("!$omp barrier", 1, 9), end=10, team="all"),
                      split("""0 0.1 team_begin all; 2 0.1 team_begin inner
                               3 0.1 enter !$omp barrier; 6 0.1 leave !$omp barrier
                               6 0.1 team_end inner; 8 0.1 enter !$omp barrier
                               9 0.1 leave !$omp barrier; 9 0.1 team_end all"""),
                      member(0.2, 2, ("!$omp barrier", 5, 6), end=6, team="inner"))
        self.assert_value(7, "omp_ebarrier_wait", "*", 0)
        self.assert_value(2, "omp_ebarrier_wait", "*", 0.1)
        self.assert_value(0, "omp_ebarrier_wait", "*", 0.2)

    def test_barriers_that_execute_tasks_wait_behind_the_last_one(self):
        self.evaluate(self.HEADER, member(0, 0, ("!$omp barrier", 8, 9), end=9),
                      split("""0 0.1 team_begin t; 1 0.1 enter !$omp barrier
                               2 0.1 enter !$omp task; 5 0.1 leave !$omp task
                               9 0.1 leave !$omp barrier; 9 0.1 team_end t"""))
        self.assert_value(3, "omp_ebarrier_wait", "!$omp barrier", 0.1)
        self.assert_value(1 + 1, "omp_ebarrier", "!$omp barrier", 0.1)
        self.assert_value(3, "comp", "!$omp barrier/!$omp task", 0.1)

    def test_workers_inherit_the_path_of_their_master(self):
        self.evaluate(self.HEADER + ["team inner 0.1 0.2"],
                      split("0 0 enter main; 1 0 enter solve; 2 0 fork 2"),
                      member(0, 2, end=9), split("9 0 join; 9 0 leave solve; 9 0 leave main"),
                      split("2 0.1 team_begin t; 3 0.1 enter %s; 4 0.1 fork 2"
                            "\n4 0.1 team_begin inner; 4 0.1 enter foo; 5 0.1 leave foo"
                            "\n5 0.1 team_end inner; 5 0.1 join"
                            "\n6 0.1 leave %s; 6 0.1 team_end t" % (PARALLEL, PARALLEL)),
                      split("4 0.2 team_begin inner; 4 0.2 enter bar; 6 0.2 leave bar"
                            "\n6 0.2 team_end inner; 7 0.2 enter own; 8 0.2 leave own"))
        self.assert_value(2, "comp", "main/solve/" + PARALLEL, 0.1)
        self.assert_value(1, "comp", "main/solve/" + PARALLEL + "/foo", 0.1)
        self.assert_value(2, "comp", "main/solve/" + PARALLEL + "/bar", 0.2)
        self.assert_value(1, "comp", "own", 0.2)
        self.assert_value(1, "visits", "main")

    def test_a_team_nobody_forked_has_no_path_to_inherit(self):
        self.evaluate(self.HEADER, ["0 0 enter main"], member(0, 1, end=3), ["3 0 leave main"],
                      member(0.1, 1, end=3))
        self.assert_value(2, "comp", PARALLEL, 0.1)

    def test_fork_lasts_until_the_region_begins(self):
        self.evaluate(self.HEADER, split("0 0 enter main; 1 0 fork 2; 1 0 team_begin t"),
                      split("2.5 0 enter %s; 4 0 leave %s; 4 0 team_end t; 5 0 join"
                            % (PARALLEL, PARALLEL)),
                      split("6 0 fork 2; 7 0 enter foo; 8 0 leave foo; 8 0 leave main"))
        self.assert_value(1.5, "omp_fork", "main", 0)
        self.assert_value(8 - 1.5 - 1.5 - 1, "comp", "main", 0)

    def test_idle_threads_and_teams_that_are_too_small(self):
        # Serial: 0..2 and 8..10, thread 2 in a region of its own from 1 on until 2. The team of two: 2..8.
        self.evaluate(self.HEADER, split("0 0 enter main; 2 0 fork 2"), member(0, 3, end=7),
                      split("8 0 join; 9 0 enter MPI_Barrier; 10 0 leave MPI_Barrier; 10 0 leave main"),
                      member(0.1, 3, end=7), split("1 0.2 enter own; 2.5 0.2 leave own"))
        self.assert_value(2 + 1, "omp_idle_threads", "main", 0.1)
        self.assert_value(1 + 1, "omp_idle_threads", "main", 0.2)
        self.assert_value(1, "omp_idle_threads", "main/MPI_Barrier", 0.1)
        self.assert_value(0, "omp_limited_parallelism", "*", 0.1)
        self.assert_value(0.5 + 1, "omp_limited_parallelism", "main", 0.2)
        self.assert_value(4, "omp_limited_parallelism", "main/" + PARALLEL, 0.2)

    def test_processes_that_do_not_fork_have_no_idle_threads(self):
        self.evaluate(self.HEADER, split("0 0 enter main; 9 0 leave main"))
        self.assert_value(0, "omp_idle_threads")

    def test_costs_of_a_barrier(self):
        """foo is 4 longer on the last thread; since the barrier before."""
        self.evaluate(self.HEADER, member(0, 0, ("foo", 0, 1), ("!$omp barrier", 1, 2),
                                          ("foo", 2, 8), ("!$omp barrier", 8, 8), end=8),
                      member(0.1, 0, ("!$omp barrier", 0, 2), ("foo", 2, 4), ("!$omp barrier", 4, 8),
                             end=8))
        # The barrier before ended at 1; both stay in it for 1 more.
        self.assert_formation(1 + 4, "delay_ompbarrier", PARALLEL + "|foo", 0)
        self.assert_formation(2, "wait_count_ompbarrier", PARALLEL + "|!$omp barrier", 0.1)
        self.assert_formation(5, "blame_ompbarrier", PARALLEL + "|foo", 0)


class LockTest(ThreadTest):
    HEADER = ["ranks 1 threads 3"]

    def critical(self, loc, enter, acquired, left, leave, order):
        return split("%s {0} enter !$omp critical; %s {0} acquire_lock 1 {1}"
                     "\n%s {0} enter !$omp critical sblock; %s {0} leave !$omp critical sblock"
                     "\n%s {0} release_lock 1 {1}; %s {0} leave !$omp critical".format(loc, order)
                     % (enter, acquired, acquired, left, left, leave))

    def test_critical_waits_until_its_block_begins(self):
        self.evaluate(self.HEADER, self.critical(0, 0, 0, 5, 5.5, 1),
                      self.critical(0.1, 1, 5.25, 8, 9, 2))
        # Thread 1 is let in before thread 0 has left the construct.
        self.assert_value(4.25, "omp_lock_contention_critical", "!$omp critical", 0.1)
        self.assert_value(1, "omp_critical", "!$omp critical", 0.1)
        self.assert_value(0.5, "omp_critical", "!$omp critical", 0)
        self.assert_value(2.75, "comp", "!$omp critical/!$omp critical sblock", 0.1)

    def test_the_end_of_the_release_activity_ends_the_wait(self):
        self.evaluate(self.HEADER, self.critical(0, 0, 0, 5, 5.5, 1),
                      self.critical(0.1, 1, 7, 8, 9, 2))
        self.assert_value(4.5, "omp_lock_contention_critical", "*", 0.1)

    def test_blame_of_a_queue_for_a_critical_construct(self):
        self.evaluate(self.HEADER, self.critical(0, 0, 0, 5, 5, 1),
                      self.critical(0.1, 1, 5, 8, 8, 2), self.critical(0.2, 2, 8, 9, 9, 3))
        self.assert_value(4, "omp_lock_contention_critical", "*", 0.1)
        self.assert_value(6, "omp_lock_contention_critical", "*", 0.2)
        block = "!$omp critical|!$omp critical sblock"
        self.assert_formation(4 + 3, "blame_omp_lock_critical", block, 0)
        self.assert_formation(3, "blame_omp_lock_critical", block, 0.1)

    def test_order_is_that_of_the_acquisition_numbers(self):
        def locked(loc, lock, unlock, order):
            return split("%s {0} enter omp_set_lock; %s {0} acquire_lock 7 {1}"
                         "\n%s {0} leave omp_set_lock; %s {0} enter omp_unset_lock"
                         "\n%s {0} release_lock 7 {1}; %s {0} leave omp_unset_lock".format(loc, order)
                         % (lock[0], lock[1], lock[1], unlock[0], unlock[0], unlock[1]))
        # Clocks disagree: thread 1 has the lock before thread 0 by number only.
        self.evaluate(self.HEADER, locked(0, (0, 3), (4, 5), 2), locked(0.1, (1, 1), (2, 2.5), 1))
        self.assert_value(2.5, "omp_lock_contention_api", "omp_set_lock", 0)
        self.assert_value(0, "omp_lock_contention_api", "omp_set_lock", 0.1)

    def test_locks_of_processes_and_models_are_different_ones(self):
        lock = "0 {0} enter {1}_lock; {2} {0} acquire_lock 1 {3}; {2} {0} leave {1}_lock"
        unlock = "5 {0} enter {1}_unlock; 5 {0} release_lock 1 {3}; 6 {0} leave {1}_unlock"
        text = "\n".join((lock, unlock))
        self.evaluate(["ranks 2 threads 2"], split(text.format("0", "pthread_mutex", 0, 1)),
                      split(text.format("1", "pthread_mutex", 5, 2)))
        self.assert_value(0, "pthread_lock_contention_mutex_lock")

    def test_mutex_whose_acquisition_only_the_release_tells(self):
        self.evaluate(self.HEADER, split("""0 0 enter main; 3 0 enter foo; 6 0 leave foo
                          6 0 enter pthread_mutex_unlock; 6 0 release_lock 1 1 2 pthread_mutex_lock
                          6.5 0 leave pthread_mutex_unlock; 9 0 leave main"""),
                      split("""4 0.1 enter pthread_mutex_lock; 6.25 0.1 acquire_lock 1 2
                          6.25 0.1 leave pthread_mutex_lock; 7 0.1 enter pthread_mutex_unlock
                          7 0.1 release_lock 1 2; 7 0.1 leave pthread_mutex_unlock"""))
        self.assert_value(2.25, "pthread_lock_contention_mutex_lock", "*", 0.1)
        self.assert_formation(2, "blame_pthread_lock_mutex", "main|foo", 0)
        self.assert_formation(0.25, "blame_pthread_lock_mutex", "main|pthread_mutex_unlock", 0)

    def test_readers_wait_for_writers_only(self):
        def rwlock(loc, kind, lock, unlock, order):
            return split("%s {0} enter pthread_rwlock_{2}; %s {0} acquire_lock 1 {1}"
                         "\n%s {0} leave pthread_rwlock_{2}; %s {0} enter pthread_rwlock_unlock"
                         "\n%s {0} release_lock 1 {1}; %s {0} leave pthread_rwlock_unlock"
                         .format(loc, order, kind)
                         % (lock[0], lock[1], lock[1], unlock - 0.25, unlock, unlock))
        self.evaluate(self.HEADER, rwlock(0, "wrlock", (0, 0), 4, 1),
                      rwlock(0.1, "rdlock", (1, 4), 6, 2), rwlock(0.2, "rdlock", (2, 4.5), 7, 3))
        self.assert_value(3, "pthread_lock_contention_mutex_lock", "*", 0.1)
        self.assert_value(2, "pthread_lock_contention_mutex_lock", "*", 0.2)
        self.assert_value(0.5 + 0.25, "pthread_lock_api", "*", 0.2)

    def test_the_own_hold_is_no_reason_to_wait(self):
        self.evaluate(self.HEADER, self.critical(0, 0, 0, 2, 4, 1), self.critical(0, 4, 5, 6, 6, 2))
        self.assert_value(0, "omp_lock_contention_critical")

    def test_ordered_waits_for_the_end_of_the_previous_section(self):
        def ordered(loc, enter, acquired, left, leave, order):
            return [line.replace("critical", "ordered")
                    for line in self.critical(loc, enter, acquired, left, leave, order)]
        self.evaluate(self.HEADER, ordered(0, 0, 0, 5, 6, 1), ordered(0.1, 1, 5.5, 7, 7, 2),
                      ordered(0.2, 6, 7, 8, 8, 3))
        self.assert_value(4, "omp_ordered_wait", "!$omp ordered", 0.1)
        self.assert_value(1, "omp_ordered_wait", "!$omp ordered", 0.2)
        self.assert_value(0.5, "omp_ordered", "!$omp ordered", 0.1)
        self.assert_formation(4, "blame_omp_ordered_wait", "!$omp ordered|!$omp ordered sblock", 0)


class ObjectTest(ThreadTest):
    HEADER = ["ranks 1 threads 3", "team p 0.0 0.1 0.2"]

    def call(self, loc, region, enter, leave, *records):
        return (["%s %s enter %s" % (enter, loc, region)]
                + ["%s %s %s" % (enter, loc, record) for record in records]
                + ["%s %s leave %s" % (leave, loc, region)])

    def test_conditions_wait_for_the_last_signal(self):
        wait = "pthread_cond_wait", 1, 9, "object 4"
        for signals, expected in (((3,), 2), ((3, 6), 5), ((1,), 0), ((9,), 8), ((9.5,), 0)):
            self.evaluate(self.HEADER, self.call(0, *wait),
                          [line for time in signals for line in self.call(
                              0.1, "pthread_cond_signal", time, time, "object 4")],
                          self.call(0.2, "pthread_cond_signal", 8, 8, "object 5"))
            self.assert_value(expected, "pthread_condition_wait", "*", 0)
            self.assert_value(8 - expected, "pthread_conditional", "pthread_cond_wait", 0)

    def test_the_mutex_of_a_condition(self):
        """Released as soon as the wait begins; whoever has to wait for it afterwards waits later."""
        self.evaluate(
            self.HEADER,
            split("""0 0 enter pthread_mutex_lock; 0 0 acquire_lock 1 1; 0 0 leave pthread_mutex_lock
                1 0 enter pthread_cond_wait; 1 0 object 4; 1.5 0 release_lock 1 1
                6 0 acquire_lock 1 3; 6 0 leave pthread_cond_wait
                7 0 enter pthread_mutex_unlock; 7 0 release_lock 1 3; 7 0 leave pthread_mutex_unlock"""),
            split("""0.5 0.1 enter pthread_mutex_lock; 2 0.1 acquire_lock 1 2
                2 0.1 leave pthread_mutex_lock; 3 0.1 enter pthread_cond_signal; 3 0.1 object 4
                3 0.1 leave pthread_cond_signal; 5 0.1 enter pthread_mutex_unlock
                5 0.1 release_lock 1 2; 5.5 0.1 leave pthread_mutex_unlock"""))
        self.assert_value(1, "pthread_lock_contention_mutex_lock", "*", 0.1)
        self.assert_value(4.5, "pthread_lock_contention_conditional", "*", 0)
        self.assert_value(0, "pthread_condition_wait")

    def test_semaphores_wait_for_the_post(self):
        self.evaluate(self.HEADER, self.call(0, "sem_wait", 1, 4, "object 4"),
                      self.call(0.1, "sem_post", 3, 5, "object 4"))
        self.assert_value(2, "pthread_semaphore_wait", "sem_wait", 0)
        self.assert_value(1 + 2, "pthread_synchronization")
        self.assert_formation(2, "delay_unattributed", "sem_post", 0.1)

    def test_rounds_of_barriers(self):
        region, record = "pthread_barrier_wait", "object 4"
        # Thread 1 is in the second round before thread 0 has left the first.
        self.evaluate(self.HEADER, self.call(0, region, 1, 5, record),
                      self.call(0, region, 8, 8, record), self.call(0.1, region, 3, 3.5, record),
                      self.call(0.1, region, 4, 9, record))
        self.assert_value(2, "pthread_barrier_wait", "*", 0)
        self.assert_value(4, "pthread_barrier_wait", "*", 0.1)
        self.assert_value(2 + 0.5 + 1, "pthread_management")

    def test_join_waits_for_the_end_of_the_thread(self):
        self.evaluate(self.HEADER,
                      split("""0 0 enter main; 1 0 enter pthread_create; 1 0 thread_create p 7
                          2 0 leave pthread_create; 3 0 enter pthread_join; 6 0 thread_wait p 7
                          6 0 leave pthread_join; 6 0 leave main"""),
                      split("""1.5 0.1 thread_begin p 7; 1.5 0.1 enter worker; 2 0.1 enter foo
                          4.5 0.1 leave foo; 5 0.1 leave worker; 5.5 0.1 thread_end p 7"""))
        self.assert_value(2.5, "pthread_join_wait", "main/pthread_join", 0)
        self.assert_value(0.5, "thread_start_delay", "main/pthread_create", 0)
        # Nothing is shared before: from the first event of each. foo 2.5, worker 1.
        self.assert_formation(2.5 * 2.5 / 3.5, "delay_pthread_join_wait", "worker|foo", 0.1)
        self.assert_formation(1.5, "blame_pthread_join_wait", "worker|foo", 0.1)
        self.assert_formation(0.5, "blame_unattributed", "worker", 0.1)


class TaskTest(ThreadTest):
    HEADER = ["ranks 1 threads 3", "team t 0.0 0.1 0.2"]

    @staticmethod
    def task(loc, begin, end, generation, creator=0):
        name = "t %d %d" % (creator, generation)
        return split("%s {0} task_switch {1}; %s {0} enter !$omp task; %s {0} leave !$omp task"
                     "\n%s {0} task_complete {1}".format(loc, name) % (begin, begin, end, end))

    @staticmethod
    def create(loc, time, *generations):
        return [line for generation in generations for line in split(
            "{0} {1} enter !$omp create task; {0} {1} task_create t 0 {2}"
            "\n{0} {1} leave !$omp create task".format(time, loc, generation))]

    def test_taskwait_waits_for_the_last_child(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 1, 1, 2),
                      split("2 0 enter !$omp taskwait; 9 0 leave !$omp taskwait"),
                      self.create(0, 9, 3), ["9 0 team_end t", "0 0.1 team_begin t"],
                      self.task(0.1, 1, 6, 1), self.task(0.1, 9, 9.5, 3), ["0 0.2 team_begin t"],
                      self.task(0.2, 3, 4, 2))
        self.assert_value(4, "omp_taskwait_wait", "!$omp taskwait", 0)
        self.assert_value(3, "omp_taskwait", "!$omp taskwait", 0)
        self.assert_formation(4, "blame_omp_taskwait_wait", "!$omp task", 0.1)
        # Task 1 runs from 2 to 6 while thread 0 waits, and 2 beside it.
        self.assert_value(4, "omp_task_starvation", "!$omp taskwait", 0)

    def test_grandchildren_are_not_waited_for(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 0, 1),
                      split("1 0 enter !$omp taskwait; 9 0 leave !$omp taskwait"),
                      split("0 0.1 team_begin t; 0 0.1 task_switch t 0 1; 0 0.1 enter !$omp task"),
                      split("""1 0.1 task_create t 1 2; 3 0.1 leave !$omp task
                               3 0.1 task_complete t 0 1"""), ["0 0.2 team_begin t"],
                      self.task(0.2, 2, 8, 2, creator=1))
        self.assert_value(2, "omp_taskwait_wait", "!$omp taskwait", 0)

    def test_behind_the_own_tasks(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 0, 1, 2),
                      ["1 0 enter !$omp taskwait"], self.task(0, 2, 4, 1),
                      ["9 0 leave !$omp taskwait", "0 0.1 team_begin t"], self.task(0.1, 1, 7, 2))
        self.assert_value(3, "omp_taskwait_wait", "!$omp taskwait", 0)
        self.assert_value(2 + 1, "omp_taskwait", "!$omp taskwait", 0)
        self.assert_value(1 + 3, "omp_task_starvation", "!$omp taskwait", 0)

    def test_the_last_child_that_the_thread_executes_itself(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 0, 1, 2),
                      ["1 0 enter !$omp taskwait"], self.task(0, 2, 7, 1),
                      ["9 0 leave !$omp taskwait", "0 0.1 team_begin t"], self.task(0.1, 1, 4, 2))
        self.assert_value(0, "omp_taskwait_wait")

    def test_a_thread_without_a_task_waits_for_the_creation_of_its_next_one(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 4, 1), self.create(0, 7, 2),
                      ["7 0 enter foo", "9 0 leave foo", "0 0.1 team_begin t"],
                      ["1 0.1 enter !$omp barrier"], self.task(0.1, 4, 5, 1),
                      self.task(0.1, 8, 9, 2), ["9 0.1 leave !$omp barrier"])
        # The members' barriers are incomplete: nobody is known to enter last.
        self.assert_value(3 + 2, "omp_ebarrier_wait", "!$omp barrier", 0.1)
        self.assert_value(0 + 1, "omp_ebarrier", "!$omp barrier", 0.1)
        self.assert_formation(2, "wait_count_ompbarrier", "!$omp barrier", 0.1)

    def test_tasks_that_existed_or_are_created_by_the_thread_itself(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 1, 1),
                      ["0 0.1 team_begin t", "1 0.1 enter !$omp barrier"],
                      self.task(0.1, 3, 5, 1), ["6 0.1 task_create t 1 2"],
                      self.task(0.1, 8, 9, 2, creator=1), ["9 0.1 leave !$omp barrier"])
        self.assert_value(0, "omp_ebarrier_wait")

    def test_the_creation_of_a_task_that_another_thread_has_begun(self):
        """It is suspended there, and resumed in the barrier of 0.1."""
        self.evaluate(self.HEADER, ["0 0 team_begin t"], self.create(0, 3, 1), ["0 0.2 team_begin t"],
                      split("4 0.2 task_switch t 0 1; 4 0.2 enter foo; 5 0.2 leave foo"),
                      ["0 0.1 team_begin t", "1 0.1 enter !$omp barrier"], self.task(0.1, 6, 7, 1),
                      ["9 0.1 leave !$omp barrier"])
        self.assert_value(0, "omp_ebarrier_wait")

    def test_a_creation_outside_of_all_regions_is_no_cause(self):
        self.evaluate(self.HEADER, ["0 0 team_begin t", "3 0 task_create t 0 1", "0 0.1 team_begin t"],
                      ["1 0.1 enter !$omp barrier"], self.task(0.1, 4, 5, 1),
                      ["9 0.1 leave !$omp barrier"])
        self.assert_value(0, "omp_ebarrier_wait")

    def test_the_stretch_that_waits_for_the_last_thread_waits_for_nothing_else(self):
        self.evaluate(["ranks 1 threads 2", "team t 0.0 0.1"],
                      split("0 0 team_begin t; 0 0 enter foo; 2 0 leave foo; 2 0 enter !$omp barrier"),
                      split("""3 0 enter foo; 5 0 enter !$omp create task; 5 0 task_create t 0 1
                               5 0 leave !$omp create task; 7 0 leave foo; 9 0 leave !$omp barrier"""),
                      ["0 0.1 team_begin t", "1 0.1 enter !$omp barrier"], self.task(0.1, 6, 7, 1),
                      ["9 0.1 leave !$omp barrier"])
        self.assert_value(1, "omp_ebarrier_wait", "!$omp barrier", 0.1)


class HybridTest(ThreadTest):
    def test_an_iteration_of_a_thread_delays_another_process(self):
        """Thread 0.1 computes 6 longer than 0; so 0 sends late, and 1 waits in MPI_Recv."""
        self.evaluate(["ranks 2 threads 2", "team t 0.0 0.1"],
                      split("0 0 enter main; 0 0 fork 2; 0 0 team_begin t"),
                      split("""0 0 enter foo; 2 0 leave foo; 2 0 enter !$omp implicit barrier
                          8 0 leave !$omp implicit barrier; 8 0 team_end t; 8 0 join
                          9 0 enter MPI_Send; 9 0 send 1 0 8; 9 0 leave MPI_Send; 9 0 leave main"""),
                      split("""0 0.1 team_begin t; 0 0.1 enter foo; 8 0.1 leave foo
                          8 0.1 enter !$omp implicit barrier; 8 0.1 leave !$omp implicit barrier"""),
                      split("""0 1 enter main; 2 1 enter MPI_Recv; 9 1 recv 0 0 8
                          9 1 leave MPI_Recv; 9 1 leave main"""))
        self.assert_value(6, "omp_ibarrier_wait", "*", 0)
        self.assert_value(7, "mpi_latesender", "*", 1)
        # d of rank 0 until 9: main 1 (as long as 1's), foo 2, and 6 of waiting.
        self.assert_formation(7 * 2 / 8, "delay_latesender", "main|foo", 0)
        self.assert_formation(7 * 6 / 8, "delay_ompbarrier_longterm", "main|foo", 0.1)
        self.assert_formation(6, "blame_latesender", "main|foo", 0.1)
        self.assert_formation(1, "blame_latesender", "main", 0)
        self.assert_formation(8, "critical_path", "main|foo", 0.1)


class ScenariosTest(unittest.TestCase):
    def test_scenarios_of_threads(self):
        for path in glob.glob(os.path.join(HERE, "scenarios", "threads", "*.scn")):
            scenario = scenario_file.read_scenario(path)
            self.assertTrue(scenario.expects, path)
            self.assertEqual([], check_expectations.failures(scenario), path)


class RandomTest(unittest.TestCase):
    """The partition of time and the invariants of formation are asserted in every evaluation."""

    def scenarios(self, seed, count):
        for index in range(count):
            for focus in THREAD_FOCUSES:
                yield scenario_file.parse_scenario(
                    "\n".join(generate.generate(seed, index, (2, 4), focus)))

    def test_every_metric_of_threads_occurs(self):
        left = {name for name in metrics.TIME_METRICS if name.startswith(("omp_", "pthread_"))}
        left |= {"thread_start_delay", "omp_task_starvation"}
        left -= {"omp_time", "omp_synchronization", "omp_barrier", "pthread_time"}
        for scenario in self.scenarios("m", 60):
            result = severities.compute(timeline.Timeline(scenario)).values
            left -= {metric for metric, cells in result.items() if cells}
            if not left:
                break
        self.assertEqual(set(), left)

    def test_shift_and_scale(self):
        for scenario in self.scenarios("f", share.count(2)):
            before = self.values(scenario)
            scenario.change_times(lambda time: time + 12345)
            self.assertEqual(before, self.values(scenario))
            if composition.is_sampled(scenario):
                continue  # what samples tell is in whole ticks
            scenario.unit = str(fractions.Fraction(scenario.unit) / 3)  # the rules know microseconds
            scenario.change_times(lambda time: (time - 12345) * 3)
            after = self.values(scenario)
            for metric, cells in before.items():
                is_count = metric in metrics.COUNT_METRICS or metric.startswith("wait_count")
                self.assertEqual({key: value * (1 if is_count else 3)
                                  for key, value in cells.items()}, after[metric], metric)

    @staticmethod
    def values(scenario):
        times = timeline.Timeline(scenario)
        result = severities.compute(times)
        return {**result.values, **severities.compute_formation(times, result)}


if __name__ == "__main__":
    unittest.main()
