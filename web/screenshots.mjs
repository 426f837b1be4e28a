// SPDX-License-Identifier: BSD-3-Clause
// Takes the pictures of the documentation: scripts/screenshots.
// usage: screenshots.mjs EXPERIMENTS IMAGES [NAME...]   NAME: of a picture, without .png
import { spawn, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findChromium } from "./chromium.mjs";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [experiments, images, ...wanted] = process.argv.slice(2);

/** Selects the longest wait of a kind (default: of any) in the timeline, and zooms out by a number of
 * steps. */
const longestWait = (steps, kind = "") => async (page) => {
  await page.locator(".longest button", { hasText: kind }).first().click();
  await settle(page);
  await page.getByTestId("timeline-chart").locator("canvas").focus();
  for (let i = 0; i < steps; i++) await page.keyboard.press("s");
};

const PLANTED = ["hidden-computation", "two-causes", "critical-section", "slow-iterations", "small-messages"];

/** Name, experiment (or several, which are compared), address, theme, preparation. Those of "served" come from a
 * server. */
const PICTURES = [
  ...PLANTED.map((name) => [`first-screen-${name}`, `planted-${name}`, "#summary"]),
  ["summary-sor", "sor", "#summary"],
  ["timeline-sor", "sor", "#timeline", "light", longestWait(1)],
  ["timeline-sor-dark", "sor", "#timeline", "dark", longestWait(1)],
  ["trees-sor-dark", "sor", "#trees", "dark"],
  ["efficiency-sor", "sor", "#efficiency"],
  ["timeline-lock", "lock", "#timeline", "light", longestWait(0, "Lock Contention")],
  ["locks-dark", "lock", "#locks", "dark"],
  ["timeline-hybrid", "hybrid", "#timeline", "light", longestWait(0, "Late Receiver")],
  ["timeline-threads", "threads", "#timeline?t=0_95000"],
  ["timeline-lammps", "lammps", "#timeline", "light", longestWait(3)],
  ["counters-grid", "lammps-counters", "#trees?metric=counter:mpi.bytes_sent&system=topology"],
  ["counters-curves", "lammps-counters", "#timeline?counter=1&color=counter"],
  ["matrix-delays", "locks-64", "#matrices"],
  ["compare-timelines", ["before", "balanced", "slower"], "#compare"],
  ["compare-predicted", ["fences", "fences-of-partners"], "#compare"],
  ["trees-1024", "gats-1024", "#trees?system=ranks"],
  ["timeline-1024", "gats-1024", "#timeline", "light", longestWait(1)],
  ["timeline-similar", "imbalance-1024", "#timeline?alike=1"],
  ["timeline-65536", "gats-65536", "#timeline", "light", undefined, "served"],
];

/** Terminals: what a program has written to one (EXPERIMENTS/NAME.tty, of script(1)). */
const TERMINALS = ["counters-top"];

/** Pictures that a command has drawn: EXPERIMENTS/NAME.svg. */
const DRAWN = ["counters-lammps", "counters-heatmap"];

async function settle(page) {
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(500);
}

async function take(browser, address, [name, , hash, theme = "light", act]) {
  // The first screen of a small window.
  const heights = { "first-screen": 640, compare: 850 };
  const small = Object.keys(heights).find((each) => name.startsWith(each));
  const viewport = small === undefined ? { width: 1280, height: 780 } : { width: 1100, height: heights[small] };
  const context = await browser.newContext({ viewport, colorScheme: theme });
  const page = await context.newPage();
  page.on("console", (message) => console.log(`${name}: ${message.text()}`));
  page.on("pageerror", (error) => console.log(`${name}: ${error.message}`));
  await page.goto(address + hash);
  await page.locator("main").waitFor();
  await settle(page);
  if (act !== undefined) await act(page);
  await settle(page);
  await page.mouse.move(viewport.width / 2, viewport.height - 2);
  await page.evaluate(() => document.activeElement.blur());
  await page.screenshot({ path: join(images, `${name}.png`) });
  await context.close();
  console.log(`${name}.png`);
}

/** Draws what a terminal shows at the end: the text behind the last clearing of the screen. */
async function takeTerminal(browser, name) {
  const clear = "\u001b[H\u001b[2J";
  const written = readFileSync(join(experiments, `${name}.tty`), "utf8").replaceAll("\r", "");
  const frames = written.split(clear);
  const text = frames[frames.length - 1].replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/\nScript done.*/s, "");
  const page = await browser.newPage({ viewport: { width: 1180, height: 400 }, deviceScaleFactor: 1 });
  await page.setContent(`<pre style="margin:0;padding:14px 16px;background:#1b1d1f;color:#e3e3e0;display:inline-block;
    font:13px/1.45 'DejaVu Sans Mono',monospace;border-radius:6px"></pre>`);
  await page.evaluate((shown) => { document.querySelector("pre").textContent = shown; }, text.trimEnd());
  await page.locator("pre").screenshot({ path: join(images, `${name}.png`) });
  await page.close();
  console.log(`${name}.png`);
}

/** Converts a picture. */
async function takeDrawn(browser, name) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, deviceScaleFactor: 1 });
  await page.setContent(`<body style="margin:0">${readFileSync(join(experiments, `${name}.svg`), "utf8")}</body>`);
  await page.locator("svg").screenshot({ path: join(images, `${name}.png`) });
  await page.close();
  console.log(`${name}.png`);
}

/** Serves an experiment while `use` runs. */
async function served(place, use) {
  const server = spawn("fermata", ["view", "--no-browser", place], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const data of server.stdout) {
    text += data;
    if (text.includes("Ctrl-C")) break;
  }
  await use(/http:\S+/.exec(text)[0]);
  server.kill("SIGINT");
}

const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox"],
});
for (const picture of PICTURES) {
  const [name, experiment, , , , from] = picture;
  const runs = [experiment].flat();
  const isThere = runs.every((run) => existsSync(join(experiments, run)));
  if (!isWanted(name) || !isThere) continue;
  if (from === "served") {
    await served(join(experiments, experiment), (address) => take(browser, address, picture));
    continue;
  }
  const page = join(experiments, `${runs.join("-")}.html`);
  // The page calls runs by their paths.
  if (!existsSync(page)) execFileSync("fermata", ["view", ...runs, "--html", page], { cwd: experiments });
  await take(browser, pathToFileURL(page).href, picture);
}
for (const name of TERMINALS) {
  if (isWanted(name) && existsSync(join(experiments, `${name}.tty`))) await takeTerminal(browser, name);
}
for (const name of DRAWN) {
  if (isWanted(name) && existsSync(join(experiments, `${name}.svg`))) await takeDrawn(browser, name);
}
await browser.close();
