// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the page have in common: a browser that notices every error and every request.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { findChromium } from "../../web/chromium.mjs";

/** ctest's SKIP_RETURN_CODE */
const SKIP = 77;

/** @returns Playwright's Chromium of the viewer's own packages; ends the test if there is none. */
function findBrowser(web) {
  const executable = findChromium();
  try {
    const { chromium } = createRequire(join(web, "package.json"))("playwright-core");
    if (executable !== undefined) return { chromium, executable };
    console.log("skipped: no chromium here");
  } catch {
    console.log(`skipped: no packages in ${web} (npm ci)`);
  }
  process.exit(SKIP);
}

/** Longest time for what a page does at all, in milliseconds: a machine with other work takes its time. */
const PATIENCE = 120_000;

/** Debugging aid: how many times slower than the machine the page's scripts run. */
const SLOWER = Number(process.env.FERMATA_SLOW_BROWSER ?? 1);

/** Repeats an assertion about something that follows later until it holds. @returns what it returns; without success after
 * PATIENCE, its error is thrown */
export async function eventually(assertion) {
  const end = performance.now() + PATIENCE;
  for (let pause = 10; ; pause = Math.min(2 * pause, 500)) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Waits until the page has handled all that happened so far: what it does after a change (effects, observers of sizes,
 * drawing) is done within some pictures. What it fetches may still be missing. */
export function drawn(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let left = 4;
        const picture = () => (left-- > 0 ? requestAnimationFrame(() => setTimeout(picture)) : resolve());
        picture();
      }),
  );
}

/** Waits until the page is at rest: nothing in it is busy (aria-busy: reading, fetching or computing what it shows), and
 * nothing has changed for three pictures. An effect of a change comes after the next picture, an observer of sizes that it
 * starts is called in the one after that. */
export function settled(page) {
  return page.evaluate(
    (patience) =>
      new Promise((resolve, reject) => {
        const began = performance.now();
        let still = 0;
        const observer = new MutationObserver(() => (still = 0));
        observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        const picture = () => {
          const busy = document.querySelector("[aria-busy=true]");
          if (busy !== null) still = 0;
          if (still++ < 3 && performance.now() - began < patience) {
            requestAnimationFrame(() => setTimeout(picture));
            return;
          }
          observer.disconnect();
          if (still > 3) resolve();
          else reject(new Error(`the page does not come to rest: ${busy?.outerHTML.slice(0, 300) ?? "it changes all the time"}`));
        };
        picture();
      }),
    PATIENCE,
  );
}

/** Changes the address within a page, which follows. */
export async function goTo(page, hash) {
  await page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const before = location.hash;
        addEventListener("hashchange", resolve, { once: true });
        location.hash = wanted;
        if (location.hash === before) resolve();
      }),
    hash,
  );
  await settled(page);
}

/** Actions after which the page comes to rest before the test goes on. Keys and buttons are handled when Playwright's
 * action returns, and what follows from them is waited for here; so a test may look at the page right after an action. */
const ACTIONS = {
  page: ["goBack", "goForward", "reload", "setViewportSize", "emulateMedia"],
  mouse: ["click", "dblclick", "down", "move", "up"],
  keyboard: ["down", "press", "type", "up"],
  locator: ["check", "clear", "click", "dblclick", "fill", "focus", "blur", "hover", "press", "scrollIntoViewIfNeeded", "selectOption",
    "setInputFiles", "uncheck"],
};

/** Pages whose actions wait for pictures only, as their test holds back what they fetch. */
const held = new WeakSet();

/** Runs a test during which the page does not come to rest: the answers to its requests are held back. */
export async function whileHeld(page, test) {
  held.add(page);
  try {
    return await test();
  } finally {
    held.delete(page);
  }
}

const atRest = (page) => (held.has(page) ? drawn(page) : settled(page));

function settleAfter(object, names, pageOf) {
  for (const name of names) {
    const act = object[name];
    object[name] = async function (...options) {
      const result = await act.apply(this, options);
      await atRest(pageOf(this));
      return result;
    };
  }
}

let locatorsSettle = false;

