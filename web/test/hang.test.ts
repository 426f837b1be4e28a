// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, test } from "vitest";
import type { JsonHang, JsonHangPart, JsonHangWait } from "../src/data/layout";
import { awaitedText, callNeverLeft, makeHangGraph } from "../src/model/hang";
import { smallReport } from "./small_report";

const part = (of: Partial<JsonHangPart>): JsonHangPart =>
  ({ awaits: "message", for: [], mode: "and", object: "MPI_COMM_WORLD", tag: 7, there: false, never: false, ...of });
const wait = (location: number, targets: number[], of: Partial<JsonHangWait> = {}, what: Partial<JsonHangPart> = {}): JsonHangWait =>
  ({ location, callpath: 0, since: 1, counts: true, stuck: true, mode: "and", for: [part({ for: targets, ...what })], ...of });
const hang = (of: Partial<JsonHang>): JsonHang =>
  ({ kind: "deadlock", open_ends: 0, since: 0, waits: [], cycle: [], places: [], ...of });

const LIMIT = 8;

describe("the wait-for graph", () => {
  test("few locations are nodes of their own, those of the circle first", () => {
    const { nodes, edges, left } = makeHangGraph(hang({
      waits: [wait(0, [1]), wait(1, [2]), wait(2, [1]), wait(3, [4], { stuck: false, counts: false })],
      cycle: [2, 1],
      places: [{ location: 4, callpath: 5, ended: false }, { location: 5, callpath: 5, ended: false }],
    }), LIMIT);
    expect(nodes.map(({ locations, state }) => [locations, state])).toEqual([
      [[2], "stuck"], [[1], "stuck"], [[0], "stuck"], [[3], "inside"], [[4], "elsewhere"],
    ]);
    expect(edges.map(({ from, to, isInCycle }) => [from, to, isInCycle])).toEqual([
      [2, 1, false], [1, 0, true], [0, 1, true], [3, 4, false],
    ]);
    expect(left).toBe(0);
  });

  test("many locations that wait for the same in the same call are one node", () => {
    const ring = Array.from({ length: 100 }, (_, i) => wait(i, [(i + 1) % 100]));
    const { nodes, edges, left } = makeHangGraph(hang({ waits: ring, cycle: ring.map(({ location }) => location) }), LIMIT);
    expect(nodes.map(({ locations }) => locations.length)).toEqual([100]);
    expect(edges).toEqual([{ from: 0, to: 0, text: "message, tag 7", isAny: false, isInCycle: true }]);
    expect(left).toBe(0);
  });

  test("what does not fit is counted", () => {
    const waits = Array.from({ length: 30 }, (_, i) => wait(i, [(i + 1) % 30], { callpath: i }));
    const { nodes, left } = makeHangGraph(hang({ waits }), LIMIT);
    expect([nodes.length, left]).toEqual([8, 22]);
  });

  test("one of several is enough; what is there is not waited for", () => {
    const { edges } = makeHangGraph(hang({
      kind: "no_progress",
      waits: [wait(0, [1, 2], {}, { mode: "or", tag: null }), wait(1, [0], {}, { there: true }), wait(2, [0])],
    }), LIMIT);
    expect(edges.map(({ from, to, isAny, text }) => [from, to, isAny, text])).toEqual([
      [0, 1, true, "message"], [0, 2, true, "message"], [2, 0, false, "message, tag 7"],
    ]);
  });

  test("calls that were never left are known by their begin", () => {
    const report = { ...smallReport({ metrics: [], callpaths: [["main", null]], ranks: 2, cells: [], ticksPerSecond: 1000 }),
      hang: hang({ waits: [wait(1, [0], { since: 2.5 })] }) };
    expect(callNeverLeft(report, 1, 2500)?.location).toBe(1);
    expect(callNeverLeft(report, 1, 2400)).toBeUndefined();
    expect(callNeverLeft(report, 0, 2500)).toBeUndefined();
  });

  test("is told in few words", () => {
    expect(awaitedText(part({ awaits: "members", tag: null, never: true }))).toBe("never comes");
    expect(awaitedText(part({ awaits: "lock", tag: null, object: "mutex 3" }))).toBe("mutex 3");
    expect(awaitedText(part({ awaits: "what a later version knows", tag: null }))).toBe("unknown");
  });
});
