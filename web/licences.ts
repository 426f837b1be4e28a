// SPDX-License-Identifier: BSD-3-Clause
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** A package whose code is in the built page, and the text of its LICENSE file. */
export interface Notice {
  readonly name: string;
  readonly text: string;
}

const RULE = `\n${"-".repeat(72)}\n\n`;

/** @returns the folder of the package that a module belongs to, null if the module is the viewer's own. */
function packageOf(module: string): string | null {
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? null;
}

function noticeOf(folder: string): Notice {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(join(folder, "LICENSE"), "utf8").trim();
  if (!/^Copyright /m.test(text)) throw new Error(`the licence of ${name} has no copyright notice`);
  return { name: `${name} ${version}`, text };
}

/**
 * Splits a licence with one copyright notice into the notice and the terms, which packages share. Terms are compared
 * without line breaks. Licences with several notices are kept as they are.
 */
function split(text: string): { notice: string; terms: string; key: string } {
  const paragraphs = text.split(/\n\s*\n/);
  const notices = paragraphs.filter((paragraph) => paragraph.startsWith("Copyright "));
  if (notices.length !== 1) return { notice: "", terms: text, key: text };
  const notice = notices[0]!;
  const terms = paragraphs.filter((paragraph) => paragraph !== notice).join("\n\n");
  return { notice, terms, key: terms.replace(/\s+/g, " ") };
}

/** @returns all notices as a text: each package with its copyright notice, and each licence once. */
export function describeNotices(notices: readonly Notice[]): string {
  const groups = new Map<string, { names: string[]; terms: string }>();
  for (const { name, text } of notices) {
    const { notice, terms, key } = split(text);
    const group = groups.get(key) ?? { names: [], terms };
    groups.set(key, group);
    group.names.push(notice === "" ? name : `${name}\n${notice}`);
  }
  return [...groups.values()].map(({ names, terms }) => `${names.join("\n\n")}\n\n${terms}\n`).join(RULE);
}

/** Collects the modules whose code is in the output of a build. */
export function collectModules(modules: Set<string>): Plugin {
  return {
    name: "collect-modules",
    renderChunk(_, chunk) {
      for (const [id, { renderedLength }] of Object.entries(chunk.modules)) if (renderedLength > 0) modules.add(id);
      return null;
    },
  };
}

/**
 * Puts the licence of the viewer and those of the packages that it contains into the page, in the place of %LICENCES%,
 * and writes them to LICENSES.md.
 *
 * @param modules of collectModules(), of the page and its workers
 * @param own     the viewer's own licence
 */
export function embedLicences(modules: ReadonlySet<string>, own: Notice): Plugin {
  return {
    name: "embed-licences",
    enforce: "post",
    generateBundle(_, bundle) {
      const folders = new Set([...modules].map(packageOf).filter((folder) => folder !== null));
      const packages = [...folders].map(noticeOf).sort((a, b) => (a.name < b.name ? -1 : 1));
      const text = describeNotices([own, ...packages]);
      for (const file of Object.values(bundle)) {
        if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
        const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
        file.source = String(file.source).replace("%LICENCES%", () => escaped);
      }
      const markdown = `# Licences of what the built viewer contains\n\nWritten by \`npm run build\`.\n\n\`\`\`\n${text}\`\`\`\n`;
      this.emitFile({ type: "asset", fileName: "LICENSES.md", source: markdown });
    },
  };
}
