// SPDX-License-Identifier: BSD-3-Clause
// Several runs in one page, links of sentences, derived metrics: against `fermata diff` and the reports' JSON.
// usage: check_compare.mjs WEB FERMATA WRITE_REPORTS [no-server]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { assertClose, Bench, eventually, goTo, parseCsv, parseShown } from "./browser.mjs";
import { hybridExperiment } from "./hybrid.mjs";

const [web, fermata, writeReports, noServer] = process.argv.slice(2);
const bench = new Bench(web, fermata);

const STEPS = 12;
const SOURCE = bench.path("solver.c");
writeFileSync(SOURCE, Array.from({ length: 60 }, (_, i) => `line ${i + 1}`).join("\n"));

/** Ranks that compute in each iteration and meet in a barrier; a rank computes longer from an iteration on. The first
 * iteration begins after `lead`. */
function scenario({ program, slow, from, more, lead = 0, receives = false }) {
  const lines = ["unit 1e-3", "ranks 3", "phase step"];
  for (let rank = 0; rank < 3; rank++) {
    const put = (time, text) => lines.push(`${time} ${rank} ${text}`);
    put(0, `enter ${program}`);
    for (let step = 0; step < STEPS; step++) {
      const begin = lead + 100 * step;
      const work = 20 + (rank === slow && step >= from ? more : 0);
      const end = begin + 20 + more;
      put(begin, "enter step");
      put(begin, "enter work");
      put(begin + work, "leave work");
      put(begin + work, "enter MPI_Barrier");
      put(begin + work, "coll_begin");
      put(step >= from ? end : begin + 20, `coll_end barrier world - 0 0`);
      put(step >= from ? end : begin + 20, "leave MPI_Barrier");
      put(begin + 90, "leave step");
    }
    if (receives) {
      const begin = lead + 100 * STEPS;
      put(begin, rank === 1 ? "enter late_sender" : "enter ready");
      const until = begin + (rank === 1 ? 60 : 5);
      put(until, rank === 1 ? "leave late_sender" : "leave ready");
      if (rank === 1) {
        put(until, "enter MPI_Send");
        put(until, "send 0 7 8");
        put(until + 1, "leave MPI_Send");
      } else if (rank === 0) {
        put(until, "enter MPI_Recv");
        put(begin + 62, "recv 1 7 8");
        put(begin + 62, "leave MPI_Recv");
      }
    }
    put(lead + 100 * STEPS + 80, `leave ${program}`);
  }
  return `${lines.join("\n")}\n`;
}

function experiment(name, options) {
  const file = bench.path(`${name}.scn`);
  writeFileSync(file, scenario(options));
  bench.run(fermata, "synth", file, "-o", bench.path(name));
  bench.run(fermata, "analyze", "--quiet", bench.path(name));
  return bench.path(name);
}

const first = experiment("first", { program: "solver.old", slow: 2, from: 4, more: 30 });
const second = experiment("second", { program: "solver.new", slow: 1, from: 4, more: 12, receives: true });
const third = experiment("third", { program: "solver.new", slow: 2, from: 0, more: 40, lead: 25 });
const diff = JSON.parse(bench.run(fermata, "diff", first, second, third, "--format=json"));
const html = bench.path("compared.html");
bench.run(fermata, "view", first, second, third, "--html", html);
await bench.start();

const hashOf = (page) => page.evaluate(() => location.hash);
/** Asserts that the address has a text, or has none of it; after many changes it follows later. */
const assertAddress = (page, text, has = true) => eventually(async () => assert.equal((await hashOf(page)).includes(text), has, text));

async function exported(page, menu = 0) {
  await page.locator(".menu > summary").nth(menu).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".menu").nth(menu).getByRole("button", { name: "CSV" }).click(),
  ]);
  return parseCsv(readFileSync(await file.path(), "utf8"));
}

