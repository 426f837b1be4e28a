// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import {
  formatBytes,
  formatCount,
  formatError,
  formatPercent,
  formatRanges,
  formatSeconds,
  formatTick,
  printable,
  shorten,
} from "../src/format";

describe("numbers as the report in the terminal writes them", () => {
  it.each([
    [0, "0 s"],
    [12.3456, "12.35 s"],
    [1234.5, "1234 s"],
    [1235.5, "1236 s"],
    [0.0625, "62.50 ms"],
    [0.5231, "523.1 ms"],
    [0.00099996, "1.000 ms"],
    [7e-6, "7.000 us"],
    [4.4e-9, "4.400 ns"],
    [-0.002, "-2.000 ms"],
    [9.99951, "10.00 s"],
  ])("%d seconds is %s", (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

  it("writes the error of a percentage if it is not rounded to 0", () => {
    expect(formatError(3, 1000)).toBe(" (\u00b10.3)");
    expect(formatError(0.4, 1000)).toBe("");
    expect(formatError(null, 1000)).toBe("");
    expect(formatError(3, 0)).toBe("");
  });

  it("groups digits of counts", () => expect(formatCount(1234567)).toBe("1,234,567"));

  it.each([
    [1023, "1023 B"],
    [1024, "1.000 KiB"],
    [1258291200, "1.172 GiB"],
  ])("%d bytes is %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it("never rounds a value other than 0 to 0", () => {
    expect(formatPercent(0)).toBe("0.0%");
    expect(formatPercent(0.0001)).toBe("<0.1%");
    expect(formatPercent(0.3125)).toBe("31.2%");
    expect(formatPercent(0.3135)).toBe("31.4%");
  });

  it("writes round numbers without trailing zeros", () => {
    expect(formatTick(0.1)).toBe("100 ms");
    expect(formatTick(1.25)).toBe("1.25 s");
    expect(formatTick(20)).toBe("20 s");
    expect(formatTick(0)).toBe("0 s");
  });

  it("writes ranges", () => {
    expect(formatRanges([3, 0, 1, 2, 8, 10, 11], 8)).toBe("0-3, 8, 10, 11");
    expect(formatRanges([0, 2, 4, 6], 2)).toBe("0, 2, ...");
  });
});

describe("names from traces", () => {
  it("cannot hide or reverse the adjacent text", () => {
    expect(printable("a\u202eb\u0000\u001b[2Jc\n")).toBe("a\\u{202e}b\\x00\\x1b[2Jc\\x0a");
    expect(printable("gr\u00fc\u00df 計算")).toBe("gr\u00fc\u00df 計算");
  });

  it("are cut in the middle", () => {
    const text = shorten("x".repeat(10000), 50);
    expect(text.length).toBe(50);
    expect(shorten("short", 50)).toBe("short");
  });
});
