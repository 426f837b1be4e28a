// SPDX-License-Identifier: BSD-3-Clause
import { useCallback } from "preact/hooks";
import type { JSX } from "preact";
import { Chart, type Hit } from "../components/Chart";
import { ExportMenu } from "../components/ExportMenu";
import { LocationLink, To } from "../components/Linked";
import { CallpathName } from "../components/Names";
import type { JsonLock, JsonLockParty, JsonLockPlace } from "../data/layout";
import { drawQueue, queueBin } from "../draw/queue";
import { partOf, type Surface } from "../draw/surface";
import { drawTable, tableSize, type Table } from "../draw/table";
import { csvOf } from "../export/csv";
import type { Picture } from "../export/download";
import { formatCount, formatError, formatPercent, formatSeconds, printable, shorten } from "../format";
import { inUnits, processName, processTitle, processWord, type Report } from "../model/report";
import type { Store } from "../state/store";

const PICTURE_WIDTH = 900;
const QUEUE_HEIGHT = 200;

/** Locks of threads belong to one process. */
function isOfThreads(lock: JsonLock): boolean {
  return lock.window === null && lock.target !== null;
}

/** What the owners of a lock are called. */
function ownerWord(report: Report, lock: JsonLock, count: number): string {
  if (isOfThreads(lock)) return count === 1 ? "thread" : "threads";
  return processWord(report, count);
}

/** The name of a lock, as in the report: a window and the process that it locks. */
export function lockName(report: Report, lock: JsonLock): string {
  if (lock.window === null) {
    const name = shorten(printable(lock.name ?? "lock"), 60);
    return isOfThreads(lock) && report.experiment.processes > 1 ? `${name}, ${processName(report, lock.target!)}` : name;
  }
  const window = lock.name === null ? `window ${lock.window}` : shorten(printable(lock.name), 60);
  return `${window}, ${lock.target === null ? `all ${processWord(report, 2)}` : processName(report, lock.target)}`;
}

/** The number of an owner: of the process, or of the thread in it. */
function ownerNumber(report: Report, lock: JsonLock, location: number): number {
  const { rank, thread } = report.locations[location]!;
  return isOfThreads(lock) ? thread : rank + report.summary.process.first;
}