function rowsOf(page, tree) {
  return page.locator(`#${tree} [role=treeitem]`).evaluateAll((rows) =>
    rows
      .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
      .map((row) => ({
        id: Number(row.id.split("-").pop()),
        name: row.querySelector(".name").firstChild.textContent,
        value: row.querySelector(".value").textContent,
        open: row.getAttribute("aria-expanded") === "true",
        selected: row.getAttribute("aria-selected") === "true",
      })),
  );
}

/** @returns a signed number as shown */
const parseSigned = (text) => parseShown(text.replace(/^\+/, ""));

const close = (actual, expected, what) =>
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.max(Math.abs(expected), 1e-6), `${what}: ${actual} instead of ${expected}`);

async function compareNumbers(page) {
  const rows = await exported(page);
  const names = Object.keys(rows[0]).slice(3);
  assert.equal(names.length, 3);
  const valuesOf = (row) => names.map((name) => Number(row[name]));
  const properties = rows.filter((row) => row.what === "property");
  // The JSON also has what follows from the number of variants; the page has every metric that occurs.
  for (const metric of diff.metrics) {
    const row = properties.find((each) => each.id === metric.id);
    assert.ok(row !== undefined, metric.id);
    valuesOf(row).forEach((value, run) => close(value, metric.values[run], `${metric.id} of run ${run}`));
  }
  const changes = rows.filter((row) => row.what === "change");
  assert.ok(diff.changes.length > 4);
  for (const change of diff.changes) {
    const row = changes.find((each) => each.id === change.metric && each.callpath === change.callpath);
    assert.ok(row !== undefined, `${change.metric} in ${change.callpath}`);
    valuesOf(row).forEach((value, run) => close(value, change.values[run], `${change.metric} in ${change.callpath}`));
  }
  const differing = changes.filter((row) => new Set(valuesOf(row)).size > 1);
  assert.equal(differing.length, diff.changes.length);
}

await bench.check("numbers of several runs are those of fermata diff", async () => {
  const page = await bench.open(html);
  assert.equal(await page.locator("nav [aria-current=page]").innerText(), "Compare");
  await compareNumbers(page);
  const runs = await page.getByTestId("runs").locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.innerText)),
  );
  runs.forEach((cells, run) => {
    assertClose(parseShown(cells[1]), diff.variants[run].run_time, 3, "run time");
    assertClose(parseShown(cells[4]), diff.variants[run].parallel_efficiency, 2, "efficiency");
  });
});

await bench.check("efficiencies of processes and threads are those of fermata diff", async () => {
  const even = hybridExperiment(bench, fermata, "even", { logger: false, more: 0 });
  const uneven = hybridExperiment(bench, fermata, "uneven", { logger: false });
  const file = bench.path("hybrids.html");
  bench.run(fermata, "view", first, even, uneven, "--html", file);
  const { variants } = JSON.parse(bench.run(fermata, "diff", first, even, uneven, "--format=json"));
  assert.equal(variants[0].hybrid, null);
  const page = await bench.open(file, { hash: "#compare" });
  const rows = await page.getByTestId("compared-efficiencies").locator("tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText)),
  );
  const keys = Object.keys(variants[1].hybrid);
  assert.equal(rows.length, 1 + keys.length);
  keys.forEach((key, i) => {
    const [, ...cells] = rows[i + 1];
    assert.equal(cells[0], "", `${key} of a run without threads`);
    assert.equal(cells[3], "", `difference of ${key}`);
    for (const run of [1, 2]) assertClose(parseShown(cells[run]), variants[run].hybrid[key], 2, key);
  });
  const csv = (await exported(page)).filter((row) => row.what === "efficiency");
  assert.deepEqual(csv.map(({ id }) => id), ["parallel_efficiency", ...keys]);
  // Without threads there is no such table.
  assert.equal(await (await bench.open(html)).getByTestId("compared-efficiencies").count(), 0);
});

