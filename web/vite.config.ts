// SPDX-License-Identifier: BSD-3-Clause
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { collectModules, embedLicences } from "./licences";

/** Lists the scripts and styles of the page by their checksums, so that nothing else runs in it: no script in
 * a name of a trace, and nothing from a network. */
function contentSecurityPolicy(): Plugin {
  const hashes = (html: string, tag: string): string =>
    [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`, "g"))]
      .map((match) => `'sha256-${createHash("sha256").update(match[1] ?? "").digest("base64")}'`)
      .join(" ");
  return {
    name: "content-security-policy",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
        // Line ends are those of the file: the checksums are those of the final text.
        const html = String(file.source);
        const policy = [
          "default-src 'none'",
          `script-src ${hashes(html, "script")}`,
          `style-src ${hashes(html, "style")}`,
          "img-src data: blob:",
          "base-uri 'none'",
          "form-action 'none'",
        ].join("; ");
        file.source = html.replace("%POLICY%", policy);
        file.fileName = "viewer.html";
      }
    },
  };
}

const modules = new Set<string>();
const licence = readFileSync(new URL("../LICENSE", import.meta.url), "utf8").trim();

export default defineConfig({
  plugins: [
    collectModules(modules),
    viteSingleFile({ removeViteModuleLoader: true }),
    embedLicences(modules, { name: "fermata", text: licence }),
    contentSecurityPolicy(),
  ],
  worker: { plugins: () => [collectModules(modules)] },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  test: { include: ["test/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
