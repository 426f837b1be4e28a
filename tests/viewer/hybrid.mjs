// SPDX-License-Identifier: BSD-3-Clause
// A scenario of MPI processes with threads: OpenMP's teams, critical constructs and tasks, a POSIX thread with a mutex.
import { writeFileSync } from "node:fs";

/** Each rank has `threads` threads of OpenMP and a POSIX thread, which is its last one. In each step, the team shares
 * a loop, after which each thread updates a sum in a critical construct; then the threads at the barrier execute tasks of
 * the master, and the master sends to the next rank. The POSIX thread holds the mutex for which the master waits at the
 * begin of a step; without `logger`, there is none. `slow`: [rank, thread], whose loop takes `more` longer. */
export function hybridScenario({ ranks = 3, threads = 3, steps = 4, slow = [1, 2], more = 12, logger = true } = {}) {
  const lines = [];
  const records = Array.from({ length: ranks }, () => Array.from({ length: threads + 1 }, () => []));
  lines.push("unit 1e-3", `ranks ${ranks} threads ${threads + (logger ? 1 : 0)}`, "phase step");
  for (let rank = 0; rank < ranks; rank++) {
    lines.push(`team workers${rank} ${Array.from({ length: threads }, (_, i) => `${rank}.${i}`).join(" ")}`);
    if (!logger) continue;
    lines.push(`team posix${rank} ${rank}.0 ${rank}.${threads}`);
    lines.push(`object_name ${rank} 5 log_lock (log.c:9)`);
  }
  const put = (rank, thread, time, ...texts) => {
    for (const text of texts) records[rank][thread].push(`${time.toFixed(3)} ${rank}.${thread} ${text}`);
  };

  const loop = (rank, step, begin) => {
    const all = Array.from({ length: threads }, (_, thread) => thread);
    put(rank, 0, begin, `fork ${threads}`);
    const arrivals = all.map((thread) => {
      const from = begin + 0.2 * thread;
      const extra = rank === slow[0] && thread === slow[1] ? more : 0;
      const until = from + 8 + ((3 * thread + 2 * step) % (threads + 2)) + extra;
      put(rank, thread, from, `team_begin workers${rank}`, "enter !$omp parallel @solver.c:10", "enter !$omp for @solver.c:12");
      put(rank, thread, until, "leave !$omp for @solver.c:12");
      return { thread, until };
    });
    // The critical constructs, one after the other.
    let free = 0;
    const order = arrivals.sort((a, b) => a.until - b.until || a.thread - b.thread);
    order.forEach(({ thread, until }, i) => {
      const acquired = Math.max(until, free);
      const place = `1 ${step * threads + i + 1}`;
      put(rank, thread, until, "enter !$omp critical @solver.c:20");
      put(rank, thread, acquired, `acquire_lock ${place}`, "enter !$omp critical sblock @solver.c:20");
      free = acquired + 1.5;
      put(rank, thread, free, "leave !$omp critical sblock @solver.c:20", `release_lock ${place}`, "leave !$omp critical @solver.c:20");
      put(rank, thread, free, "enter !$omp implicit barrier @solver.c:10");
    });
    const end = free + 0.2;
    for (const thread of all) {
      put(rank, thread, end, "leave !$omp implicit barrier @solver.c:10", "leave !$omp parallel @solver.c:10", `team_end workers${rank}`);
    }
    put(rank, 0, end, "join");
    return end;
  };

  const tasks = (rank, step, begin) => {
    put(rank, 0, begin, `fork ${threads}`);
    const end = begin + 4 + 2 * threads;
    const name = (thread) => `workers${rank} 0 ${step * threads + thread + 1}`;
    for (let thread = 0; thread < threads; thread++) {
      put(rank, thread, begin + (0.4 * thread) / threads, `team_begin workers${rank}`, "enter !$omp parallel @tasks.c:5");
    }
    for (let thread = 1; thread < threads; thread++) {
      put(rank, 0, begin + thread, "enter !$omp create task @tasks.c:8", `task_create ${name(thread)}`);
      put(rank, 0, begin + thread + 0.2, "leave !$omp create task @tasks.c:8");
    }
    for (let thread = 0; thread < threads; thread++) {
      put(rank, thread, begin + (thread === 0 ? threads : 1), "enter !$omp implicit barrier @tasks.c:5");
      if (thread > 0) {
        put(rank, thread, begin + thread + 0.8, `task_switch ${name(thread)}`, "enter !$omp task @tasks.c:8");
        put(rank, thread, end - thread, "leave !$omp task @tasks.c:8", `task_complete ${name(thread)}`);
      }
      put(rank, thread, end, "leave !$omp implicit barrier @tasks.c:5", "leave !$omp parallel @tasks.c:5", `team_end workers${rank}`);
    }
    put(rank, 0, end, "join");
    return end;
  };

  const helper = threads;
  const lock = (rank, step, begin) => {
    const [theirs, mine] = [2 * step + 1, 2 * step + 2];
    put(rank, helper, begin, "enter pthread_mutex_lock", `acquire_lock 5 ${theirs}`, "leave pthread_mutex_lock", "enter flush_log");
    put(rank, helper, begin + 2, "leave flush_log", "enter pthread_mutex_unlock", `release_lock 5 ${theirs}`, "leave pthread_mutex_unlock");
    put(rank, 0, begin + 1, "enter pthread_mutex_lock");
    put(rank, 0, begin + 2.2, `acquire_lock 5 ${mine}`, "leave pthread_mutex_lock");
    put(rank, 0, begin + 2.5, "enter pthread_mutex_unlock", `release_lock 5 ${mine}`, "leave pthread_mutex_unlock");
  };

  const at = Array.from({ length: ranks }, () => 2);
  for (let rank = 0; rank < ranks; rank++) {
    put(rank, 0, 0, "enter main");
    if (!logger) continue;
    put(rank, 0, 0, "enter pthread_create");
    put(rank, 0, 0.5, `thread_create posix${rank} 1`, "leave pthread_create");
    put(rank, helper, 1, `thread_begin posix${rank} 1`, "enter logger");
  }
  for (let step = 0; step < steps; step++) {
    const sends = [];
    for (let rank = 0; rank < ranks; rank++) {
      const begin = at[rank];
      put(rank, 0, begin, "enter step", "enter prepare");
      if (logger) lock(rank, step, begin);
      put(rank, 0, begin + 3, "leave prepare");
      sends[rank] = tasks(rank, step, loop(rank, step, begin + 3.5) + 0.5) + 1;
    }
    for (let rank = 0; rank < ranks; rank++) {
      const [send, before] = [sends[rank], sends[(rank + ranks - 1) % ranks]];
      const end = Math.max(send + 1, before + 0.5) + 0.5;
      put(rank, 0, send, "enter MPI_Send", `send ${(rank + 1) % ranks} 0 64`);
      put(rank, 0, send + 0.5, "leave MPI_Send", "enter MPI_Recv");
      put(rank, 0, end, `recv ${(rank + ranks - 1) % ranks} 0 64`, "leave MPI_Recv", "leave step");
      at[rank] = end + 1;
    }
  }
  const end = Math.max(...at) + 2;
  for (let rank = 0; rank < ranks; rank++) {
    if (logger) {
      put(rank, helper, at[rank] + 1, "leave logger", `thread_end posix${rank} 1`);
      put(rank, 0, at[rank], "enter pthread_join");
      put(rank, 0, at[rank] + 1.2, `thread_wait posix${rank} 1`, "leave pthread_join");
    }
    put(rank, 0, end, "leave main");
  }
  return `${[...lines, ...records.flat(2)].join("\n")}\n`;
}

/** Writes the scenario, and the archive and report that are made of it. @returns the folder of the experiment */
export function hybridExperiment(bench, fermata, name, options) {
  const file = bench.path(`${name}.scn`);
  writeFileSync(file, hybridScenario(options));
  bench.run(fermata, "synth", file, "-o", bench.path(name));
  bench.run(fermata, "analyze", "--quiet", bench.path(name));
  return bench.path(name);
}
