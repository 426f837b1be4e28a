// SPDX-License-Identifier: BSD-3-Clause
// The timeline of a page in a real browser: its events against the report, every way to move in it, the
// explanation of wait states, excerpts of long runs.
// usage: check_timeline.mjs WEB FERMATA SCENARIO SYNTHESIZE_SOR
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { assertClose, barrierScenario, Bench, eventually, goTo, parseCsv, parseShown, settled } from "./browser.mjs";
import { hybridExperiment } from "./hybrid.mjs";

const [web, fermata, scenario, synthesize] = process.argv.slice(2);
const bench = new Bench(web, fermata);
const small = bench.path("small");
bench.run(fermata, "synth", scenario, "-o", small);
const html = bench.path("analyzed.html");
bench.run(fermata, "analyze", "--quiet", small, "--html", html);
const json = bench.json(small);
await bench.start();

// Of the chart: src/draw/timeline/timeline_layout.ts
const PLOT = { left: 78, right: 12, top: 34, bottom: 4 };

/** @returns the point of the canvas that shows a moment of a rank, when all of the run is shown. */
async function pointOf(page, seconds, rank, { span = [0, 0.06], ranks = 3 } = {}) {
  const box = await page.getByTestId("timeline-chart").boundingBox();
  const part = (seconds - span[0]) / (span[1] - span[0]);
  return [
    box.x + PLOT.left + part * (box.width - PLOT.left - PLOT.right),
    box.y + PLOT.top + ((rank + 0.3) / ranks) * (box.height - PLOT.top - PLOT.bottom),
  ];
}

const openTimeline = (path, hash = "#timeline") => bench.open(path, { hash });

const hashOf = (page) => page.evaluate(() => location.hash);

async function exported(page, ending) {
  await page.locator(".menu > summary").click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: ending }).click(),
  ]);
  return readFileSync(await file.path());
}

/** @returns the time of the address as soon as it is as expected: [from, to] in ticks; null: all of the run. After many
 * changes, the address follows later (web/src/state/url.ts). */
const spanThat = (page, isExpected) =>
  eventually(async () => {
    const query = new URLSearchParams((await hashOf(page)).split("?")[1] ?? "");
    const span = query.get("t")?.split("_").map(Number) ?? null;
    assert.ok(isExpected(span), `the address has ${span}`);
    return span;
  });

const timeMetrics = (id) => [
  id,
  ...json.metrics.filter((metric) => metric.parent === id).flatMap((metric) => timeMetrics(metric.id)),
];

const pathOf = (id) => {
  const { parent, region } = json.callpaths[id];
  return parent === null ? region : `${pathOf(parent)}/${region}`;
};

await bench.check("its events add up to the report's numbers", async () => {
  const page = await openTimeline(html);
  const rows = parseCsv((await exported(page, "CSV")).toString("utf8"));
  const time = new Set(timeMetrics("time"));
  for (const location of json.locations) {
    for (const callpath of json.callpaths) {
      const expected = json.severities
        .filter((cell) => time.has(cell.metric) && cell.callpath === callpath.id && cell.location === location.id)
        .reduce((total, cell) => total + cell.value, 0);
      const actual = rows
        .filter((row) => /^(code|call)$/.test(row.event) && Number(row.location) === location.id)
        .filter((row) => row["call path"] === pathOf(callpath.id))
        .reduce((total, row) => total + Number(row.end) - Number(row.begin), 0);
      assert.ok(Math.abs(actual - expected) < 1e-9, `${pathOf(callpath.id)}: ${actual}, not ${expected}`);
    }
  }
  const waits = rows.filter((row) => row.event === "wait");
  assert.equal(waits.length, json.statistics.reduce((count, record) => count + record.count, 0));
  for (const record of json.statistics) {
    const own = waits.filter((row) => row.metric === record.metric);
    const sum = own.reduce((total, row) => total + Number(row.end) - Number(row.begin), 0);
    assert.equal(own.length, record.count, record.metric);
    assertClose(sum, record.sum, 9, record.metric);
    for (const worst of record.worst) {
      const row = own.find((each) => Math.abs(Number(each.begin) - worst.enter) < 1e-9 && Number(each.location) === worst.location);
      assert.equal(Number(row["other location"]), worst.cause_location);
    }
  }
  const arrows = Object.fromEntries(["message", "put", "get", "atomic operation", "lock"].map((kind) => [
    kind,
    rows.filter((row) => row.event === kind).map((row) => `${row.location}>${row["other location"]}`),
  ]));
  assert.deepEqual(arrows, {
    message: ["1>0", "2>1"],
    put: ["0>2"],
    get: ["2>0"],
    "atomic operation": ["1>2"],
    lock: ["0>2", "1>2"],
  });
});

