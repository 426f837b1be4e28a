// SPDX-License-Identifier: BSD-3-Clause
// Counters of a trace in the timeline: curves, heat map and values against what the trace says, in a page
// and from a server. usage: check_counters.mjs WEB FERMATA PYTHON WRITE_COUNTERS [no-server]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { assertClose, Bench, goTo, parseCsv } from "./browser.mjs";

const [web, fermata, python, writeCounters, noServer] = process.argv.slice(2);
const bench = new Bench(web, fermata);
const trace = bench.path("counters");
bench.run(python, "-B", writeCounters, trace);
bench.run(fermata, "analyze", "--quiet", trace, "--html", bench.path("page.html"));
await bench.start();

const open = (hash) => bench.open(bench.path("page.html"), { hash });

/** @returns the values of the chosen counter by location: [time, value]... */
async function values(page) {
  await page.locator(".menu > summary").click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const found = [[], [], [], []];
  for (const row of parseCsv(readFileSync(await file.path(), "utf8"))) {
    if (row.event === "counter") found[Number(row.location)].push([Number(row.begin), Number(row.value)]);
  }
  return found;
}

/** @returns what the pointer reads at a moment of a rank. */
async function tipAt(page, seconds, rank) {
  const box = await page.getByTestId("timeline-chart").boundingBox();
  const x = box.x + 78 + (seconds / 0.1) * (box.width - 78 - 12);
  await page.mouse.move(x, box.y + 34 + ((rank + 0.4) / 4) * (box.height - 34 - 4));
  return page.getByRole("tooltip").innerText();
}

async function checkAll(page) {
  const counters = page.getByLabel("Counter", { exact: true });
  const hostile = '<img src=x onerror="window.evil=1" data-evil=1>';
  const names = await counters.locator("option").allInnerTexts();
  assert.deepEqual(names.map((name) => name.slice(0, 10)), ["no counter", "cycles", "temperatur", hostile.slice(0, 10), "bytes", "sent"]);

  // A total: how fast it grows.
  await counters.selectOption({ label: "cycles" });
  const cycles = await values(page);
  cycles.forEach((curve, rank) => {
    assert.equal(curve.length, 100);
    curve.forEach(([time, value]) => assertClose(value, (rank + 1) * time * 1e6, 9, `cycles of rank ${rank}`));
  });
  assert.match(await tipAt(page, 0.05, 2), /^rank 2\n3e6 cycles\/s\nat 50\.\d+ ms$/);
  assert.match(await tipAt(page, 0.0995, 2), /^rank 2\nno value/);
  assert.match(await page.getByRole("list", { name: "Legend" }).innerText(), /cycles \(cycles\/s\)\s+0\s+4e6/);

  // A level, in tenths.
  await counters.selectOption({ label: "temperature" });
  const temperatures = await values(page);
  temperatures.forEach((curve, rank) =>
    curve.forEach(([time, value]) => assertClose(value, 300 + rank + (time >= 0.05 ? 5 : 0), 12, `temperature at ${time}`)));
  assert.match(await tipAt(page, 0.02, 3), /^rank 3\n303 K/);
  assert.match(await tipAt(page, 0.08, 3), /^rank 3\n308 K/);
  const label = () => page.getByTestId("counter-curves").locator("canvas").getAttribute("aria-label");
  assert.match(await label(), /temperature \(K\): from 300 to 308$/);

  // 10,000 values of each of three ranks, defined four times: one counter; its mean and its peak stay.
  await counters.selectOption({ index: 3 });
  const queues = await values(page);
  assert.deepEqual(queues.map((curve) => curve.length > 500 && curve.length <= 4096), [true, false, true, true]);
  assert.equal(queues[1].length, 0);
  const mean = (curve) => curve.reduce((sum, [time, value], i) => sum + value * ((curve[i + 1]?.[0] ?? 0.1) - time), 0) / 0.1;
  assertClose(mean(queues[0]), 5, 9, "mean");
  assertClose(mean(queues[2]), 5 + 990.5e-4, 9, "mean with the peak");
  const box = await page.getByTestId("counter-curves").boundingBox();
  await page.mouse.move(box.x + 78 + 0.5 * (box.width - 90), box.y + 60);
  assert.match(await page.getByRole("tooltip").innerText(), /at 5\d\.\d+ ms\nrank 0: 5\nrank 2: 5\nrank 3: 5$/);
  assert.match(await tipAt(page, 0.05, 1), /^rank 1\nno value/);

  // What was added each time, from the begin on.
  await counters.selectOption({ label: "bytes" });
  (await values(page)).forEach((curve, rank) =>
    assert.deepEqual(curve, Array.from({ length: 10 }, (_, i) => [i / 100, 100 * rank * i])));

  // A total that is read now and then has grown before its first value, too; it is unknown after the last one.
  await counters.selectOption({ label: "sent" });
  (await values(page)).forEach((curve, rank) =>
    assert.deepEqual(curve, Array.from({ length: 5 }, (_, i) => [i / 50, rank * i * 20000])));
  assert.match(await tipAt(page, 0.005, 2), /^rank 2\n2e6 B\/s\n/);
  assert.match(await tipAt(page, 0.0799, 2), /^rank 2\n2e6 B\/s\n/);
  assert.match(await tipAt(page, 0.081, 2), /^rank 2\nno value/);

  // Activity with curves below; then none.
  await page.getByRole("button", { name: "Activity" }).click();
  assert.match(await page.getByRole("list", { name: "Legend" }).innerText(), /Computation/);
  assert.equal(await page.getByTestId("counter-curves").count(), 1);
  assert.match(await page.evaluate(() => location.hash), /counter=4/);
  await counters.selectOption({ label: "no counter" });
  assert.equal(await page.getByTestId("counter-curves").count(), 0);
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator("[data-evil]").count(), 0);
}