/** The queues for locks. */
export function Locks({ store }: { store: Store }): JSX.Element {
  const { locks } = store.report;
  const order = locks.map((_, i) => i).sort((a, b) => locks[b]!.waiting - locks[a]!.waiting);
  const chosen = locks[store.lock.value];
  if (chosen === undefined) {
    return (
      <section class="view" aria-label="Locks">
        <p class="empty">No lock of a window was held exclusively, and no thread waited for a lock.</p>
      </section>
    );
  }
  return (
    <section class="view locks" aria-label="Locks">
      <div class="toolbar">
        <span class="muted">
          {locks.some(isOfThreads)
            ? "Locks that were waited for, those with the longest waiting first."
            : "Locks that were held exclusively, those with the longest waiting first."}
        </span>
        <span class="spacer" />
        <ExportMenu
          store={store}
          name="locks"
          title={`Queue for the lock of ${lockName(store.report, chosen)}`}
          csv={() => locksCsv(locks)}
          picture={() => locksPicture(store.report, order.map((i) => locks[i]!), chosen)}
        />
      </div>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Lock</th>
            <th scope="col">Waiting</th>
            <th scope="col">Waits</th>
            <th scope="col">Exclusive</th>
            <th scope="col">Shared</th>
            <th scope="col" title="share of the time from the first request to the last release">
              Held
            </th>
            <th scope="col">Mean queue</th>
            <th scope="col">Longest queue</th>
            <th scope="col">Longest chain</th>
          </tr>
        </thead>
        <tbody>
          {order.map((i) => {
            const lock = locks[i]!;
            const span = lock.end - lock.begin;
            return (
              <tr key={i} class={lock === chosen ? "selected" : ""} onClick={() => (store.lock.value = i)}>
                <th scope="row">
                  <button type="button" class="link" aria-pressed={lock === chosen}>
                    {lockName(store.report, lock)}
                  </button>
                </th>
                <td>{uncertain(store, lock.waiting, lock.waiting_error)}</td>
                <td>{formatCount(lock.waits)}</td>
                <td>{formatCount(lock.exclusive)}</td>
                <td>{formatCount(lock.shared)}</td>
                <td>{formatPercent(span === 0 ? 0 : lock.held / span)}</td>
                <td>{(span === 0 ? 0 : lock.waiting / span).toFixed(2)}</td>
                <td>{formatCount(lock.longest_queue)}</td>
                <td>{formatCount(lock.longest_chain)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {store.report.locksLeftOut.count > 0 && (
        <p class="muted">
          and {formatCount(store.report.locksLeftOut.count)} more {store.report.locksLeftOut.count === 1 ? "lock" : "locks"} with less
          waiting, {formatSeconds(store.report.locksLeftOut.waiting)} in all, whose queues are not in the report
        </p>
      )}
      <Queue store={store} lock={chosen} />
      <div class="two-columns">
        <Parties store={store} lock={chosen} title="Holders" parties={chosen.holders} column="Waiting caused" value="caused" />
        <Parties
          store={store}
          lock={chosen}
          title={`Waiting ${ownerWord(store.report, chosen, 2)}`}
          parties={chosen.victims}
          column="Waited"
          value="waiting"
        />
      </div>
      {chosen.longest_chain > 1 && (
        <p>
          Longest chain of {isOfThreads(chosen) ? "holds" : "epochs"}, each of which waited for the previous one: {formatCount(chosen.longest_chain)},
          beginning with the {ownerWord(store.report, chosen, 2)}{" "}
          {chosen.chain_locations.map((location) => ownerNumber(store.report, chosen, location)).join(" \u2192 ")}
          {chosen.chain_locations.length < chosen.longest_chain && " \u2192 ..."}
        </p>
      )}
      {chosen.waited_in.length > 0 && (
        <>
          <Places store={store} title="Held in, while others wait" places={chosen.held_in} of="cause" />
          <Places store={store} title="Waited in" places={chosen.waited_in} of="wait" />
        </>
      )}
    </section>
  );
}

function Queue({ store, lock }: { store: Store; lock: JsonLock }): JSX.Element {
  const palette = store.palette.value;
  const draw = useCallback((surface: Surface) => drawQueue(surface, palette, lock), [palette, lock]);
  const hit = (x: number, _y: number, width: number): Hit | null => {
    const bin = queueBin(lock, x, width);
    if (bin < 0) return null;
    const at = lock.begin + ((bin + 0.5) / lock.queue.length) * (lock.end - lock.begin);
    return { lines: [`${lock.queue[bin]!.toFixed(2)} in the queue`, `${formatSeconds(at)} after the start`] };
  };
  return (
    <>
      <h2>
        Length of the queue over time <small>{lockName(store.report, lock)}</small>
      </h2>
      {lock.queue.length === 0 ? (
        <p class="empty">No {ownerWord(store.report, lock, 1)} waited.</p>
      ) : (
        <Chart
          draw={draw}
          hit={hit}
          height={QUEUE_HEIGHT}
          label={`Length of the queue for ${lockName(store.report, lock)}, at most ${lock.longest_queue}`}
          testId="queue-chart"
        />
      )}
    </>
  );
}

/** A time with its error, if that is not rounded to 0 % of all time. */
function uncertain({ report }: Store, time: number, error: number | null | undefined): string {
  const isNotable = formatError(error, inUnits(report, "sec", report.summary.time)) !== "";
  return isNotable ? `${formatSeconds(time)} (±${formatSeconds(error!)})` : formatSeconds(time);
}

function Parties(props: {
  store: Store;
  lock: JsonLock;
  title: string;
  parties: readonly JsonLockParty[];
  column: string;
  value: "caused" | "waiting";
}): JSX.Element {
  const { store, lock, title, parties, column, value } = props;
  const largest = Math.max(...parties.map((party) => party[value]), 0);
  return (
    <div>
      <h2>{title}</h2>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">{isOfThreads(lock) ? "Thread" : processTitle(store.report, 1)}</th>
            <th scope="col">{column}</th>
            <td />
            <th scope="col">Held</th>
            <th scope="col">{isOfThreads(lock) ? "Holds" : "Epochs"}</th>
          </tr>
        </thead>
        <tbody>
          {parties.map((party) => (
            <tr key={party.location}>
              <th scope="row">
                <LocationLink store={store} location={party.location} />
              </th>
              <td>{uncertain(store, party[value], value === "caused" ? party.caused_error : party.waiting_error)}</td>
              <td class="meter" aria-hidden="true">
                <span
                  class={value === "caused" ? "cause" : "wait"}
                  style={{ width: `${largest > 0 ? (100 * party[value]) / largest : 0}%` }}
                />
              </td>
              <td>{formatSeconds(party.held)}</td>
              <td>{formatCount(party.epochs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Call paths in which the lock is held while others wait, or in which it is waited for. */
function Places(props: { store: Store; title: string; places: readonly JsonLockPlace[]; of: "cause" | "wait" }): JSX.Element {
  const { store, title, places, of } = props;
  const largest = Math.max(...places.map((place) => place.waiting), 0);
  return (
    <div>
      <h2>{title}</h2>
      {places.length === 0 ? (
        <p class="empty">Outside of all recorded functions.</p>
      ) : (
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Call path</th>
              <th scope="col">{of === "cause" ? "Waiting caused" : "Waited"}</th>
              <td />
              {of === "wait" && <th scope="col">Waits</th>}
            </tr>
          </thead>
          <tbody>
            {places.map((place) => (
              <tr key={place.callpath}>
                <th scope="row">
                  <To store={store} place={{ kind: "callpath", callpath: place.callpath }}>
                    <CallpathName short report={store.report} callpath={place.callpath} />
                  </To>
                </th>
                <td>{formatSeconds(place.waiting)}</td>
                <td class="meter" aria-hidden="true">
                  <span class={of} style={{ width: `${largest > 0 ? (100 * place.waiting) / largest : 0}%` }} />
                </td>
                {of === "wait" && <td>{formatCount(place.waits ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** All locks, and the queue of the selected lock. */
function locksPicture(report: Report, locks: readonly JsonLock[], chosen: JsonLock): Picture {
  const numeric = (title: string) => ({ title, numeric: true });
  const table: Table = {
    title: "Locks",
    columns: [{ title: "Lock" }, numeric("Waiting"), numeric("Waits"), numeric("Longest queue")],
    rows: locks.map((lock) => [
      { text: lockName(report, lock), bold: lock === chosen },
      { text: formatSeconds(lock.waiting) },
      { text: formatCount(lock.waits) },
      { text: formatCount(lock.longest_queue) },
    ]),
  };
  const size = tableSize(table);
  const width = Math.max(PICTURE_WIDTH, size.width);
  return {
    width,
    height: size.height + QUEUE_HEIGHT,
    draw: (surface, palette) => {
      drawTable(surface, palette, table);
      drawQueue(partOf(surface, 0, size.height, width, QUEUE_HEIGHT), palette, chosen);
    },
  };
}

function locksCsv(locks: readonly JsonLock[]): string {
  return csvOf(
    ["window", "name", "target", "exclusive", "shared", "held", "waits", "waiting", "begin", "end", "longest_queue", "longest_chain"],
    locks.map((l) => [
      l.window,
      l.name,
      l.target,
      l.exclusive,
      l.shared,
      l.held,
      l.waits,
      l.waiting,
      l.begin,
      l.end,
      l.longest_queue,
      l.longest_chain,
    ]),
  );
}
