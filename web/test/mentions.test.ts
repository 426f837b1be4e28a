// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { mentions, withoutQuotes } from "../src/model/mentions";
import { locationName, locationWord, processWord } from "../src/model/report";
import { makeSystem } from "../src/model/system";
import type { Report } from "../src/model/report";
import { smallReport } from "./small_report";

const HOSTILE = "<img src=x> ranks 1 and 2 (evil.c:3)";

const plain = smallReport({
  ranks: 12,
  metrics: [
    ["time", null],
    ["mpi_latesender", "time"],
  ],
  callpaths: [
    ["main", null],
    ["solve", 0],
    ["MPI_Recv", 1],
    ["solve", 0],
    [HOSTILE, 0],
  ],
  cells: [
    ["time", 1, 0, 1],
    ["time", 3, 0, 9],
  ],
});
const report: Report = {
  ...plain,
  metrics: plain.metrics.map((metric) => (metric.id === "mpi_latesender" ? { ...metric, name: "Late Sender" } : metric)),
  callpaths: plain.callpaths.map((callpath) => ({
    ...callpath,
    paradigm: callpath.region === "MPI_Recv" ? "mpi" : "user",
    ...(callpath.index === 1 ? { file: "/home/solve.c", line: 78 } : {}),
  })),
  locks: [{ window: 3, name: "w", target: 5 }, { window: 4, name: null, target: null }] as unknown as Report["locks"],
  phases: [{ region: "step", iterations: 9, rows: [] }],
};

/** The places of a sentence, as "text: place". */
function placesIn(sentence: string, callpaths: readonly (number | null)[] = []): string[] {
  const pieces = mentions(report, sentence, { callpaths });
  expect(pieces.map(({ text }) => text).join("")).toBe(sentence);
  return pieces.flatMap(({ text, place }) => {
    if (place === null) return [];
    const { kind, ...rest } = place;
    return [`${text}: ${kind} ${Object.values(rest).join(" ")}`];
  });
}

describe("mentions", () => {
  it.each([
    ["`solve` (solve.c:78) on rank 3 makes others wait 5.1 s: 31 % of all time.", ["solve: callpath 3", "solve.c:78: source 1", "3: location 3"]],
    ["on ranks 2, 4 and 7-9 (3.9 s)", ["2: location 2", "4: location 4", "7-9: location 7"]],
    ["Late Sender in MPI_Recv on 9 of the 12 ranks (8.954 us)", ["Late Sender: metric 1", "MPI_Recv: callpath 2"]],
    ["iterations 25-44 of 60 (0.90-1.65 s), 19 of these 20", ["iterations 25-44: iterations 25 44", "0.90-1.65 s: time 0.9 1.65"]],
    ["2-3 ms after the start", ["2-3 ms: time 0.002 0.003"]],
    ["the lock of window `w` on rank 5 is held", ["lock of window `w` on rank 5: lock 0"]],
    ["the lock of window 4 on all ranks", ["lock of window 4 on all ranks: lock 1"]],
    ["the lock of window 9 on rank 1", []],
    ["main and solve are ordinary words here; Time is, too", []],
    ["rank 99 and `unknown` (unknown.c:1)", []],
    [`in \`${HOSTILE}\``, [`${HOSTILE}: callpath 4`]],
    ["", []],
  ])("%s", (sentence, expected) => {
    expect(placesIn(sentence)).toEqual(expected);
  });

  it("prefer the call path that the sentence is about", () => {
    expect(placesIn("`solve` is late", [1])).toEqual(["solve: callpath 1"]);
    expect(placesIn("`very\u2026long` is late", [3])).toEqual(["very\u2026long: callpath 3"]);
  });
});