await bench.check("a click on a wait state explains it back to who computed", async () => {
  const page = await openTimeline(html);
  assert.equal(await page.getByTestId("explanation").count(), 0);
  const [x, y] = await pointOf(page, 0.01, 0);
  await page.mouse.move(x, y);
  const tip = await page.getByRole("tooltip").innerText();
  assert.match(tip, /^rank 0: MPI_Recv\nLate Sender: waited 19.00 ms for rank 1\n2.000 ms to 22.00 ms \(20.00 ms\)/);
  await page.mouse.click(x, y);
  const text = await page.getByTestId("explanation").innerText();
  assert.match(text, /Late Sender: 19\.00 ms/);
  assert.match(text, /rank 0 waited in main \/ MPI_Recv, 2\.000 ms after the start, until rank 1 reached main \/ MPI_Send/);
  // 0 waited from 2 to 21, in which 1 waited from 3 to 20 for 2, which computed all that time.
  assert.match(text, /rank 1 was\s+89\.5% in main \/ MPI_Recv, waiting: Late Sender/);
  assert.match(text, /rank 2 was\s+100\.0% in main \/ solve/);
  const worst = json.statistics.find((record) => record.metric === "mpi_latesender").worst[0];
  const analysis = await page.getByTestId("explanation").locator(".chain-step").allInnerTexts();
  assert.equal(analysis.length, 1 + worst.causes.length);
  worst.causes.forEach((cause, i) => {
    assertClose(parseShown(/[\d.]+ (s|ms|us|ns)/.exec(analysis[i + 1])[0]), cause.time, 3, `cause ${i}`);
  });
  // The address brings it back; following the chain goes on from there.
  const copy = await openTimeline(html, await hashOf(page));
  assert.equal(await copy.getByTestId("explanation").innerText(), text);
  await copy.getByRole("button", { name: "waiting: Late Sender" }).click();
  assert.match(await copy.getByTestId("explanation").innerText(), /^Late Sender: 17\.00 ms\s+rank 1 waited/);
  await copy.getByRole("button", { name: "Close" }).click();
  assert.equal(await copy.getByTestId("explanation").count(), 0);
});

