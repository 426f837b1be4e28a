// SPDX-License-Identifier: BSD-3-Clause
// CPU time, in seconds, of the viewer on the main thread of the browser and in all threads of its process (including
// the worker that decodes tiles), and of the server for its answers, as reported by the browser and /proc. CPU time is
// used because elapsed time also depends on the load of the machine.
// usage: viewer_times.mjs WEB PAGE            a page as a file: until it is ready
//        viewer_times.mjs WEB FERMATA DIR     the timeline of `fermata view DIR`: first picture, zoom steps
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findChromium } from "../web/chromium.mjs";

const [web, ...what] = process.argv.slice(2);
const { chromium } = createRequire(join(web, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });

async function opened(address) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  // CPU time of the thread, not elapsed time.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  /** @returns CPU time of all tasks of the page so far: scripts, layout and drawing */
  const tasks = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "TaskDuration").value;
  };
  await page.goto(address);
  await page.locator("main").waitFor();
  return { page, tasks };
}

/** Waits until no fetch and no drawing is pending. */
async function settle(page) {
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(50);
  await page.locator("canvas[aria-busy=true]").waitFor({ state: "detached" });
  await page.waitForTimeout(300);
}

/** @returns CPU time of the processes that run pages */
async function timeOfPages(system) {
  const { processInfo } = await system.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function timesOfPage(path) {
  const { page, tasks } = await opened(`${pathToFileURL(path).href}#trees?metric=comp`);
  await page.waitForTimeout(300);
  return { page: await tasks() };
}

/** @returns CPU time of a process, user and system */
function timeOf(pid) {
  // Clock ticks, 100 in a second on Linux, follow the name in parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const STEPS = 36;

async function timesOfServer(fermata, place) {
  const server = spawn(fermata, ["view", "--no-browser", place], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  for await (const data of server.stdout) {
    text += data;
    if (text.includes("Ctrl-C")) break;
  }
  const { page, tasks } = await opened(/http:\S+/.exec(text)[0]);
  await settle(page);
  const system = await browser.newBrowserCDPSession();
  const result = { report: await tasks(), first: {}, steps: [], grouped: {} };
  const measured = async (act) => {
    const now = async () => [await tasks(), await timeOfPages(system), timeOf(server.pid)];
    const before = await now();
    await act();
    await settle(page);
    const after = await now();
    const [main, process, answers] = after.map((time, i) => time - before[i]);
    return { page: main, process, server: answers };
  };
  result.first = await measured(() => page.keyboard.press("3"));
  const chart = page.getByTestId("timeline-chart").locator("canvas");
  await chart.focus();
  // Zoom steps alternately in time and in ranks, from the whole run to single calls.
  for (let i = 0; i < STEPS; i++) {
    result.steps.push(
      await measured(async () => {
        await page.keyboard.press(result.steps.length % 2 === 0 ? "w" : "+");
      }),
    );
  }
  result.span = await page.getByTestId("timeline-span").innerText();
  await page.keyboard.press("0");
  await settle(page);
  result.grouped = await measured(() => page.keyboard.press("g"));
  server.kill("SIGINT");
  return result;
}

console.log(JSON.stringify(what.length === 1 ? await timesOfPage(what[0]) : await timesOfServer(...what)));
await browser.close();