await bench.check("signed differences in all trees", async () => {
  const page = await bench.open(html, { hash: "#trees?metric=time&mx=&cx=&call=0" });
  const totals = new Map(diff.metrics.map(({ id, values }) => [id, values]));
  for (const [run, name] of [[1, "second"], [2, "third"]]) {
    await page.getByLabel("Other run").selectOption({ index: run - 1 });
    const [time] = await rowsOf(page, "metric-tree");
    assert.equal(time.name, "Time");
    assert.equal(time.open, false);
    const expected = totals.get("time")[run] - totals.get("time")[0];
    assertClose(parseSigned(time.value), expected, 3, `time of ${name}`);
    if (expected > 0) assert.match(time.value, /^\+/);
    // The single roots have different names and are one call path; its ranks add up to it.
    const [root] = await rowsOf(page, "call-tree");
    assertClose(parseSigned(root.value), expected, 3, "call path");
    const ranks = (await rowsOf(page, "system-tree")).filter((row) => /^rank/.test(row.name));
    assert.equal(ranks.length, 3);
    assert.ok(Math.abs(ranks.reduce((sum, row) => sum + parseSigned(row.value), 0) - expected) < 2e-3);
  }
  // A function that only the second run has.
  await page.getByLabel("Other run").selectOption({ index: 0 });
  await page.getByRole("button", { name: "Functions" }).click();
  const sender = (await rowsOf(page, "call-tree")).find((row) => row.name === "late_sender");
  const change = diff.changes.find(({ callpath }) => callpath.endsWith("/late_sender"));
  assertClose(parseSigned(sender.value), change.values[1] - change.values[0], 3, "late_sender");
  await page.getByRole("button", { name: "% of other run" }).click();
  assert.equal((await rowsOf(page, "call-tree")).find((row) => row.name === "late_sender").value, "0.0%");
  await page.getByRole("button", { name: "Values", exact: true }).click();
  await page.locator("label", { hasText: /^Run/ }).locator("select").selectOption({ index: 1 });
  const [own] = await rowsOf(page, "metric-tree");
  assertClose(parseShown(own.value), totals.get("time")[1], 3, "values of the second run");
});

await bench.check("problems that appeared, vanished, changed", async () => {
  const page = await bench.open(html);
  const reports = [first, second, third].map((place) => bench.json(place));
  const pathOf = (report, id) => {
    const { parent, region } = report.callpaths[id];
    return parent === null ? "" : `${pathOf(report, parent)}/${region}`;
  };
  for (const [run, index] of [[1, 0], [2, 1]]) {
    await page.getByLabel("Other run").selectOption({ index });
    const costs = new Map();
    for (const which of [0, run]) {
      for (const { cause, cost } of reports[which].problems) {
        const key = `${cause.kind} ${cause.callpath === null ? "" : pathOf(reports[which], cause.callpath)}`;
        const both = costs.get(key) ?? [0, 0];
        both[which === 0 ? 0 : 1] += cost;
        costs.set(key, both);
      }
    }
    const expected = [...costs.values()].map(([base, other]) =>
      base === 0 ? "appeared" : other === 0 ? "vanished" : Math.abs(base - other) < 0.05 * Math.max(base, other) ? "same"
        : other > base ? "worse" : "better");
    const rows = await page.getByTestId("problems").locator("tbody tr").evaluateAll((all) =>
      all.map((row) => [...row.cells].map((cell) => cell.innerText)),
    );
    assert.ok(rows.length > 0);
    for (const cells of rows) {
      const base = parseShown(cells[2]);
      const other = parseShown(cells[2 + run]);
      const known = [...costs.values()].find(([a, b]) => Math.abs(a - base) < 1e-3 * a + 1e-12 && Math.abs(b - other) < 1e-3 * b + 1e-12);
      assert.ok(known !== undefined || (base === 0 && other === 0), cells.join(" | "));
      assert.ok(expected.includes(cells[1]) || cells[1] === "same", cells[1]);
      assert.ok(Math.abs(parseSigned(cells[5]) - (other - base)) < 2e-3 * Math.max(base, other), cells.join(" | "));
      if (base === 0 && other > 0) assert.equal(cells[1], "appeared");
      if (base > 0 && other === 0) assert.equal(cells[1], "vanished");
    }
    if (run === 1) assert.ok(rows.some((cells) => cells[1] === "appeared" && cells[0].includes("late_sender")));
  }
});