/** Makes the page come to rest after each action. */
function settleActions(page) {
  settleAfter(page, ACTIONS.page, () => page);
  settleAfter(page.mouse, ACTIONS.mouse, () => page);
  settleAfter(page.keyboard, ACTIONS.keyboard, () => page);
  // The browser does not wait until the page has handled the wheel.
  const { mouse } = page;
  const turn = mouse.wheel;
  mouse.wheel = async (x, y) => {
    await page.evaluate(() => {
      window.turned = new Promise((resolve) => addEventListener("wheel", () => setTimeout(resolve), { capture: true, once: true }));
    });
    await turn.call(mouse, x, y);
    await page.evaluate(() => window.turned);
    await atRest(page);
  };
  if (locatorsSettle) return;
  locatorsSettle = true;
  settleAfter(Object.getPrototypeOf(page.locator("html")), ACTIONS.locator, (locator) => locator.page());
}

export class Bench {
  constructor(web, fermata) {
    this.fermata = fermata;
    this.found = findBrowser(web);
    this.directory = mkdtempSync(join(tmpdir(), "fermata-web-"));
    this.problems = [];
    this.passed = 0;
    /** Pages of the current check, and those of earlier ones: a new one takes much longer than another document. */
    this.opened = [];
    this.unused = [];
    /** The addresses that a page may ask for. */
    this.allowed = new WeakMap();
    // Of the same site as the pages of reports: the browser needs no other process for it.
    writeFileSync(this.path("blank.html"), "<!doctype html>");
    this.blank = pathToFileURL(this.path("blank.html")).href;
    /** Their sizes and colour schemes. */
    this.views = new WeakMap();
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
      // Without a graphics processor: pictures are the same however busy the machine is, and cheaper.
      args: ["--no-sandbox", "--disable-gpu"],
      timeout: PATIENCE,
    });
  }

  /** Opens a page until the end of the check; whatever it logs, throws, or asks of a network becomes a failure. */
  open(path, options) {
    return this.openAddress(pathToFileURL(path).href, options);
  }

  /** Opens what a server has; it may ask for what is below its address. */
  openServed(address, options) {
    return this.openAddress(address, options);
  }

  async openAddress(address, { hash = "", colorScheme = "light", width = 1400, height = 900, before } = {}) {
    const page = this.unused.pop() ?? (await this.makePage());
    this.opened.push(page);
    this.allowed.set(page, address);
    const view = { colorScheme, width, height };
    if (!isDeepStrictEqual(view, this.views.get(page))) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      this.views.set(page, view);
    }
    await before?.(page);
    await page.goto(address + hash);
    await page.locator("main").waitFor();
    await settled(page);
    return page;
  }

  async makePage() {
    const context = await this.browser.newContext({ acceptDownloads: true });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    page.on("console", (message) => this.problems.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => this.problems.push(`error: ${error.stack ?? error.message}`));
    page.on("dialog", (dialog) => {
      this.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(this.allowed.get(page)) && !url.startsWith("data:") && !url.startsWith("blob:")) {
        this.problems.push(`request: ${url.slice(0, 200)}`);
      }
    });
    if (SLOWER > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    settleActions(page);
    return page;
  }

  /** Ends the use of a page before the end of the check. It is kept for later, with nothing in it that could still happen. */
  async leave(page) {
    this.opened.splice(this.opened.indexOf(page), 1);
    this.allowed.set(page, this.blank);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.evaluate(() => localStorage.clear());
    await page.goto(this.blank);
    await page.mouse.move(0, 0);
    const { width, height } = page.viewportSize();
    const view = this.views.get(page);
    if (width !== view.width || height !== view.height) this.views.delete(page);
    this.unused.push(page);
  }

  /** Runs one test. */
  async check(name, test) {
    this.problems.length = 0;
    const began = performance.now();
    try {
      await test();
      for (const page of [...this.opened]) await this.leave(page);
      assert.deepEqual(this.problems, []);
      this.passed++;
      console.log(`ok      ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      this.failed = true;
      console.log(`FAILED  ${name}\n${error.stack ?? error}`);
      for (const problem of this.problems) console.log(`        ${problem}`);
      // In whatever state they are: the next check has new ones.
      for (const page of this.opened.splice(0)) await page.context().close().catch(() => {});
    }
  }

  async finish() {
    await this.browser?.close();
    rmSync(this.directory, { recursive: true, force: true });
    console.log(`${this.passed} passed${this.failed ? ", some failed" : ""}`);
    process.exitCode = this.failed ? 1 : 0;
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
