// SPDX-License-Identifier: BSD-3-Clause
/** What the sentences of a report mention: functions, source lines, ranks, threads, iterations, times, locks, metrics. The
 * sentences come from src/diagnosis; names in them may be anything. */
import { callpathNames, isOneProcess, type Report } from "./report";

export type Place =
  | { readonly kind: "callpath"; readonly callpath: number }
  | { readonly kind: "source"; readonly callpath: number }
  | { readonly kind: "metric"; readonly metric: number }
  | { readonly kind: "location"; readonly location: number }
  | { readonly kind: "iterations"; readonly first: number; readonly last: number }
  | { readonly kind: "time"; readonly from: number; readonly to: number } // seconds
  | { readonly kind: "lock"; readonly lock: number };

/** A piece of a sentence; null: it leads nowhere. */
export interface Piece {
  readonly text: string;
  readonly place: Place | null;
}

/** Call paths in question: those of the problem, which are preferred to others that end in the same function. */
export interface Context {
  readonly callpaths: readonly (number | null)[];
}

interface Names {
  /** Call path of a function: the one with the most time. */
  readonly callpath: ReadonlyMap<string, number>;
  /** "file.c:12", without folders. */
  readonly source: ReadonlyMap<string, number>;
  readonly metric: ReadonlyMap<string, number>;
  /** Of a process: its first location, and that of "RANK.THREAD". */
  readonly location: ReadonlyMap<string, number>;
  /** The rank of the only process, if it has several threads; null: threads are named by rank. */
  readonly only: number | null;
}

const known = new WeakMap<Report, Names>();

