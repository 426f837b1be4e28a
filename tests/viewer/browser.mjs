// What the tests of the page have in common: a browser that notices every error and every request.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** ctest's SKIP_RETURN_CODE */
const SKIP = 77;

/** @returns Playwright's Chromium of the viewer's own packages; ends the test if there is none. */
function findBrowser(web) {
  const executable = [process.env.FERMATA_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
    (path) => path !== undefined && existsSync(path),
  );
  try {
    const { chromium } = createRequire(join(web, "package.json"))("playwright-core");
    if (executable !== undefined) return { chromium, executable };
    console.log("skipped: no chromium here");
  } catch {
    console.log(`skipped: no packages in ${web} (npm ci)`);
  }
  process.exit(SKIP);
}

export class Bench {
  constructor(web, fermata) {
    this.fermata = fermata;
    this.found = findBrowser(web);
    this.directory = mkdtempSync(join(tmpdir(), "fermata-web-"));
    this.problems = [];
    this.passed = 0;
  }

  path(name) {
    return join(this.directory, name);
  }

  run(...command) {
    return execFileSync(command[0], command.slice(1), {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      env: { ...process.env, COLUMNS: "200", LC_ALL: "C.UTF-8" },
    });
  }

  /** Makes the page of a report. @returns its path */
  page(report, name = "page.html") {
    const page = this.path(name);
    this.run(this.fermata, "view", report, "--html", page);
    return page;
  }

  /** @returns the report as `fermata report --format=json` tells it */
  json(report) {
    return JSON.parse(this.run(this.fermata, "report", report, "--format=json"));
  }

  async start() {
    this.browser = await this.found.chromium.launch({
      executablePath: this.found.executable,
      args: ["--no-sandbox"],
    });
  }

  /** Opens a page; whatever it logs, throws, or asks of a network becomes a failure. */
  open(path, options) {
    return this.openAddress(pathToFileURL(path).href, options);
  }

  /** Opens what a server has; it may ask for what is below its address. */
  openServed(address, options) {
    return this.openAddress(address, options);
  }

  async openAddress(address, { hash = "", colorScheme = "light", width = 1400, height = 900, before } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme,
      acceptDownloads: true,
    });
    const page = await context.newPage();
    page.on("console", (message) => this.problems.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => this.problems.push(`error: ${error.stack ?? error.message}`));
    page.on("dialog", (dialog) => {
      this.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !url.startsWith("data:") && !url.startsWith("blob:")) {
        this.problems.push(`request: ${url.slice(0, 200)}`);
      }
    });
    await before?.(page);
    await page.goto(address + hash);
    await page.locator("main").waitFor();
    return page;
  }

  /** Runs one test. */
  async check(name, test) {
    this.problems.length = 0;
    const began = performance.now();
    try {
      await test();
      assert.deepEqual(this.problems, []);
      this.passed++;
      console.log(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      this.failed = true;
      console.log(`FAILED  ${name}\n${error.stack ?? error}`);
    }
  }

  async finish() {
    await this.browser?.close();
    rmSync(this.directory, { recursive: true, force: true });
    console.log(`${this.passed} passed${this.failed ? ", some failed" : ""}`);
    process.exitCode = this.failed ? 1 : 0;
  }
}

/** Waits until the page has handled all that happened so far: what it does after a change (effects, observers of sizes,
 * drawing) is done within two pictures. */
export function drawn(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
      }),
  );
}

/** Waits until the timelines of the page show all that they fetch. */
export async function settled(page) {
  for (;;) {
    await drawn(page);
    await page.locator("canvas[aria-busy=true]").waitFor({ state: "detached" });
    await drawn(page);
    if ((await page.locator("canvas[aria-busy=true]").count()) === 0) return;
  }
}

/** A scenario of ranks that compute for some time each and meet in a barrier, twice.
 * @param times  how long each rank computes, less than 100 */
export function barrierScenario(times) {
  const lines = ["unit 1e-3", `ranks ${times.length}`];
  times.forEach((time, rank) => {
    lines.push(`0 ${rank} enter main`);
    for (const begin of [0, 100]) {
      lines.push(`${begin} ${rank} enter solve`, `${begin + time} ${rank} leave solve`);
      lines.push(`${begin + time} ${rank} enter MPI_Barrier`, `${begin + time} ${rank} coll_begin`);
      lines.push(`${begin + 100} ${rank} coll_end barrier world - 0 0`, `${begin + 100} ${rank} leave MPI_Barrier`);
    }
    lines.push(`200 ${rank} leave main`);
  });
  return `${lines.join("\n")}\n`;
}

/** Reads CSV as RFC 4180 has it. @returns a list of objects by the header's names */
export function parseCsv(text) {
  const rows = [[]];
  const pattern = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/gy;
  for (let match; (match = pattern.exec(text)) !== null && match[0] !== ""; ) {
    const field = match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1];
    rows[rows.length - 1].push(field);
    if (match[2] === "\r\n") rows.push([]);
  }
  rows.pop();
  const [header, ...lines] = rows;
  return lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i]])));
}

/** @returns a shown number in seconds, bytes or occurrences; percent as a ratio */
export function parseShown(text) {
  const match = /^(-?[\d,.]+) ?(s|ms|us|ns|B|KiB|MiB|GiB|TiB|PiB|%)?$/.exec(text);
  assert.ok(match, `not a number: ${text}`);
  const scale = {
    s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, "%": 0.01,
    B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50,
  };
  return Number(match[1].replaceAll(",", "")) * (match[2] === undefined ? 1 : scale[match[2]]);
}

/** Asserts that two numbers agree to `digits` decimal digits. */
export function assertClose(actual, expected, digits, what) {
  const allowed = Math.abs(expected) * 10 ** -digits + 1e-300;
  assert.ok(Math.abs(actual - expected) <= allowed, `${what}: ${actual} instead of ${expected}`);
}