await bench.check("counters of a page", async () => checkAll(await open("#timeline")));

await bench.check("an address leads to a counter, in the colours of the rows and zoomed", async () => {
  const page = await open("#timeline?counter=1&color=counter&t=40000_60000");
  const counters = page.getByTestId("counter-curves");
  assert.match(await counters.locator("canvas").getAttribute("aria-label"), /from 300 to 308$/);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await goTo(page, "#timeline?counter=1&color=counter&t=60000_80000");
  assert.match(await counters.locator("canvas").getAttribute("aria-label"), /from 305 to 308$/);
});

await bench.check("an address names the metric of a counter in any case", async () => {
  const page = await open("#trees?metric=counter:CYCLES");
  assert.match(await page.evaluate(() => decodeURIComponent(location.hash)), /metric=counter:cycles/);
  assert.match(await page.locator("main").innerText(), /Growth of the counter cycles/);
});

/** @returns the name of the selected call path. */
const selectedCall = (page) => page.locator("#call-tree [aria-selected=true] .name").innerText();

/** Finds a metric by its name and clicks it. */
async function chooseMetric(page, name) {
  await page.getByLabel("Search metrics").fill(name);
  await page.locator("#metric-tree [role=treeitem]", { has: page.getByText(name, { exact: true }) }).first().click();
}

await bench.check("a counter of processes is shown where its values are: at the root of the call tree", async () => {
  const page = await open("#trees?metric=time&system=topology");
  const described = () => page.getByTestId("topology-chart").locator("canvas").getAttribute("aria-label");
  assert.equal(await selectedCall(page), "MPI_Barrier");
  await chooseMetric(page, "sent");
  assert.equal(await selectedCall(page), "main");
  assert.match(await described(), /^sent in the topology halo: .*, up to 234.4 KiB$/);

  // The same from an address, which then names the call path.
  await goTo(page, "#trees?metric=time");
  assert.equal(await selectedCall(page), "MPI_Barrier");
  await goTo(page, "#trees?metric=counter:sent&system=topology");
  assert.equal(await selectedCall(page), "main");
  assert.match(await page.evaluate(() => location.hash), /[?&]call=0(&|$)/);
  assert.equal(await page.locator(".topology-zero").count(), 0);

  // A call path with values of the counter stays selected.
  await goTo(page, "#trees?metric=time");
  await chooseMetric(page, "cycles");
  assert.equal(await selectedCall(page), "MPI_Barrier");
});

await bench.check("a topology in which no process has a value says so", async () => {
  const page = await open("#trees?metric=time&system=topology");
  await page.getByRole("checkbox", { name: "zeros" }).check();
  await chooseMetric(page, "sent");
  await page.locator("#call-tree [role=treeitem]", { has: page.getByText("work", { exact: true }) }).click();
  assert.equal(await page.locator(".topology-zero").innerText(), "sent is 0 in work on every process of the topology.");
  assert.match(await page.getByTestId("topology-chart").locator("canvas").getAttribute("aria-label"), /up to 0 B$/);
  const address = await page.evaluate(() => location.hash);
  const again = await open(address);
  assert.equal(await selectedCall(again), "work");
});

await bench.check("without counters there is nothing to choose", async () => {
  bench.run(fermata, "view", "--no-timeline", trace, "--html", bench.path("plain.html"));
  const page = await bench.open(bench.path("plain.html"), { hash: "#timeline?counter=1&color=counter" });
  assert.match(await page.locator("main").innerText(), /This page has no timeline/);
});

if (noServer === undefined) {
  await bench.check("counters from a server", async () => {
    const server = spawn(fermata, ["view", "--no-browser", trace], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => server.on("exit", resolve));
    try {
      let text = "";
      for await (const data of server.stdout) {
        text += data;
        if (text.includes("Ctrl-C")) break;
      }
      const page = await bench.openServed(/http:\S+/.exec(text)[0], { hash: "#timeline" });
      await checkAll(page);
    } finally {
      server.kill("SIGINT");
      await ended;
    }
  });
}

await bench.finish();