function namesOf(report: Report): Names {
  const found = known.get(report);
  if (found !== undefined) return found;
  const time = new Float64Array(report.callpaths.length);
  const root = report.metricById.get("time")?.index ?? 0;
  report.rows.metric.forEach((metric, row) => {
    if (report.metrics[metric]!.root === root) time[report.rows.callpath[row]!]! += report.rows.sum[row]!;
  });
  const callpath = new Map<string, number>();
  const source = new Map<string, number>();
  report.callpaths.forEach(({ region, file, line, index }) => {
    const best = callpath.get(region);
    if (best === undefined || time[index]! > time[best]!) callpath.set(region, index);
    if (file === null || line === null) return;
    const key = `${file.slice(file.lastIndexOf("/") + 1)}:${line}`;
    const other = source.get(key);
    if (other === undefined || time[index]! > time[other]!) source.set(key, index);
  });
  const location = new Map<string, number>();
  report.locations.forEach(({ rank, thread, index }) => {
    if (!location.has(`${rank}`)) location.set(`${rank}`, index);
    location.set(`${rank}.${thread}`, index);
  });
  const only = isOneProcess(report) ? report.locations[0]!.rank : null;
  const metric = new Map(report.metrics.map(({ name, index }) => [name, index]));
  const made = { callpath, source, metric, location, only };
  known.set(report, made);
  return made;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** Numbers and ranges: "2, 4 and 7-9"; not the begin of "and 5.1 s". */
const LIST = "\\d+(?:-\\d+)?(?:(?:, | and )\\d+(?:-\\d+)?(?![\\d.,]*\\d* ?(?:s|ms|us|ns)\\b))*";

/** In this order: a lock, a quoted name, a source line, a thread of a rank, ranks, threads, iterations, a stretch of
 * time, words. */
const PATTERN = new RegExp(
  [
    "(?<lock>lock of window (?:`(?<window>[^`]*)`|(?<number>\\d+))(?: on (?:rank|PE|image) (?<target>\\d+)| on all (?:ranks|PEs|images))?)",
    "`(?<quoted>[^`]+)`",
    "\\((?<source>[^()\\s`]+:\\d+)\\)",
    "\\b(?:rank|PE|image|process) (?<rank>\\d+), thread (?<thread>\\d+)",
    `\\b(?:ranks?|PEs?|images?) (?<ranks>${LIST})`,
    `\\bthreads? (?<threads>${LIST})`,
    "\\biterations? (?<first>\\d+)(?:-(?<last>\\d+))?",
    "(?<from>\\d+(?:\\.\\d+)?)-(?<to>\\d+(?:\\.\\d+)?) (?<unit>s|ms|us|ns)\\b",
    "(?<word>\\b[A-Za-z_]\\w*)",
  ].join("|"),
  "g",
);

/** @returns the pieces of a sentence, in order; together they are the sentence. */
export function mentions(report: Report, sentence: string, context: Context): Piece[] {
  const names = namesOf(report);
  const pieces: Piece[] = [];
  let done = 0;
  const put = (from: number, text: string, place: Place | null): void => {
    if (place === null) return;
    if (from > done) pieces.push({ text: sentence.slice(done, from), place: null });
    pieces.push({ text, place });
    done = from + text.length;
  };
  const metricAt = longestMetric(names);
  for (let match; (match = PATTERN.exec(sentence)) !== null; ) {
    const groups = match.groups!;
    const at = match.index;
    if (groups["lock"] !== undefined) put(at, groups["lock"], lockPlace(report, groups));
    else if (groups["quoted"] !== undefined) put(at + 1, groups["quoted"], functionPlace(report, names, groups["quoted"], context));
    else if (groups["source"] !== undefined) put(at + 1, groups["source"], sourcePlace(report, names, groups["source"], context));
    else if (groups["rank"] !== undefined) {
      const location = names.location.get(`${Number(groups["rank"]) - report.summary.process.first}.${groups["thread"]!}`);
      put(at, match[0], location === undefined ? null : { kind: "location", location });
    } else if (groups["ranks"] !== undefined || groups["threads"] !== undefined) putList(report, names, match, put);
    else if (groups["first"] !== undefined) {
      const first = Number(groups["first"]);
      const last = Number(groups["last"] ?? first);
      put(at, match[0], report.phases.length > 0 ? { kind: "iterations", first, last } : null);
    } else if (groups["from"] !== undefined) {
      const scale = SECONDS[groups["unit"]!]!;
      put(at, match[0], { kind: "time", from: Number(groups["from"]) * scale, to: Number(groups["to"]) * scale });
    } else {
      const metric = metricAt(sentence, at);
      if (metric !== null) {
        put(at, metric.name, { kind: "metric", metric: metric.index });
        PATTERN.lastIndex = Math.max(PATTERN.lastIndex, at + metric.name.length);
      } else put(at, groups["word"]!, libraryPlace(report, names, groups["word"]!, context));
    }
  }
  PATTERN.lastIndex = 0;
  if (done < sentence.length) pieces.push({ text: sentence.slice(done), place: null });
  return pieces;
}

/** A part of a text; code: a name that the sentence puts between backquotes. */
export interface Part {
  readonly text: string;
  readonly isCode: boolean;
}

/** @returns the parts of each of the texts that a sentence consists of, without backquotes. A name may contain some: with
 * an odd number of them the texts stay as they are. */
export function withoutQuotes(texts: readonly string[]): Part[][] {
  if (texts.join("").split("`").length % 2 === 0) return texts.map((text) => [{ text, isCode: false }]);
  let isCode = false;
  return texts.map((text) =>
    text
      .split("`")
      .map((part, i) => {
        if (i > 0) isCode = !isCode;
        return { text: part, isCode };
      })
      .filter((part) => part.text !== ""),
  );
}

/** Names of single words ("Time", "MPI") are also ordinary words: only longer names are found. */
function longestMetric(names: Names) {
  const long = [...names.metric].filter(([name]) => name.includes(" ")).sort((a, b) => b[0].length - a[0].length);
  return (sentence: string, at: number): { name: string; index: number } | null => {
    const found = long.find(([name]) => sentence.startsWith(name, at));
    return found === undefined ? null : { name: found[0], index: found[1] };
  };
}

function preferred(report: Report, name: string, context: Context): number | undefined {
  return context.callpaths.find((callpath) => callpath !== null && report.callpaths[callpath]?.region === name) ?? undefined;
}

function functionPlace(report: Report, names: Names, name: string, context: Context): Place | null {
  const first = context.callpaths[0] ?? null;
  const known = preferred(report, name, context) ?? names.callpath.get(name);
  // A shortened name, or the end of a path: "compute/burn/work_for".
  const isPart = name.includes("\u2026") || (name.includes("/") && isPathOf(report, first, name));
  const callpath = known ?? (isPart ? first : null);
  return callpath === null ? null : { kind: "callpath", callpath };
}

/** @returns whether the names from a callee's callers to the callee end with this text. */
function isPathOf(report: Report, callpath: number | null, text: string): boolean {
  return callpath !== null && `/${callpathNames(report, callpath).join("/")}`.endsWith(`/${text}`);
}

/** Functions of libraries are not quoted. */
function libraryPlace(report: Report, names: Names, name: string, context: Context): Place | null {
  const callpath = preferred(report, name, context) ?? names.callpath.get(name);
  return callpath === undefined || report.callpaths[callpath]!.paradigm === "user" ? null : { kind: "callpath", callpath };
}

function sourcePlace(report: Report, names: Names, name: string, context: Context): Place | null {
  const isHere = (callpath: number | null): boolean => {
    const { file = null, line = null } = callpath === null ? {} : (report.callpaths[callpath] ?? {});
    return file !== null && `${file.slice(file.lastIndexOf("/") + 1)}:${line}` === name;
  };
  const callpath = context.callpaths.find(isHere) ?? names.source.get(name) ?? null;
  return callpath === null ? null : { kind: "source", callpath };
}

/** The numbers of ranks, or of the threads of the only process. */
function putList(
  report: Report,
  names: Names,
  found: RegExpExecArray,
  put: (at: number, text: string, place: Place | null) => void,
): void {
  const { ranks, threads } = found.groups!;
  const text = ranks ?? threads!;
  const at = found.index + found[0].length - text.length;
  for (const match of text.matchAll(/(\d+)(?:-\d+)?/g)) {
    const isThread = ranks === undefined;
    if (isThread && names.only === null) return;
    const key = isThread ? `${names.only}.${match[1]!}` : `${Number(match[1]) - report.summary.process.first}`;
    const location = names.location.get(key);
    put(at + match.index, match[0], location === undefined ? null : { kind: "location", location });
  }
}

function lockPlace(report: Report, groups: Record<string, string | undefined>): Place | null {
  const lock = report.locks.findIndex(
    ({ name, window, target }) =>
      (groups["window"] === undefined ? window === Number(groups["number"]) : name === groups["window"]) &&
      (groups["target"] === undefined || target === null || target === Number(groups["target"]) - report.summary.process.first),
  );
  return lock < 0 ? null : { kind: "lock", lock };
}
