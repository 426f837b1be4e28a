// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { csvOf } from "../src/export/csv";
import { escapeXml } from "../src/draw/svg";
import { decodeSet, encodeSet } from "../src/state/url";

describe("sets in addresses", () => {
  it.each([[[]], [[0]], [[0, 1, 2, 40, 41, 5000]]])("%j comes back", (numbers) => {
    expect(decodeSet(encodeSet(new Set(numbers)))).toEqual(numbers);
  });

  it("ignore invalid text", () => {
    expect(decodeSet("1.<script>.2")).toEqual([1, 3]);
  });
});

describe("files", () => {
  it("quote CSV fields", () => {
    expect(csvOf(["a", "b"], [['x"y', "1,2"], [null, 0.1]])).toBe('a,b\r\n"x""y","1,2"\r\n,0.1\r\n');
  });

  it("escape XML", () => {
    expect(escapeXml('<a href="x">&\u0000\u001b</a>')).toBe("&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
  });
});
