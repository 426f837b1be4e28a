// SPDX-License-Identifier: BSD-3-Clause
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeColumn, openBundle } from "../src/data/bundle";

function planes(values: readonly bigint[], width: number): Uint8Array {
  const bytes = new Uint8Array(values.length * width);
  for (let plane = 0; plane < width; plane++) {
    values.forEach((value, i) => {
      bytes[plane * values.length + i] = Number((value >> BigInt(8 * plane)) & 255n);
    });
  }
  return bytes;
}

describe("columns", () => {
  it("are decoded from planes of bytes", () => {
    const values = [0n, 1n, 255n, 256n, 65535n, 2n ** 32n + 7n, 2n ** 52n + 1n];
    const bytes = planes(values, 7);
    expect([...decodeColumn(bytes, { at: 0, count: values.length, width: 7, delta: false })]).toEqual(
      values.map(Number),
    );
  });

  it("may begin anywhere", () => {
    const bytes = new Uint8Array([9, 9, ...planes([300n, 5n], 2)]);
    expect([...decodeColumn(bytes, { at: 2, count: 2, width: 2, delta: false })]).toEqual([300, 5]);
  });

  it("may hold differences", () => {
    // 5, 3, 3, 300
    const bytes = planes([10n, 3n, 0n, 594n], 2);
    expect([...decodeColumn(bytes, { at: 0, count: 4, width: 2, delta: true })]).toEqual([5, 3, 3, 300]);
  });

  it("are found in a bundle by their name", async () => {
    const json = JSON.stringify({
      hello: "w\u00f6rld",
      columns: { a: { at: 0, count: 2, width: 1, delta: false } },
    });
    const text = new TextEncoder().encode(json);
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, text.length, true);
    const packed = deflateSync(Buffer.concat([head, text, Uint8Array.from([4, 2])]));
    const bundle = await openBundle<{ hello: string }>(packed.toString("base64"));
    expect(bundle.json.hello).toBe("w\u00f6rld");
    expect(bundle.has("a")).toBe(true);
    expect(bundle.has("b")).toBe(false);
    expect(bundle.has("constructor")).toBe(false);
    expect([...bundle.column("a")]).toEqual([4, 2]);
    expect(() => bundle.column("b")).toThrow(/no column b/);
  });
});