describe("the words of other programming models", () => {
  const words = (one: string, many: string, first: number): Report => ({
    ...report,
    summary: { ...report.summary, process: { one, many, first } },
  });

  it("names processes as the report does", () => {
    expect(locationName(report, 3)).toBe("rank 3");
    expect(locationName(words("PE", "PEs", 0), 3)).toBe("PE 3");
    expect(locationName(words("image", "images", 1), 3)).toBe("image 4");
    expect([1, 2].map((count) => processWord(words("image", "images", 1), count))).toEqual(["image", "images"]);
    expect(makeSystem(words("PE", "PEs", 0)).name.filter((name) => name.startsWith("PE "))).toHaveLength(12);
  });

  it("links PEs, and images by their numbers from 1 on", () => {
    const places = (of: Report, sentence: string) =>
      mentions(of, sentence, { callpaths: [] }).flatMap(({ text, place }) => (place?.kind === "location" ? [`${text}: ${place.location}`] : []));
    expect(places(words("PE", "PEs", 0), "`solve` on PEs 2 and 4-5")).toEqual(["2: 2", "4-5: 4"]);
    expect(places(words("image", "images", 1), "`solve` on image 12")).toEqual(["12: 11"]);
  });
});

describe("threads", () => {
  /** `report` with two threads of each of six ranks, or with all locations as threads of rank 0. */
  const threaded = (threads: number): Report => ({
    ...report,
    locations: report.locations.map((each, i) => ({ ...each, rank: Math.floor(i / threads), thread: i % threads })),
  });
  const [hybrid, single] = [threaded(2), threaded(12)];
  const places = (of: Report, sentence: string): string[] =>
    mentions(of, sentence, { callpaths: [] }).flatMap(({ text, place }) => (place?.kind === "location" ? [`${text}: ${place.location}`] : []));

  it("have the names of the report's sentences", () => {
    expect([0, 1, 2].map((location) => locationName(hybrid, location))).toEqual(["rank 0, thread 0", "rank 0, thread 1", "rank 1, thread 0"]);
    expect([0, 3].map((location) => locationName(single, location))).toEqual(["thread 0", "thread 3"]);
    expect([locationWord(report, 1), locationWord(hybrid, 1), locationWord(single, 2)]).toEqual(["rank", "thread", "threads"]);
  });

  it("are linked by rank and thread, or by thread of the only process", () => {
    expect(places(hybrid, "`solve` on rank 1, thread 1 makes others wait")).toEqual(["rank 1, thread 1: 3"]);
    expect(places(hybrid, "on 5 threads of ranks 0 and 1")).toEqual(["0: 0", "1: 2"]);
    expect(places(hybrid, "on thread 1")).toEqual([]);
    expect(places(single, "on threads 1 and 4-6 (3.9 s)")).toEqual(["1: 1", "4-6: 4"]);
    expect(places(single, "8 threads shared the 2 processors")).toEqual([]);
  });
});

describe("names between backquotes", () => {
  const shown = (...texts: string[]) =>
    withoutQuotes(texts).map((parts) => parts.map(({ text, isCode }) => (isCode ? `<${text}>` : text)).join(""));

  it("are names without the backquotes, also across pieces", () => {
    expect(shown("most in `ga_sync` (30 %)")).toEqual(["most in <ga_sync> (30 %)"]);
    expect(shown("`", "solve", "` on rank 3")).toEqual(["", "<solve>", " on rank 3"]);
    expect(shown("the ", "lock of window `w` on rank 5", " is held")).toEqual(["the ", "lock of window <w> on rank 5", " is held"]);
    expect(shown("nothing quoted")).toEqual(["nothing quoted"]);
  });

  it("stay as they are if a name contains one", () => {
    expect(shown("`a`b` is late")).toEqual(["`a`b` is late"]);
  });
});

it("links the end of a path to the call path that the sentence is about", () => {
  expect(placesIn("`main/solve` makes others wait", [1])).toEqual(placesIn("`solve` makes others wait", [1]).map((each) => each.replace("solve:", "main/solve:")));
  expect(placesIn("`other/solve` makes others wait", [1])).toEqual([]);
});
