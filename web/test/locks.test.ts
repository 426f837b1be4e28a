// SPDX-License-Identifier: BSD-3-Clause
import { expect, it } from "vitest";
import type { JsonLock } from "../src/data/layout";
import { lockName } from "../src/views/Locks";
import { smallReport } from "./small_report";

const lock = (window: number | null, name: string | null, target: number | null): JsonLock =>
  ({ window, name, target }) as unknown as JsonLock;

it("names locks as the report does", () => {
  const report = smallReport({ ranks: 2, metrics: [["time", null]], callpaths: [["main", null]], cells: [] });
  const images = { ...report, summary: { ...report.summary, process: { one: "image", many: "images", first: 1 } } };
  expect(lockName(report, lock(3, "w", 5))).toBe("w, rank 5");
  expect(lockName(report, lock(4, null, null))).toBe("window 4, all ranks");
  expect(lockName(images, lock(4, null, 0))).toBe("window 4, image 1");
  expect(lockName(images, lock(null, "coarray lock 0x40 of image 1", null))).toBe("coarray lock 0x40 of image 1");
});