await bench.check("wheel, drag and keys move and zoom", async () => {
  const page = await openTimeline(html);
  const [x, y] = await pointOf(page, 0.03, 1);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -600);
  const length = 6e4; // ticks: 1e-6 s
  const zoomed = await spanThat(page, (span) => span !== null && span[1] - span[0] < 0.4 * length);
  // What was under the pointer stays there.
  assert.ok(Math.abs((zoomed[0] + zoomed[1]) / 2 - length / 2) < 0.01 * length);
  await page.mouse.down();
  await page.mouse.move(x - 100, y, { steps: 4 });
  await page.mouse.up();
  const moved = await spanThat(page, (span) => span[0] > zoomed[0]);
  assertClose(moved[1] - moved[0], zoomed[1] - zoomed[0], 5, "length");
  const key = async (name, isExpected) => {
    await page.keyboard.press(name);
    return spanThat(page, isExpected);
  };
  const isLong = (length) => (span) => span !== null && Math.abs(span[1] - span[0] - length) < 1e-3 * length;
  const narrow = await key("w", isLong((moved[1] - moved[0]) / 1.5));
  await key("d", (span) => span[0] > narrow[0]);
  await key("a", (span) => span[0] === narrow[0] && span[1] === narrow[1]);
  await key("s", isLong(moved[1] - moved[0]));
  await key("0", (span) => span === null);
  await page.keyboard.press("+");
  await eventually(async () => assert.match(await hashOf(page), /rows=0\.5_2\.5/));
  await page.keyboard.press("0");
  await page.keyboard.down("Shift");
  await page.mouse.move(...(await pointOf(page, 0.032, 1)));
  await page.mouse.down();
  await page.mouse.move(...(await pointOf(page, 0.046, 1)), { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await spanThat(page, (span) => span !== null && Math.abs(span[0] - 32000) < 100 && Math.abs(span[1] - 46000) < 100);
  // To the limits, faster than the address follows.
  const pressOften = (name) =>
    page.evaluate((key) => {
      for (let i = 0; i < 60; i++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }, name);
  await pressOften("w");
  await spanThat(page, (span) => span !== null && span[1] - span[0] >= 19.9 && span[1] - span[0] < 21);
  await pressOften("s");
  await spanThat(page, (span) => span === null);
  // n and p go through the longest wait states, c to the cause's.
  await page.keyboard.press("n");
  assert.match(await page.getByTestId("explanation").innerText(), /^Late Sender: 19/);
  await page.keyboard.press("c");
  assert.match(await page.getByTestId("explanation").innerText(), /^Late Sender: 17/);
  await page.keyboard.press("n");
  assert.match(await page.getByTestId("explanation").innerText(), /^Lock Contention/);
  await page.keyboard.press("p");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByTestId("explanation").count(), 0);
});

await bench.check("colours, legend, drawing", async () => {
  const page = await openTimeline(html);
  const legend = () => page.getByRole("list", { name: "Legend" }).innerText();
  for (const kind of ["message", "put", "get", "atomic operation", "lock"]) {
    assert.match(await legend(), new RegExp(`^\\s*${kind}$`, "m"));
  }
  const picture = () => page.getByTestId("timeline-chart").locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const all = await picture();
  await page.getByLabel("arrows").uncheck();
  assert.ok(!/^\s*put$/m.test(await legend()));
  const plain = await picture();
  assert.notEqual(plain, all);
  await page.getByLabel("critical path").uncheck();
  assert.notEqual(await picture(), plain);
  await page.getByRole("button", { name: "Function", exact: true }).click();
  assert.match(await legend(), /solve/);
  assert.match(await legend(), /<img src=x/);
  await page.getByRole("button", { name: "Wait state", exact: true }).click();
  assert.match(await legend(), /Late Sender/);
  assert.match(await legend(), /Lock Contention/);
  await eventually(async () => assert.match(await hashOf(page), /color=kind/));
  const svg = (await exported(page, "SVG")).toString("utf8");
  const parsed = await page.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, "image/svg+xml");
    return [document.querySelectorAll("parsererror, script, img").length, document.querySelectorAll("pattern").length];
  }, svg);
  assert.deepEqual(parsed, [0, 1]);
  assert.equal((await exported(page, "PNG")).subarray(1, 4).toString(), "PNG");
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator("[data-evil]").count(), 0);
});

await bench.check("functions that only samples show are marked as estimates", async () => {
  const file = bench.path("sampled.scn");
  writeFileSync(file, `unit 1e-3
ranks 1
phase step

0 0 enter main
1 0 enter step
3 0 sample main/step/work
20 0 leave step
20 0 enter MPI_Barrier
30 0 leave MPI_Barrier
30 0 leave main
`);
  const place = bench.path("sampled");
  bench.run(fermata, "synth", file, "-o", place);
  bench.run(fermata, "analyze", "--quiet", place, "--html", bench.path("sampled.html"));
  const page = await openTimeline(bench.page(place, "sampled.html"));
  const legend = page.getByRole("list", { name: "Legend" });
  assert.equal(await legend.getByText("function by samples").count(), 1);
  const at = (seconds) => pointOf(page, seconds, 0, { span: [0, 0.03], ranks: 1 });
  for (const [seconds, name, isEstimated] of [[0.01, "work", true], [0.025, "MPI_Barrier", false]]) {
    await page.mouse.move(...(await at(seconds)));
    const tooltip = await page.getByRole("tooltip").innerText();
    assert.ok(tooltip.includes(name), tooltip);
    assert.equal(/Only samples tell of this function/.test(tooltip), isEstimated, tooltip);
    await page.mouse.click(...(await at(seconds)));
    const item = await page.getByTestId("item").innerText();
    assert.equal(/\u2248/.test(item) && /are estimates/.test(item), isEstimated, item);
  }
});