await bench.check("iterations of all runs, one below the other", async () => {
  const page = await bench.open(html, { height: 2400 });
  const chart = page.getByTestId("iterations-chart");
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  const report = bench.json(third);
  // Geometry: src/draw/iterations.ts
  await page.mouse.move(box.x + 72 + ((box.width - 84) * 5.5) / STEPS, box.y + 60);
  const lines = (await page.getByRole("tooltip").innerText()).split("\n");
  assert.equal(lines[0], "iteration 5");
  assertClose(parseShown(lines[3].split(": ")[1]), report.phases[0].rows[5].duration, 3, "iteration of the third run");
  const table = await exported(page, 2);
  assert.equal(table.length, STEPS);
  await page.mouse.click(box.x + 72 + ((box.width - 84) * 5.5) / STEPS, box.y + 60);
  assert.equal(await page.getByTestId("timeline-chart").count(), 1);
  await eventually(async () => assert.match(await hashOf(page), /^#timeline\?.*t=/));
});

// Of the chart: src/draw/timeline/aligned.ts, src/draw/timeline/timeline_layout.ts. Three ranks have the smallest height.
const ALIGNED = { ruler: 26, run: 54 + 48 + 6, left: 78, right: 12, stripes: 26, rows: 50 };

const pixelsOf = (page) => page.getByTestId("aligned-chart").locator("canvas").evaluate((canvas) => canvas.toDataURL());

/** @returns the point of the chart of a run, at a part of the displayed time. */
async function pointIn(page, run, part, y) {
  const chart = page.getByTestId("aligned-chart");
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  const width = box.width - ALIGNED.left - ALIGNED.right;
  return [box.x + ALIGNED.left + part * width, box.y + ALIGNED.ruler + run * ALIGNED.run + y];
}

async function alignedTimelines(page) {
  const names = ["first", "second", "third"].map((name) => bench.path(name));
  // At first all of all runs: the third begins 25 ms before its first iteration.
  assert.equal(await page.getByTestId("aligned-span").innerText(), "-25.00 ms to 1.280 s (1.305 s)");
  const whole = await exported(page, 1);
  const reports = [first, second, third].map((place) => bench.json(place));
  reports.forEach((report, run) => {
    const own = whole.filter((row) => row.run === names[run]);
    assert.equal(own.length, 3);
    const waiting = own.reduce((sum, row) => sum + Number(row.waiting), 0);
    close(waiting, report.statistics.reduce((sum, record) => sum + record.sum, 0), `waiting of run ${run}`);
    close(Number(own[0].begin), run === 2 ? 0 : -0.025, "begin of the displayed time");
  });
  // An iteration: it begins at the same place in all runs.
  const field = page.getByLabel("Iteration at which the runs are aligned");
  await field.fill("5");
  await field.press("Tab");
  const rows = await exported(page, 1);
  const waits = [[30, 30, 0], [12, 0, 12], [40, 40, 0]];
  rows.forEach((row, i) => {
    const run = Math.floor(i / 3);
    close(Number(row.begin), 0.5 - 0.09 / 20 + (run === 2 ? 0.025 : 0), "begin");
    close(Number(row.end) - Number(row.begin), 0.099, "length");
    close(Number(row.waiting), waits[run][i % 3] / 1000, `waiting of rank ${row.rank} of ${row.run}`);
  });
  // What is at the same place of each run.
  for (const [run, text] of [[0, /rank 0: MPI_Barrier/], [1, /rank 0: step/], [2, /rank 0: MPI_Barrier/]]) {
    await page.mouse.move(...(await pointIn(page, run, (0.0045 + 0.04) / 0.099, ALIGNED.rows + 6)));
    const lines = await page.getByRole("tooltip").innerText();
    assert.match(lines, text);
    assert.ok(lines.startsWith(names[run]));
  }
  return pixelsOf(page);
}

await bench.check("timelines of all runs, aligned by iteration", async () => {
  const page = await bench.open(html, { height: 1200 });
  const picture = await alignedTimelines(page);
  await assertAddress(page, "at=5");
  const hash = await hashOf(page);
  // The address has all of it.
  await page.mouse.move(5, 5);
  await page.reload();
  assert.equal(await pixelsOf(page), picture);
  assert.equal(await hashOf(page), hash);
  // A click on an iteration of any run aligns all of them there; back returns.
  await page.mouse.click(...(await pointIn(page, 2, 0.5, ALIGNED.stripes)));
  assert.equal(await hashOf(page), hash);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.mouse.click(...(await pointIn(page, 2, (0.025 + 0.845) / 1.305, ALIGNED.stripes)));
  await assertAddress(page, "at=8");
  assert.equal(await page.getByLabel("Iteration at which the runs are aligned").inputValue(), "8");
  await page.goBack();
  await assertAddress(page, "at=5");
  // Keys, of the chart only while it has the focus.
  const canvas = page.getByTestId("aligned-chart").locator("canvas");
  await canvas.focus();
  await page.keyboard.press("0");
  await assertAddress(page, "around=", false);
  for (const [key, text] of [["w", "around="], ["+", "aranks="]]) {
    await page.keyboard.press(key);
    await assertAddress(page, text);
  }
  await page.keyboard.press("0");
  const plain = await pixelsOf(page);
  for (const coloring of ["region", "waiting"]) {
    await page.getByLabel("Colours").selectOption(coloring);
    await assertAddress(page, `acolor=${coloring}`);
    assert.notEqual(await pixelsOf(page), plain);
  }
  // The first run leads to its timeline.
  await page.mouse.click(...(await pointIn(page, 0, 0.5, ALIGNED.rows + 6)));
  assert.equal(await page.getByTestId("timeline-chart").count(), 1);
});

await bench.check("runs without a timeline, and without the iteration", async () => {
  const alone = bench.path("alone.fer");
  copyFileSync(`${second}/report.fer`, alone);
  const partly = bench.path("partly.html");
  bench.run(fermata, "view", first, alone, third, "--html", partly);
  const page = await bench.open(partly, { hash: "#compare?at=400" });
  const empty = await pixelsOf(page);
  await goTo(page, "#compare");
  assert.notEqual(await pixelsOf(page), empty);
  assert.deepEqual([...new Set((await exported(page, 1)).map((row) => row.run))], [first, third]);
  const none = bench.path("none.html");
  bench.run(fermata, "view", first, second, "--no-timeline", "--html", none);
  const other = await bench.open(none);
  assert.match(await other.locator("main").innerText(), /This page has no timelines/);
});

await bench.check("the address of a comparison can be shared and reloaded", async () => {
  const page = await bench.open(html, { hash: "#trees?mode=peer&run=2&metric=comp" });
  const before = await rowsOf(page, "metric-tree");
  const hash = await hashOf(page);
  await page.reload();
  assert.deepEqual(await rowsOf(page, "metric-tree"), before);
  assert.equal(await hashOf(page), hash);
  const alone = await bench.open(bench.page(first, "alone.html"), { hash: "#compare?mode=difference&run=2" });
  assert.equal(await alone.locator("nav [aria-current=page]").innerText(), "Summary");
  assert.equal(await alone.getByRole("button", { name: "Compare", exact: true }).count(), 0);
});

await bench.check("sentences lead to functions, ranks, times and iterations, and back", async () => {
  const page = await bench.open(bench.page(first, "linked.html"), { hash: "#summary" });
  const headline = page.locator(".headline-sentence").first();
  const links = await headline.locator("a").allInnerTexts();
  assert.deepEqual(links.slice(0, 2), ["work", "2"]);
  await headline.locator("a", { hasText: "work" }).click();
  assert.equal((await rowsOf(page, "call-tree")).find((row) => row.selected).name, "work");
  await page.goBack();
  assert.equal(await hashOf(page), "#summary");
  await page.locator(".headline-sentence a", { hasText: /^2$/ }).first().click();
  assert.equal((await rowsOf(page, "system-tree")).find((row) => row.selected).name, "rank 2");
  await page.goBack();
  const when = page.locator(".finding.open .line-when a");
  assert.ok((await when.count()) > 0);
  await when.first().click();
  const span = /t=([\d.]+)_([\d.]+)/.exec(decodeURIComponent(await hashOf(page)));
  const problem = bench.json(first).problems[0].when[0];
  const ticks = bench.json(first).experiment.ticks_per_second;
  assert.ok(Math.abs(Number(span[1]) / ticks - problem.begin) < 0.15, `${span[1]} ${problem.begin}`);
  await page.goBack();
  // A link within a view is also a step of the history.
  await goTo(page, "#waits");
  await page.locator(".chain a").first().click();
  assert.equal(await page.locator("#call-tree").count(), 1);
  await page.goBack();
  assert.match(await hashOf(page), /^#waits/);
  // Each link has an address of its own.
  const href = await page.locator(".chain a").first().getAttribute("href");
  await goTo(page, href);
  assert.equal(await page.locator("#system-tree [aria-selected=true]").count(), 1);
});

const DERIVED = [
  ["share", "mpi_barrier_wait / time"],
  ["both", "comp + 2 * mpi_barrier_wait"],
  ["odd", "sqrt(abs(comp - time)) * max(visits, 1) / min(3, 0.5)"],
  ["none", "time / (visits - visits)"],
];

await bench.check("derived metrics: computed from each node's own sums", async () => {
  const json = bench.json(second);
  const page = await bench.open(bench.page(second, "derived.html"), { hash: "#trees?metric=time&mx=" });
  const children = (items, id) => items.filter((item) => item.parent === id);
  const within = (items, id) => [id, ...children(items, id).flatMap((child) => within(items, child.id))];
  const sum = (id, callpaths, locations) => {
    const metrics = within(json.metrics, id);
    return json.severities
      .filter((cell) => metrics.includes(cell.metric) && (callpaths?.includes(cell.callpath) ?? true) &&
        (locations?.includes(cell.location) ?? true))
      .reduce((total, cell) => total + cell.value, 0);
  };
  const compute = {
    share: (v) => (v("time") === 0 ? 0 : v("mpi_barrier_wait") / v("time")),
    both: (v) => v("comp") + 2 * v("mpi_barrier_wait"),
    odd: (v) => (Math.sqrt(Math.abs(v("comp") - v("time"))) * Math.max(v("visits"), 1)) / 0.5,
    none: () => 0,
  };
  const field = page.getByLabel("New metric");
  for (const [name, text] of DERIVED) {
    await field.fill(`${name} = ${text}`);
    await page.getByRole("button", { name: "Define" }).click();
    const chosen = (await rowsOf(page, "metric-tree")).find((row) => row.selected);
    assert.equal(chosen.name, name);
    const near = (shown, value, what) => {
      const number = parseShown(shown);
      assert.ok(Math.abs(number - value) <= 1e-3 * Math.abs(value) + 1e-12, `${name} of ${what}: ${shown} instead of ${value}`);
    };
    near(chosen.value, compute[name]((id) => sum(id, null, null)), "the run");
    const calls = await rowsOf(page, "call-tree");
    for (const row of calls) {
      const set = row.open ? [row.id] : within(json.callpaths, row.id);
      near(row.value, compute[name]((id) => sum(id, set, null)), `${row.name}, ${row.open}`);
    }
    const call = calls.find((row) => row.selected);
    const set = call.open ? [call.id] : within(json.callpaths, call.id);
    for (const row of await rowsOf(page, "system-tree")) {
      const rank = /^rank (\d+)$/.exec(row.name);
      if (rank === null) continue;
      near(row.value, compute[name]((id) => sum(id, set, [Number(rank[1])])), row.name);
    }
    for (const chart of ["Ranks", "Box", "Heat map", "Tree"]) {
      await page.locator("section[aria-label=System]").getByRole("button", { name: chart, exact: true }).click();
    }
  }
  await page.getByRole("button", { name: "Functions" }).click();
  const recv = (await rowsOf(page, "call-tree"));
  assert.ok(recv.length >= 0);
  await page.getByRole("button", { name: "Tree", exact: true }).first().click();
  // The address has the definitions and the selection.
  await page.locator(".derived button.link", { hasText: "share" }).click();
  const before = await rowsOf(page, "call-tree");
  await page.reload();
  assert.deepEqual(await rowsOf(page, "call-tree"), before);
  assert.equal((await rowsOf(page, "metric-tree")).find((row) => row.selected).name, "share");
  await page.locator(".derived li").first().getByRole("button", { name: "Remove" }).click();
  assert.equal(await page.locator(".derived li").count(), DERIVED.length - 1);
  assert.equal((await rowsOf(page, "metric-tree")).find((row) => row.selected).name, "Time");
});

await bench.check("derived metrics: errors with their position, hostile names", async () => {
  const page = await bench.open(bench.page(second, "errors.html"), { hash: "#trees" });
  const field = page.getByLabel("New metric");
  for (const [text, message] of [
    ["x = time +", /^column 11: .*incomplete/],
    ["x = time / nothing", /^column 12: no metric has the id "nothing"/],
    ["x = (time", /^column 10: expected "\)"/],
    ["time = 1", /already a metric "time"/],
    ["= 1", /name = expression/],
    ["x = <img src=x onerror=window.evil=1>", /^column 5: unexpected character "<"/],
    ["x = time / \u202egnp", /^column 12: unexpected character "\\u\{202e\}"/],
  ]) {
    await field.fill(text);
    await field.press("Enter");
    assert.match(await page.locator(".derived [role=alert]").innerText(), message);
    await page.locator(".derived li").getByRole("button", { name: "Change" }).click();
    assert.equal(await field.inputValue(), text);
    assert.equal(await page.locator(".derived li").count(), 0);
  }
  const hostile = ["__proto__=1", "constructor=time", "<script>=1", `${"x".repeat(5000)}=1`, "a=a", ...Array(50).fill("y=1")];
  await goTo(page, `#trees?define=${encodeURIComponent(hostile.join(";"))}&metric=%3D__proto__`);
  assert.equal(await page.locator(".derived li").count(), 32);
  assert.ok((await rowsOf(page, "metric-tree")).some((row) => row.name === "__proto__" && row.value === "1"));
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.ok(!(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)));
});

await bench.check("hostile names in a comparison", async () => {
  const hostile = bench.path("hostile.fer");
  bench.run(writeReports, "hostile", hostile);
  const both = bench.path("hostile.html");
  bench.run(fermata, "view", hostile, second, "--html", both);
  const page = await bench.open(both);
  await compareView(page);
  const reversed = bench.path("reversed.html");
  bench.run(fermata, "view", second, hostile, "--html", reversed);
  const other = await bench.open(reversed);
  await compareView(other);
});

async function compareView(page) {
  for (const view of ["Compare", "Trees", "Summary"]) {
    await page.locator("nav").getByRole("button", { name: view }).click();
    assert.ok(!(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)), view);
  }
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator("[data-evil]").count(), 0);
}

if (noServer === undefined) {
  await bench.check("a comparison from a server", async () => {
    const server = spawn(fermata, ["view", "--no-browser", first, second, third], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => server.on("exit", resolve));
    try {
      let text = "";
      for await (const data of server.stdout) {
        text += data;
        if (text.includes("Ctrl-C")) break;
      }
      const address = /http:\S+/.exec(text)[0];
      const page = await bench.openServed(address);
      await compareNumbers(page);
      await alignedTimelines(page);
      for (const name of ["timeline-1", "timeline-2", "tiles-1/0"]) {
        assert.equal((await fetch(address + name)).status, 200, name);
      }
      for (const name of ["timeline-3", "timeline-0", "tiles-1", "tiles-1/", "tiles-1/9999999", "tiles-3/0", "tiles-0/0", "report-3", "report-0", "report-01", "report-"]) {
        assert.equal((await fetch(address + name)).status, 404, name);
      }
      assert.equal((await fetch(`${address}report-2`)).status, 200);
    } finally {
      server.kill("SIGINT");
      await ended;
    }
  });
}

await bench.finish();
