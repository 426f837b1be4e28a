// SPDX-License-Identifier: BSD-3-Clause
import { expect, test } from "vitest";
import { csvOf } from "../src/export/csv";

test("numbers stay as they are, texts are quoted where needed", () => {
  expect(csvOf(["a", "b"], [[-1.5e-9, "f(a, \"b\")"], [null, "x;y"]])).toBe(
    'a,b\r\n-1.5e-9,"f(a, ""b"")"\r\n,"x;y"\r\n',
  );
});

test("no text is a formula or an escape sequence", () => {
  const hostile = ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1", "\t=1", "\r\n=1", "\x1b[31m", "\x9b31m", "\u202egnp"];
  const cells = csvOf(["text"], hostile.map((text) => [text])).split("\r\n").slice(1, -1);
  expect(cells).toEqual([
    "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\uff1d1", "\\x09=1", "\\x0d\\x0a=1", "\\x1b[31m", "\\x9b31m", "\\u{202e}gnp",
  ]);
});