await bench.check("arrows between threads are those of the export", async () => {
  const place = hybridExperiment(bench, fermata, "hybrid", {});
  const page = await openTimeline(bench.page(place, "hybrid.html"));
  const rows = parseCsv((await exported(page, "CSV")).toString("utf8"));
  const { traceEvents } = JSON.parse(bench.run(fermata, "export", "--to=perfetto-json", "-o", "-", place));
  const [starts, ends] = ["s", "f"].map((phase) => traceEvents.filter(({ ph }) => ph === phase));
  const { statistics } = bench.json(place);
  const waits = (metric) => statistics.find((each) => each.metric === metric).count;
  const numbers = {
    fork: 48, "thread start": 3, "thread end": 3, task: 24,
    "lock hand-over": waits("omp_lock_contention_critical") + waits("pthread_lock_contention_mutex_lock"),
  };
  for (const [name, number] of Object.entries(numbers)) {
    const expected = starts
      .filter((event) => event.name === name)
      .map((start) => {
        const end = ends.find(({ id }) => id === start.id);
        return [start.tid, (start.ts / 1e6).toFixed(6), end.tid, (end.ts / 1e6).toFixed(6)].join(" ");
      });
    const shown = rows
      .filter(({ event }) => event === name)
      .map((row) => [row.location, Number(row.begin).toFixed(6), row["other location"], Number(row.end).toFixed(6)].join(" "));
    assert.deepEqual(shown.sort(), expected.sort(), name);
    assert.equal(shown.length, number, name);
    assert.equal(await page.getByRole("list", { name: "Legend" }).getByText(name, { exact: true }).count(), 1, name);
  }
  // Two teams of three threads in each of four steps of three ranks: from the fork to the join.
  const forks = rows.filter(({ event }) => event === "fork");
  const teams = rows.filter(({ event }) => event === "team");
  assert.equal(teams.length, 2 * 3 * 4 * 3);
  for (const team of teams) {
    assert.equal(Number(team["other location"]) % 4, 0);
    assert.ok(forks.some((fork) => fork.begin === team.begin && fork.location === team["other location"]));
    assert.notEqual(Number(team.location) % 4, 3); // the POSIX thread
  }
  assert.equal(await page.getByRole("list", { name: "Legend" }).getByText("team of threads").count(), 1);
  await page.mouse.move(...(await pointOf(page, 0.01, 1, { span: [0, 0.17], ranks: 12 })));
  assert.match(await page.getByRole("tooltip").innerText(), /in a team of 3 threads/);
  await page.getByLabel("teams").uncheck();
  await settled(page);
  assert.equal(await page.getByRole("list", { name: "Legend" }).getByText("team of threads").count(), 0);
  // The statistics of an interval have them apart from messages.
  await goTo(page, "#timeline?interval=0_200000");
  const threads = page.getByRole("list", { name: "Threads" });
  assert.match(await threads.innerText(), /fork\s+48/);
  assert.doesNotMatch(await page.getByRole("list", { name: "Messages and operations" }).innerText(), /fork/);
});

await bench.check("wait states lead into the timeline", async () => {
  const page = await bench.open(html, { hash: "#waits?kind=mpi_latesender" });
  await page.getByRole("button", { name: "Show in the timeline" }).nth(1).click();
  assert.match(await page.getByTestId("explanation").innerText(), /^Late Sender: 17\.00 ms/);
});

await bench.check("fermata view makes the same page from the trace", async () => {
  assert.ok(readFileSync(bench.page(small, "viewed.html")).equals(readFileSync(html)));
});

await bench.check("without timeline where none is wanted or the trace is another one", async () => {
  const path = bench.path("plain.html");
  bench.run(fermata, "view", "--no-timeline", small, "--html", path);
  const other = bench.path("other");
  bench.run(synthesize, "--ranks", "3", "--iterations", "5", other);
  copyFileSync(`${small}/report.fer`, `${other}/report.fer`);
  const run = spawnSync(fermata, ["view", other, "--html", `${other}/report.html`], { encoding: "utf8" });
  assert.equal(run.status, 0);
  assert.match(run.stderr, /the page has no timeline/);
  for (const each of [path, `${other}/report.html`]) {
    const page = await bench.open(each, { hash: "#timeline" });
    assert.match(await page.locator("main").innerText(), /This page has no timeline/);
  }
});

