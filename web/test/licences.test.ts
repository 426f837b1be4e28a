// SPDX-License-Identifier: BSD-3-Clause
import { describe, expect, it } from "vitest";
import { describeNotices } from "../licences";

const count = (text: string, part: string): number => text.split(part).length - 1;

describe("licences", () => {
  it("state terms once, whatever their line breaks, and every copyright notice", () => {
    const text = describeNotices([
      { name: "a 1.0", text: "Copyright 2020 A\n\nAnyone may use\nthis." },
      { name: "b 2.0", text: "Copyright 2021 B\n\nAnyone may\nuse this." },
    ]);
    expect(text).toBe("a 1.0\nCopyright 2020 A\n\nb 2.0\nCopyright 2021 B\n\nAnyone may use\nthis.\n");
  });

  it("keep different terms apart", () => {
    const text = describeNotices([
      { name: "a 1.0", text: "Copyright 2020 A\n\nAnyone may use this." },
      { name: "b 2.0", text: "Copyright 2020 A\n\nNobody may use this." },
    ]);
    expect(text).toMatch(/^a 1\.0\nCopyright 2020 A\n\nAnyone may use this\.\n\n-+\n\nb 2\.0\nCopyright 2020 A\n\nNobody may use this\.\n$/);
  });

  it("with several copyright notices stay as they are", () => {
    const both = "Copyright 2020 A\n\nAnyone may use this.\n\nCopyright 2021 B\n\nSome may use this.";
    const text = describeNotices([
      { name: "a 1.0", text: both },
      { name: "b 1.0", text: "Copyright 2022 C\n\nAnyone may use this." },
    ]);
    expect(text).toContain(`a 1.0\n\n${both}\n`);
    expect(count(text, "Anyone may use this.")).toBe(2);
  });
});
