// SPDX-License-Identifier: BSD-3-Clause
// Every view at several widths, light and dark: axe-core finds no violation (contrast, names, roles, keyboard),
// nothing is wider than the window, no text is cut off where there is room.
// usage: check_layout.mjs WEB FERMATA SYNTHESIZE_SOR WRITE_REPORTS [PICTURES]
//   PICTURES  folder for a screenshot of each view at each width in each colour scheme
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { Bench, goTo } from "./browser.mjs";
import { hybridExperiment } from "./hybrid.mjs";

const [web, fermata, synthesize, writeReports, pictures] = process.argv.slice(2);
const bench = new Bench(web, fermata);
const axe = readFileSync(createRequire(join(web, "package.json")).resolve("axe-core/axe.min.js"), "utf8");

function experiment(name, ...options) {
  const place = bench.path(name);
  bench.run(synthesize, ...options, place);
  bench.run(fermata, "analyze", "--quiet", place);
  return place;
}

const sample = bench.path("sample.fer");
bench.run(writeReports, "sample", sample);
const few = experiment("few", "--ranks", "4", "--iterations", "30");
const slower = experiment("slower", "--ranks", "4", "--iterations", "30", "--seed", "7");
const threads = hybridExperiment(bench, fermata, "threads", { ranks: 2, threads: 4 });
const uneven = hybridExperiment(bench, fermata, "uneven", { logger: false });
const even = hybridExperiment(bench, fermata, "even", { logger: false, more: 0 });
const hybrids = bench.path("hybrids.html");
bench.run(fermata, "view", even, uneven, "--html", hybrids);
const compared = bench.path("compared.html");
bench.run(fermata, "view", few, slower, "--html", compared);
const pages = {
  sample: bench.page(sample, "sample.html"),
  4: bench.page(few, "few.html"),
  1024: bench.page(experiment("many", "--ranks", "1024", "--variant", "locks", "--iterations", "2"), "many.html"),
  compared,
  threads: bench.page(threads, "threads.html"),
  hybrids,
};
const LATENESS = "#trees?define=lateness%3Dmpi_latesender%2Ftime&metric=%3Dlateness";
/** For trying out single pages, or files of others: FERMATA_LAYOUT_PAGES=sample,compared,/home/me/page.html */
const ONLY = process.env.FERMATA_LAYOUT_PAGES?.split(",") ?? Object.keys(pages);
for (const path of ONLY.filter((each) => each.endsWith(".html"))) pages[path] = path;
const VIEWS = [
  "summary", "trees", "trees?system=ranks", "trees?system=heatmap", "trees?system=distribution", "timeline", "waits",
  "path", "efficiency", "matrices", "locks", "metrics", "run",
];
const hashes = (page) => {
  if (page === "compared") return ["#compare", "#trees", "#trees?mode=absolute", LATENESS];
  if (page === "threads") {
    return ["#summary", "#trees", "#trees?system=heatmap", "#timeline", "#timeline?sort=folded", "#timeline?interval=0_100000", "#waits", "#locks", "#matrices"];
  }
  if (page === "hybrids") return ["#compare", "#efficiency"];
  if (page === "sample") return ["#trees?metric=comp&system=topology&mx=", "#summary", "#locks", "#matrices"];
  return VIEWS.map((view) => `#${view}`);
};
const WIDTHS = [800, 1280, 1920, 3840];
/** Of many ranks: what depends on their number is widest, or has most room, at one of these. */
const EXTREMES = [800, 3840];

/** Rules of axe-core, and those among them that depend on the colours. */
const RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

await bench.start();

/** @returns what axe-core complains about, a line for each kind and element */
async function violations(page, rules) {
  // Once in each document.
  await page.evaluate((source) => globalThis.axe === undefined && void globalThis.eval(source), axe);
  return page.evaluate(async (runOnly) => {
    // The rows of a long table are alike.
    const part = { include: [["html"]], exclude: [["tbody tr:nth-child(n + 40)"]] };
    const result = await globalThis.axe.run(part, { runOnly, resultTypes: ["violations"] });
    return result.violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 4).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any.map((each) => each.message)[0] ?? ""}`),
    );
  }, rules);
}

/** @returns the elements that are wider than their box or than the window */
function overflowing(page) {
  return page.evaluate(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page");
    const main = document.querySelector("main");
    if (main.scrollWidth > main.clientWidth) found.push(`main: ${main.scrollWidth} in ${main.clientWidth}`);
    const scrolls = (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX) && at !== main) return true;
      }
      return false;
    };
    for (const element of document.querySelectorAll("main *, header.top *")) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || scrolls(element)) continue;
      if (box.right > innerWidth + 1 || box.left < -1) found.push(`${element.tagName}.${element.className} to ${box.right}`);
    }
    // Texts that are cut off by their box.
    for (const element of document.querySelectorAll("button, h1, h2, label, th, td, nav, .pane > header, .title, .chain-step, .chain-text")) {
      if (!element.classList.contains("unseen") && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1) {
        found.push(`cut: ${element.tagName}.${element.className} ${element.textContent.slice(0, 40)}`);
      }
    }
    return found.slice(0, 8);
  });
}

async function savePictures(page, name) {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
  }
}

for (const [name, path] of Object.entries(pages).filter(([each]) => ONLY.includes(each))) {
  await bench.check(name, async () => {
    const wrong = [];
    // One document for all views: an address contains the whole state.
    const page = await bench.open(path, { width: WIDTHS[0], height: 900 });
    const widths = name === "1024" ? [...EXTREMES] : [...WIDTHS];
    for (const hash of hashes(name)) {
      await goTo(page, hash);
      const note = (scheme) => (each) => wrong.push(`${hash} ${scheme}: ${each}`);
      const file = `${basename(name, ".html")}-${hash.slice(1).replace(/[^a-z]+/g, "-")}`;
      for (const width of widths) {
        const height = width > 2000 ? 2000 : 900;
        if (page.viewportSize().width !== width) await page.setViewportSize({ width, height });
        (await overflowing(page)).forEach(note(width));
        await savePictures(page, `${file}-${width}`);
        // Roles and colours do not depend on the width: the narrowest is the hardest.
        if (width !== WIDTHS[0]) continue;
        (await violations(page, RULES)).forEach(note("light"));
        // Colours do not depend on the number of ranks, and only they depend on the colour scheme.
        if (name === "1024") continue;
        await page.emulateMedia({ colorScheme: "dark" });
        (await violations(page, COLOURS)).forEach(note("dark"));
        await page.emulateMedia({ colorScheme: "light" });
      }
      // The next view begins at the width at which this one ends.
      widths.reverse();
    }
    assert.equal(wrong.length, 0, [...new Set(wrong)].join("\n"));
  });
}

await bench.finish();