await bench.check("alike ranks stand in one row, which opens", async () => {
  // Every fifth rank computes long, the others wait; rank 7 is like nobody.
  const times = Array.from({ length: 40 }, (_, rank) => (rank === 7 ? 60 : rank % 5 === 0 ? 99 : 20 + (rank % 2)));
  const scenario = bench.path("alike.scn");
  writeFileSync(scenario, barrierScenario(times));
  bench.run(fermata, "synth", scenario, "-o", bench.path("alike"));
  bench.run(fermata, "analyze", "--quiet", bench.path("alike"), "--html", bench.path("alike.html"));
  const page = await openTimeline(bench.path("alike.html"));
  const rowsOf = async () =>
    new Set(parseCsv((await exported(page, "CSV")).toString("utf8")).filter((row) => row.event === "code").map((row) => Number(row.location)));
  assert.equal((await rowsOf()).size, 40);
  await page.getByLabel("Order of the rows").selectOption("similar");
  const groups = page.getByRole("list", { name: "Groups of similar ranks" }).getByRole("listitem");
  assert.deepEqual(await groups.allInnerTexts(), ["8 like rank 0", "31 like rank 2", "rank 7"]);
  assert.deepEqual([...(await rowsOf())], [0, 2, 7]);
  // The names, and rows of groups, tell who is in them; a click opens and closes.
  const box = await page.getByTestId("timeline-chart").boundingBox();
  const rowAt = (row, rows) => box.y + PLOT.top + ((row + 0.5) / rows) * (box.height - PLOT.top - PLOT.bottom);
  await page.mouse.move(box.x + 60, rowAt(0, 3));
  assert.match(await page.getByRole("tooltip").innerText(), /^8 like rank 0\nranks 0, 5, 10, 15, 20, 25, 30, 35\nclick to expand$/);
  await page.mouse.click(box.x + 60, rowAt(0, 3));
  assert.deepEqual([...(await rowsOf())], [0, 5, 10, 15, 20, 25, 30, 35, 2, 7].toSorted((a, b) => a - b));
  const shown = await hashOf(page);
  assert.match(shown, /alike=1/);
  const copy = await openTimeline(bench.path("alike.html"), shown);
  const picture = (of) => of.getByTestId("timeline-chart").locator("canvas").evaluate((canvas) => canvas.toDataURL());
  await page.mouse.move(5, 5);
  assert.equal(await picture(copy), await picture(page));
  await page.getByRole("button", { name: "8 like rank 0" }).click();
  assert.equal((await rowsOf()).size, 3);
  // A wait state of who has no row opens the group; without groups all are there again.
  await goTo(page, "#timeline?alike=1&wait=4_20000");
  await page.getByRole("button", { name: "Zoom to wait state" }).click();
  assert.ok((await rowsOf()).has(4));
  await page.keyboard.press("Escape");
  await page.getByTestId("timeline-chart").locator("canvas").focus();
  await page.keyboard.press("g");
  await page.getByRole("button", { name: "All", exact: true }).click();
  assert.equal((await rowsOf()).size, 40);
});

await bench.check("of long runs an overview, and all events around the longest waits", async () => {
  const long = bench.path("long");
  bench.run(synthesize, "--ranks", "96", "--variant", "gats", "--iterations", "400", long);
  bench.run(fermata, "analyze", "--quiet", long, "--html", bench.path("long.html"));
  const size = readFileSync(bench.path("long.html")).length;
  assert.ok(size < 5e6, `the page has ${size} bytes`);
  const report = bench.json(long);
  const page = await openTimeline(bench.path("long.html"));
  assert.match(await page.getByTestId("timeline-span").innerText(), /overview/);
  assert.match(await page.getByRole("list", { name: "Legend" }).innerText(), /\d+ excerpts/);
  for (const record of report.statistics) {
    const worst = record.worst[0];
    const enter = Math.round(worst.enter * report.experiment.ticks_per_second);
    await goTo(page, `#timeline?wait=${worst.location}_${enter}`);
    const text = await page.getByTestId("explanation").innerText();
    assertClose(parseShown(/: ([\d.]+ \w+)/.exec(text)[1]), worst.wait, 3, record.metric);
    if (worst.cause_location !== null) assert.match(text, new RegExp(`rank ${worst.cause_location}\\b`));
  }
  await page.getByRole("button", { name: "Zoom to wait state" }).click();
  const last = report.statistics.at(-1).worst[0];
  await spanThat(page, (span) => span !== null && span[0] <= last.enter * report.experiment.ticks_per_second);
  // Waits in the excerpts, once each, cannot be more than there are.
  await page.keyboard.press("Shift+Digit1");
  await page.keyboard.press("3");
  await page.getByRole("button", { name: "All", exact: true }).click();
  const rows = parseCsv((await exported(page, "CSV")).toString("utf8")).filter((row) => row.event === "wait");
  for (const record of report.statistics) {
    const starts = new Set(rows.filter((row) => row.metric === record.metric).map((row) => `${row.location} ${row.begin}`));
    assert.ok(starts.size > 0 && starts.size <= record.count, record.metric);
  }
});

await bench.finish();
