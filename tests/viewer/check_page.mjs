// SPDX-License-Identifier: BSD-3-Clause
// The page of a report in a real browser: every number that it shows against the report's JSON, every
// interaction, hostile names. usage: check_page.mjs WEB FERMATA WRITE_REPORTS
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { assertClose, Bench, eventually, goTo, parseCsv, parseShown, settled } from "./browser.mjs";

const [web, fermata, writeReports] = process.argv.slice(2);
const bench = new Bench(web, fermata);
const report = bench.path("report.fer");
bench.run(writeReports, "sample", report);
const json = bench.json(report);
const html = bench.page(report);
const hostile = bench.path("hostile.fer");
bench.run(writeReports, "hostile", hostile);
const hostileHtml = bench.page(hostile, "hostile.html");
await bench.start();

// ---- independent arithmetic on the report's JSON

const childrenOf = (items, id) => items.filter((item) => item.parent === id);

/** [items][id]: the item and all below it; asked for again and again. */
const subtrees = new Map();
function within(items, id) {
  const known = subtrees.get(items) ?? new Map();
  subtrees.set(items, known);
  if (!known.has(id)) known.set(id, [id, ...childrenOf(items, id).flatMap((child) => within(items, child.id))]);
  return known.get(id);
}

const cellsOf = groupByMetric();
function groupByMetric() {
  const groups = new Map();
  for (const cell of json.severities) groups.set(cell.metric, [...(groups.get(cell.metric) ?? []), cell]);
  return groups;
}

/** Sum of the severities of these metrics, call paths (null: all) and locations (null: all). */
function sum(metrics, callpaths, locations) {
  const calls = callpaths && new Set(callpaths);
  const places = locations && new Set(locations);
  let total = 0;
  for (const metric of new Set(metrics)) {
    for (const { callpath, location, value } of cellsOf.get(metric) ?? []) {
      if ((calls?.has(callpath) ?? true) && (places?.has(location) ?? true)) total += value;
    }
  }
  return total;
}

const metricId = (name) => json.metrics.find((metric) => metric.name === name).id;
const weightSet = (items, id, expanded) => (expanded ? [id] : within(items, id));

/** @returns the rows of trees as the document states them for screen readers: a list for each */
function treesOf(page, trees) {
  return page.evaluate(
    (all) =>
      all.map((tree) =>
        [...document.querySelectorAll(`#${tree} [role=treeitem]`)]
          .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
          .map((row) => ({
            id: Number(row.id.split("-").pop()),
            name: row.querySelector(".name").firstChild.textContent,
            value: row.querySelector(".value").textContent,
            level: Number(row.getAttribute("aria-level")),
            expanded: row.getAttribute("aria-expanded"),
            selected: row.getAttribute("aria-selected") === "true",
            faint: row.classList.contains("faint"),
          })),
      ),
    trees,
  );
}

const rowsOf = async (page, tree) => (await treesOf(page, [tree]))[0];

/** Scrolls to elements and clicks them, one after the other, as a script does; others are clicked by the mouse. */
async function press(page, ...selectors) {
  for (const selector of selectors) {
    await page.evaluate((each) => {
      const element = document.querySelector(each);
      element.scrollIntoView({ block: "center" });
      element.click();
    }, selector);
    await settled(page);
  }
}

const selectedOf = async (page, tree) => (await rowsOf(page, tree)).find((row) => row.selected);

/** Clicks a row of a tree. */
const choose = (page, tree, name) =>
  page.locator(`#${tree} [role=treeitem]`, { has: page.getByText(name, { exact: true }) }).first().click();

/** Compares all that the three trees show with the severities. */
async function compareTrees(page) {
  const [metrics, calls, system] = await treesOf(page, ["metric-tree", "call-tree", "system-tree"]);
  assert.ok(metrics.length > 3);
  for (const row of metrics) {
    const set = weightSet(json.metrics, json.metrics[row.id].id, row.expanded === "true");
    assertClose(parseShown(row.value), sum(set, null, null), 3, `metric ${row.name}`);
  }
  const metric = metrics.find((row) => row.selected);
  const chosenMetrics = weightSet(json.metrics, json.metrics[metric.id].id, metric.expanded === "true");
  for (const row of calls) {
    const set = weightSet(json.callpaths, row.id, row.expanded === "true");
    assertClose(parseShown(row.value), sum(chosenMetrics, set, null), 3, `call path ${row.name}`);
  }
  const call = calls.find((row) => row.selected);
  const chosenCalls = weightSet(json.callpaths, call.id, call.expanded === "true");
  for (const row of system) {
    const rank = /^rank (\d+)$/.exec(row.name);
    if (rank === null) continue;
    const locations = json.locations.filter((location) => location.rank === Number(rank[1]));
    if (row.expanded === "true") continue;
    assertClose(
      parseShown(row.value),
      sum(chosenMetrics, chosenCalls, locations.map((location) => location.id)),
      3,
      `${row.name} of ${metric.name} in ${call.name}`,
    );
  }
  assert.ok(system.length >= 4);
}

/** Waits for a file that the page makes. @returns its text */
async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

async function exported(page, ending) {
  await page.locator(".menu > summary").click();
  return download(page, () => page.getByRole("button", { name: ending }).click());
}

// ---- tests

await bench.check("the summary says what the report in the terminal says", async () => {
  const page = await bench.open(html);
  // Names between backquotes are set as names.
  const terminal = bench.run(fermata, "report", report, "--top", "8").replace(/\s+/g, " ").replaceAll("`", "");
  const text = (await page.locator("main").innerText()).replace(/\s+/g, " ");
  assert.ok(!text.includes("`"), text);
  assert.ok((await page.locator(".headline-sentence code").count()) > 0);
  const headlines = await page.locator(".headline-sentence").allInnerTexts();
  assert.ok(headlines.length > 0);
  for (const headline of headlines) assert.ok(terminal.includes(headline), headline);
  for (const line of await page.locator(".finding.open .line dd").allInnerTexts()) {
    assert.ok(terminal.includes(line.replace(/\s+/g, " ")), line);
  }
  const waiting = /Waiting +([\d.]+%) of all time/.exec(terminal)[1];
  assert.ok(text.includes(`${waiting} of all time is lost waiting`));
  // Predictions, the shortest run first; the terminal says the same of each problem.
  const predicted = (await page.getByTestId("predictions").locator("tr").allInnerTexts()).map((row) => row.split(/\t|\n/));
  assert.ok(predicted.length > 0);
  const seconds = predicted.map(([time]) => parseShown(time));
  assert.deepEqual(seconds, [...seconds].sort((a, b) => a - b));
  for (const [time, change] of predicted) {
    const said = change === "no gain" ? "no gain " : `${time} `;
    assert.ok(terminal.includes(said), `${time} ${change}`);
  }
  for (const name of ["Load balance", "Communication", "Serialization", "Transfer"]) {
    const ratio = new RegExp(`${name} +([\\d.]+%)`).exec(terminal)[1];
    assert.ok((await page.getByTestId("efficiency").innerText()).includes(ratio), name);
  }
  assert.equal(await page.title(), "sample \u2013 fermata".replace("sample", json.experiment.title));
});

await bench.check("names in the sentence about waiting without a cause are set as names", async () => {
  const problems = bench.path("problems.fer");
  bench.run(writeReports.replace(/write_reports$/, "write_sample"), "problems", problems);
  const page = await bench.open(bench.page(problems, "problems.html"));
  const sentence = page.locator("p.muted", { hasText: "Waiting without a cause" });
  assert.deepEqual(await sentence.locator("code").allInnerTexts(), ["MPI_Send", "MPI_Barrier"]);
  assert.ok(!(await page.locator("main").innerText()).includes("`"));
});

await bench.check("collapsed nodes are inclusive, expanded ones exclusive, in all three trees", async () => {
  const page = await bench.open(html, { hash: "#trees" });
  await compareTrees(page);
  // Every metric is expanded and selected once.
  for (let i = 0; i < 200; i++) {
    const closed = (await rowsOf(page, "metric-tree")).find((row) => row.expanded === "false");
    if (closed === undefined) break;
    await press(page, `#metric-tree-${closed.id} .caret`, `#metric-tree-${closed.id}`);
    await compareTrees(page);
  }
  for (const row of await rowsOf(page, "call-tree")) {
    // A row without a value is there only while it is selected.
    if ((await page.locator(`#call-tree-${row.id}`).count()) === 0) continue;
    await press(page, `#call-tree-${row.id}`);
    await compareTrees(page);
  }
});

await bench.check("percentages relate to the root and to the selection", async () => {
  const page = await bench.open(html, { hash: "#trees" });
  await page.locator("#metric-tree").press("Home");
  await page.getByRole("button", { name: "% of all" }).click();
  const [time] = await rowsOf(page, "metric-tree");
  assert.equal(time.name, "Time");
  const all = sum(within(json.metrics, "time"), null, null);
  for (const row of await rowsOf(page, "metric-tree")) {
    const id = metricId(row.name);
    let root = json.metrics.find((metric) => metric.id === id);
    while (root.parent !== null) root = json.metrics.find((metric) => metric.id === root.parent);
    const set = weightSet(json.metrics, id, row.expanded === "true");
    const ratio = sum(set, null, null) / sum(within(json.metrics, root.id), null, null);
    if (row.value === "<0.1%") assert.ok(ratio < 0.0005 && ratio > 0);
    else assert.ok(Math.abs(parseShown(row.value) - ratio) < 0.00051, row.name);
  }
  await page.getByRole("button", { name: "% of selection" }).click();
  await choose(page, "metric-tree", "Late Sender");
  const metric = await selectedOf(page, "metric-tree");
  const set = weightSet(json.metrics, metricId(metric.name), metric.expanded === "true");
  const whole = sum(set, null, null);
  assert.ok(whole < all);
  for (const row of await rowsOf(page, "call-tree")) {
    const part = sum(set, weightSet(json.callpaths, row.id, row.expanded === "true"), null);
    assert.ok(Math.abs(parseShown(row.value) - part / whole) < 0.00051, row.name);
  }
  await choose(page, "call-tree", "MPI_Recv");
  const ranks = (await rowsOf(page, "system-tree")).filter((row) => /^rank/.test(row.name));
  const total = ranks.reduce((value, row) => value + parseShown(row.value), 0);
  assert.ok(Math.abs(total - 1) < 0.003, `ranks add up to ${total}`);
});

await bench.check("ranks in the program's topology, of a report alone and of merged ones", async () => {
  const merged = bench.path("merged.fer");
  bench.run(fermata, "merge", "-o", merged, report, report);
  for (const path of [html, bench.page(merged, "merged.html")]) {
    const page = await bench.open(path, { hash: "#trees?metric=comp&system=topology" });
    const chart = page.getByTestId("topology-chart");
    const canvas = chart.locator("canvas");
    assert.match(await canvas.getAttribute("aria-label"), /a <grid> & "more": x 2 \(wraps around\) \u00d7 3, up to/);
    const box = await chart.boundingBox();
    const metric = await selectedOf(page, "metric-tree");
    const call = await selectedOf(page, "call-tree");
    const metrics = weightSet(json.metrics, metricId(metric.name), metric.expanded === "true");
    const calls = weightSet(json.callpaths, call.id, call.expanded === "true");
    const grid = json.topologies[0];
    // Of the chart: src/draw/topology.ts
    const fields = { left: 52, top: 42, size: 64 };
    assert.equal(grid.members.length, 3);
    for (const { location, coordinates: [row, column] } of grid.members) {
      const rank = json.locations[location].rank;
      await page.mouse.move(box.x + fields.left + (column + 0.5) * fields.size, box.y + fields.top + (row + 0.5) * fields.size);
      const [where, value] = (await page.getByRole("tooltip").innerText()).split("\n");
      assert.equal(where, `rank ${rank} at (${row}, ${column})`);
      const own = json.locations.filter((each) => each.rank === rank).map((each) => each.id);
      assertClose(parseShown(value), sum(metrics, calls, own), 3, where);
    }
    await page.mouse.click(box.x + fields.left + 2.5 * fields.size, box.y + fields.top + 0.5 * fields.size);
    await eventually(async () => assert.match(await page.evaluate(() => location.hash), /place=/));
    await page.locator(".topology-choice select").selectOption({ index: 1 });
    assert.match(await canvas.getAttribute("aria-label"), /topology without a name: 5, up to/);
  }
});

await bench.check("the trees are used by keyboard", async () => {
  const page = await bench.open(html);
  await page.keyboard.press("2");
  const tree = page.locator("#metric-tree");
  await tree.focus();
  await tree.press("Home");
  assert.equal((await selectedOf(page, "metric-tree")).name, "Time");
  assert.equal((await selectedOf(page, "metric-tree")).expanded, "true");
  await tree.press("ArrowLeft");
  assert.equal((await selectedOf(page, "metric-tree")).expanded, "false");
  await compareTrees(page);
  await tree.press("ArrowRight");
  await tree.press("ArrowRight");
  assert.equal((await selectedOf(page, "metric-tree")).level, 2);
  await tree.press("*");
  assert.ok((await rowsOf(page, "metric-tree")).some((row) => row.level > 4));
  await tree.press("ArrowDown");
  assert.equal((await selectedOf(page, "metric-tree")).level, 3);
  await tree.press("ArrowLeft");
  await tree.press("ArrowLeft");
  await tree.press("End");
  const active = await tree.getAttribute("aria-activedescendant");
  assert.equal(active, `metric-tree-${(await selectedOf(page, "metric-tree")).id}`);
  await tree.press("m");
  assert.equal(await page.getByRole("button", { name: "% of all" }).getAttribute("aria-pressed"), "true");
  await compareKeys(page);
});

/** The keys that belong to no view. */
async function compareKeys(page) {
  await page.keyboard.press("?");
  assert.equal(await page.getByRole("dialog", { name: "Keys" }).count(), 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("late send");
  await page.keyboard.press("Enter");
  assert.equal((await selectedOf(page, "metric-tree")).name, "Late Sender");
  for (const [key, name] of [["1", "Summary"], ["3", "Timeline"], ["4", "Wait states"], ["7", "Matrices"], ["9", "Metrics"],
    ["0", "Run"]]) {
    await page.keyboard.press(key);
    const shown = await page.locator("nav [aria-current=page]").innerText();
    assert.ok(shown.startsWith(name), `${key} shows ${shown}`);
  }
}

await bench.check("Hottest opens the trees along the largest values", async () => {
  const page = await bench.open(html, { hash: "#trees?metric=mpi_latesender&cx=&call=0" });
  await page.getByRole("button", { name: "Hottest" }).click();
  assert.equal((await selectedOf(page, "call-tree")).name, "MPI_Recv");
  const hottest = json.locations
    .map((location) => [sum(within(json.metrics, "mpi_latesender"), null, [location.id]), location.rank])
    .sort((a, b) => b[0] - a[0])[0][1];
  assert.equal((await selectedOf(page, "system-tree")).name, `rank ${hottest}`);
});

await bench.check("search, order, threshold, zeros and limits of the colours", async () => {
  const page = await bench.open(html, { hash: "#trees" });
  await page.getByLabel("Search metrics").fill("barrier");
  const found = await rowsOf(page, "metric-tree");
  assert.ok(found.some((row) => row.name === "Wait at Barrier"));
  assert.ok(!found.some((row) => row.name === "Late Sender"));
  await page.getByLabel("Search metrics").press("Escape");
  await page.getByLabel("Search call paths").fill("recv");
  const names = (await rowsOf(page, "call-tree")).map((row) => row.name);
  assert.ok(names.includes("MPI_Recv") && !names.includes("MPI_Barrier"));
  await page.getByLabel("Search call paths").fill("");

  await choose(page, "metric-tree", "Time");
  await page.getByLabel("Sort").selectOption("value");
  await page.locator("#call-tree").press("Home");
  const values = (await rowsOf(page, "call-tree")).filter((row) => row.level === 2);
  for (let i = 1; i < values.length; i++) {
    assert.ok(parseShown(values[i - 1].value) >= parseShown(values[i].value));
  }
  await page.getByLabel("Sort").selectOption("name");
  const sorted = (await rowsOf(page, "call-tree")).filter((row) => row.level === 2).map((row) => row.name);
  assert.deepEqual(sorted, [...sorted].sort((a, b) => a.localeCompare(b)));

  const faint = async () => (await rowsOf(page, "metric-tree")).filter((row) => row.faint).length;
  await page.getByLabel("Grey below").selectOption("0");
  const few = await faint();
  await page.getByLabel("Grey below").selectOption("0.05");
  assert.ok((await faint()) > few);

  const shown = (await rowsOf(page, "metric-tree")).length;
  await page.getByLabel("zeros").check();
  assert.ok((await rowsOf(page, "metric-tree")).length > shown);
  await page.getByLabel("zeros").uncheck();

  const color = () => page.locator("#metric-tree .bar span").nth(2).evaluate((bar) => bar.style.background);
  const before = await color();
  await page.getByLabel("Limits of the colours").selectOption("fixed");
  await page.getByLabel("Last colour, percent").fill("20");
  assert.notEqual(await color(), before);
  const heat = await color();
  await page.getByLabel("Colours", { exact: false }).first().selectOption("cividis");
  assert.notEqual(await color(), heat);
});

await bench.check("flat lists of call paths and functions", async () => {
  const page = await bench.open(html, { hash: "#trees?metric=time&mx=" });
  await choose(page, "metric-tree", "Time");
  const time = within(json.metrics, "time");
  await page.getByRole("button", { name: "Paths" }).click();
  const rows = await rowsOf(page, "call-tree");
  assert.ok(rows.length > 3);
  for (const row of rows) assertClose(parseShown(row.value), sum(time, [row.id], null), 3, row.name);
  await page.getByRole("button", { name: "Functions" }).click();
  for (const row of await rowsOf(page, "call-tree")) {
    const same = json.callpaths.filter(
      (callpath) => callpath.region === json.callpaths[row.id].region,
    );
    assertClose(parseShown(row.value), sum(time, same.map((each) => each.id), null), 3, row.name);
  }
});

await bench.check("the system as bars, box and heat map", async () => {
  const page = await bench.open(html, { hash: "#trees?metric=mpi_latesender" });
  for (const [button, chart] of [["Ranks", "ranks"], ["Box", "distribution"], ["Heat map", "heatmap"]]) {
    await page.getByRole("button", { name: button, exact: true }).click();
    const canvas = page.getByTestId(`${chart}-chart`).locator("canvas");
    assert.match(await canvas.getAttribute("aria-label"), /Late Sender of 5 threads: from .* to .*/);
    const isDrawn = () =>
      canvas.evaluate((element) => {
        // A copy: the browser complains if the chart itself is read again and again.
        const copy = new OffscreenCanvas(element.width, element.height);
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(element, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        return data.some((value) => value !== 0);
      });
    assert.ok(await isDrawn(), `${chart} is empty`);
  }
  await page.getByRole("button", { name: "Ranks", exact: true }).click();
  const box = await page.getByTestId("ranks-chart").boundingBox();
  const seen = new Set();
  for (let part = 0.2; part < 1; part += 0.02) {
    await page.mouse.move(box.x + box.width * part, box.y + box.height * 0.5);
    const tip = page.getByRole("tooltip");
    if ((await tip.count()) > 0) seen.add((await tip.innerText()).split("\n")[0]);
  }
  assert.deepEqual([...seen], ["rank 0", "rank 1", "rank 2", "rank 3, thread 0", "rank 3, thread 1"]);
  await page.getByRole("button", { name: "Box", exact: true }).click();
  const table = await page.locator(".numbers").innerText();
  const values = json.locations.map((location) =>
    sum(within(json.metrics, "mpi_latesender"), null, [location.id]),
  );
  const largest = /Maximum\s+(.+)/.exec(table)[1].trim();
  assertClose(parseShown(largest), Math.max(...values), 3, "largest");
  // Quartiles of five values are three of them.
  const sorted = values.toSorted((a, b) => a - b);
  ["Minimum", "Lower quartile", "Median", "Upper quartile", "Maximum"].forEach((name, i) => {
    const shown = new RegExp(`${name}\\s+(.+)`).exec(table)[1].trim();
    assertClose(parseShown(shown), sorted[i], 3, name);
  });
});

await bench.check("the state is in the address", async () => {
  const page = await bench.open(html, { hash: "#trees" });
  await choose(page, "metric-tree", "Computation");
  await page.getByRole("button", { name: "% of selection" }).click();
  await page.locator("#call-tree").press("Home");
  await page.locator("#call-tree").press("*");
  await page.getByRole("button", { name: "Ranks", exact: true }).click();
  await page.getByRole("button", { name: "Tree", exact: true }).last().click();
  await page.getByLabel("Sort").selectOption("value");
  const state = async (from) => [
    await rowsOf(from, "metric-tree"),
    await rowsOf(from, "call-tree"),
    await rowsOf(from, "system-tree"),
  ];
  const hash = await eventually(async () => {
    const text = await page.evaluate(() => location.hash);
    assert.match(text, /order=value/);
    return text;
  });
  const copy = await bench.open(html, { hash });
  assert.deepEqual(await state(copy), await state(page));
  await page.getByRole("button", { name: "Metrics" }).click();
  await page.goBack();
  assert.equal(await page.locator("nav [aria-current=page]").innerText(), "Trees");
  assert.deepEqual(await state(page), await state(copy));
  await goTo(page, "#trees?metric=nonsense&call=99999&mx=%00.zz&mode=evil");
  assert.ok((await rowsOf(page, "metric-tree")).length > 3);
});

await bench.check("exports: CSV with exact values, SVG, PNG", async () => {
  const page = await bench.open(html, { hash: "#trees?metric=time" });
  await choose(page, "metric-tree", "Time");
  const csv = await exported(page, "CSV");
  assert.match(csv.name, /^fermata-.*-trees\.csv$/);
  const rows = parseCsv(csv.bytes.toString("utf8"));
  const metrics = rows.filter((row) => row.tree === "Metric");
  for (const row of metrics) {
    const set = weightSet(json.metrics, row.id, row["value is"] === "exclusive");
    assertClose(Number(row.value), sum(set, null, null), 12, row.id);
  }
  assert.ok(rows.some((row) => row.tree === "System"));
  for (const view of ["Trees", "Wait states", "Critical path", "Locks"]) {
    await page.getByRole("button", { name: view, exact: true }).click();
    if ((await page.locator(".menu").count()) === 0) continue;
    const svg = (await exported(page, "SVG")).bytes.toString("utf8");
    const isGood = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      return parsed.querySelector("parsererror") === null && parsed.querySelectorAll("text").length > 2;
    }, svg);
    assert.ok(isGood, `${view}: ${svg.slice(0, 300)}`);
    assert.ok(!svg.includes("<script"));
    const png = await exported(page, "PNG");
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    const table = await exported(page, "CSV");
    assert.ok(parseCsv(table.bytes.toString("utf8")).length > 0);
  }
});

await bench.check("locks: where they are held and waited for, and how many are left out", async () => {
  const page = await bench.open(html, { hash: "#locks?lock=1" });
  const lock = json.locks[1];
  const view = page.locator(".locks");
  assert.equal(json.locks_left_out.count, 7);
  assert.match(await view.innerText(), /and 7 more locks with less waiting, 1\.000 ms in all/);
  for (const [title, places] of [["Held in, while others wait", lock.held_in], ["Waited in", lock.waited_in]]) {
    const rows = view.locator("div", { has: page.getByRole("heading", { name: title }) }).last().locator("tbody tr");
    const texts = await rows.evaluateAll((all) => all.map((row) => row.cells[0].innerText));
    assert.deepEqual(texts.map((text) => text.split(" / ").at(-1)),
      places.map(({ callpath }) => json.callpaths[callpath].region), title);
  }
});

await bench.check("wait states: statistics and chains of causes", async () => {
  const page = await bench.open(html, { hash: "#waits" });
  const records = [...json.statistics].sort((a, b) => b.sum - a.sum);
  const rows = await page.locator(".kinds tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText)),
  );
  assert.equal(rows.length, records.length);
  rows.forEach((row, i) => {
    const name = json.metrics.find((metric) => metric.id === records[i].metric).name;
    assert.equal(row[0], name);
    assertClose(parseShown(row[1]), records[i].sum, 3, name);
    assertClose(parseShown(row[3]), records[i].count, 12, name);
    assertClose(parseShown(row[4]), records[i].median, 3, name);
    assertClose(parseShown(row[5]), records[i].max, 3, name);
  });
  // Each box stands beside its row.
  const top = (await page.getByTestId("wait-boxes").boundingBox()).y;
  for (let i = 0; i < records.length; i++) {
    const row = await page.locator(".kinds tbody tr").nth(i).boundingBox();
    assert.ok(Math.abs(row.y + row.height / 2 - (top + 26 * (i + 1.5))) < 3, `row ${i}`);
  }
  const chosen = records.findIndex((record) => record.worst.some((each) => each.causes.length > 0));
  await page.locator(".kinds tbody tr").nth(chosen).click();
  const chains = await page.locator(".chain").count();
  assert.equal(chains, records[chosen].worst.length);
  const steps = records[chosen].worst.reduce((count, each) => count + 1 + each.causes.length, 0);
  assert.equal(await page.locator(".chain-step").count(), steps);
});

await bench.check("another experiment to compare with", async () => {
  const page = await bench.open(html, { hash: "#trees?metric=time" });
  await choose(page, "metric-tree", "Computation");
  await page.getByTestId("peer-file").setInputFiles(html);
  await page.getByRole("button", { name: "% of other run" }).waitFor();
  for (const tree of ["metric-tree", "call-tree", "system-tree"]) {
    for (const row of await rowsOf(page, tree)) assert.match(row.value, /^(100\.0%|0\.0%)$/, row.name);
  }
  await page.getByTitle("Stop comparing").click();
  await page.getByTestId("peer-file").setInputFiles(hostileHtml);
  await page.getByRole("button", { name: "% of other run" }).waitFor();
  const otherJson = bench.json(hostile);
  const theirs = otherJson.severities
    .filter((cell) => cell.metric === "comp")
    .reduce((total, cell) => total + cell.value, 0);
  const row = (await rowsOf(page, "metric-tree")).find((each) => each.name === "Computation");
  // Call paths that only the other run has lie below no common root: they count for the metric only.
  assertClose(parseShown(row.value), sum(["comp"], null, null) / theirs, 3, "computation");
  await page.getByTestId("peer-file").setInputFiles({
    name: "no.html",
    mimeType: "text/html",
    buffer: Buffer.from("<html></html>"),
  });
  await page.getByRole("alert").waitFor();
});

await bench.check("help for every metric", async () => {
  const page = await bench.open(html, { hash: "#metrics" });
  assert.equal(await page.locator(".metric-list li").count(), json.metrics.length);
  await page.getByLabel("Search metrics").fill("late sender");
  await page.locator(".metric-list").getByRole("button", { name: "Late Sender", exact: true }).click();
  const text = await page.locator(".metric-page").innerText();
  const metric = json.metrics.find((each) => each.id === "mpi_latesender");
  assert.ok(text.includes(metric.description));
  for (const part of ["Computed", "Advice", "Unit", "mpi_latesender"]) assert.ok(text.includes(part));
  await page.getByRole("button", { name: "Show in the trees" }).click();
  assert.equal((await selectedOf(page, "metric-tree")).name, "Late Sender");
});

await bench.check("the list of keys has the licences of all that the page contains", async () => {
  const page = await bench.open(html);
  const search = page.getByTitle("Search (key: /)");
  await search.focus();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  const text = keys.locator("details", { hasText: "Licences" }).locator("pre");
  assert.equal(await text.isVisible(), false);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await text.isVisible(), true);
  const shown = await text.textContent();
  assert.equal(shown, /^```\n(.*)^```$/ms.exec(readFileSync(`${web}/LICENSES.md`, "utf8"))[1]);
  for (const name of ["fermata", "preact 10", "d3-scale 4"]) assert.match(shown, new RegExp(`^${name}`, "m"));
  // A click in the list does not close the list; the focus goes back to where it was.
  await keys.locator("summary").click();
  assert.equal(await text.isVisible(), false);
  await page.keyboard.press("Escape");
  assert.equal(await keys.count(), 0);
  assert.equal(await search.evaluate((button) => button === document.activeElement), true);
});

await bench.check("light and dark", async () => {
  const page = await bench.open(html, { colorScheme: "dark" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  const button = page.getByTitle("Light, dark, or system theme");
  await button.click();
  assert.notEqual(await background(), dark);
  await button.click();
  assert.equal(await background(), dark);
});

await bench.check("names from traces stay names", async () => {
  const page = await bench.open(hostileHtml, { width: 1700 });
  for (const view of ["Summary", "Trees", "Timeline", "Wait states", "Critical path", "Efficiency", "Matrices", "Locks", "Metrics",
    "Run"]) {
    await page.locator("nav").getByRole("button", { name: view }).click();
    if (view === "Trees") {
      await choose(page, "metric-tree", "Computation");
      for (const list of ["Paths", "Functions", "Tree"]) {
        await page.getByRole("button", { name: list, exact: true }).first().click();
      }
      await page.locator("#call-tree").press("Home");
      const first = await selectedOf(page, "call-tree");
      if (first.expanded === "false") await page.locator("#call-tree").press("ArrowRight");
      const names = (await rowsOf(page, "call-tree")).map((row) => row.name);
      assert.ok(names.some((name) => name.includes("</script><script data-evil=2>")));
      assert.ok(names.some((name) => name.startsWith("\\u{202e}gnp.exe")));
      assert.ok(names.includes("__proto__") && names.includes("constructor"));
      assert.ok(names.some((name) => name.includes("\\x1b[31m")));
      assert.ok(names.every((name) => name.length <= 310));
      for (const chart of ["Ranks", "Heat map"]) {
        await page.getByRole("button", { name: chart, exact: true }).click();
      }
      const svg = (await exported(page, "SVG")).bytes.toString("utf8");
      assert.ok(!/<(script|img)/.test(svg));
      await exported(page, "CSV");
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.ok(!wide, `${view} is wider than the window`);
  }
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator("[data-evil]").count(), 0);
  assert.ok(!(await page.title()).includes("\u202e"));
});

await bench.check("processes that were killed while counters only were recorded: no time is stated", async () => {
  const ended = bench.path("ended.fer");
  bench.run(writeReports, "ended", ended);
  const page = await bench.open(bench.page(ended, "ended.html"), { hash: "#summary" });
  const headline = await page.locator(".headline").innerText();
  assert.match(headline, /Calls and counters, without a trace/);
  assert.match(headline, /Run time\s+not known/i);
  assert.match(headline, /No process reached its regular end/);
  assert.doesNotMatch(headline, /All time|NaN|%|\b0 s/);
  assert.doesNotMatch(await page.locator("header.top").innerText(), /Matrices|Timeline/);
});

await bench.check("counters only with the traffic of ranks: its matrices, and none of waiting", async () => {
  const traffic = bench.path("traffic.fer");
  bench.run(writeReports, "traffic", traffic);
  const page = await bench.open(bench.page(traffic, "traffic.html"), { hash: "#matrices" });
  assert.match(await page.locator("header.top").innerText(), /Matrices/);
  const kinds = page.getByRole("group", { name: "Matrix" });
  assert.deepEqual(await kinds.getByRole("button").allInnerTexts(), ["Messages", "One-sided"]);
  assert.equal(await kinds.getByRole("button", { pressed: true }).innerText(), "Messages");
  assert.match(await page.locator(".matrices").innerText(), /64 B/);
});

await bench.check("10^6 severities", async () => {
  const large = bench.path("large.fer");
  bench.run(writeReports, "large", large);
  const path = bench.page(large, "large.html");
  const size = readFileSync(path).length;
  console.log(`        ${(size / 2 ** 20).toFixed(2)} MiB`);
  assert.ok(size < 5e6, `the page has ${size} bytes`);
  let session;
  const page = await bench.open(path, {
    hash: "#trees?metric=comp",
    async before(blank) {
      session = await blank.context().newCDPSession(blank);
      await session.send("Performance.enable");
    },
  });
  const { metrics } = await session.send("Performance.getMetrics");
  const milliseconds = (name) =>
    (1000 * metrics.find((metric) => metric.name === name).value).toFixed(0);
  const ready = await page.evaluate(() => performance.getEntriesByName("fermata-ready")[0].startTime);
  console.log(
    `        script ${milliseconds("ScriptDuration")} ms, all tasks ${milliseconds("TaskDuration")} ms, ` +
      `ready ${ready.toFixed(0)} ms after navigation`,
  );
  const values = largeComputation();
  const total = values.reduce((all, row) => all + row.reduce((sum, value) => sum + value, 0), 0);
  const row = (await rowsOf(page, "metric-tree")).find((each) => each.name === "Computation");
  assertClose(parseShown(row.value), total / 1e9, 3, "computation");
  // Values of single locations may be rounded, but not so that it could be seen.
  await page.locator("#call-tree").press("Home");
  await page.locator("#call-tree").press("End");
  const call = await selectedOf(page, "call-tree");
  const below = (id) => [id, ...values.flatMap((_, path) => (path > 0 && Math.floor((path - 1) / 4) === id ? below(path) : []))];
  const set = call.expanded === "true" ? [call.id] : below(call.id);
  const nodes = (await rowsOf(page, "system-tree")).filter((each) => each.level === 2);
  assert.equal(nodes.length, 16);
  assert.equal(nodes[3].name, "node003");
  const part = set.flatMap((path) => values[path].slice(3 * 64, 4 * 64)).reduce((sum, value) => sum + value, 0);
  assertClose(parseShown(nodes[3].value), part / 1e9, 3, "one node");
});

/** @returns [call path][rank]: the computation of the large report in its ticks, as large_cube() in write_reports.c makes
 * it: every second number of a sequence. */
function largeComputation() {
  let random = 1n;
  const next = () => {
    random = BigInt.asUintN(64, random * 6364136223846793005n + 1442695040888963407n);
    return Number(random >> 40n) + 1000;
  };
  return Array.from({ length: 500 }, () =>
    Array.from({ length: 1000 }, () => {
      const value = next();
      next();
      return value;
    }),
  );
}

await bench.check("a report without anything in it", async () => {
  const empty = bench.path("empty.fer");
  bench.run(writeReports.replace(/write_reports$/, "write_sample"), "empty", empty);
  const page = await bench.open(bench.page(empty, "empty.html"));
  for (const view of ["Trees", "Timeline", "Wait states", "Critical path", "Efficiency", "Matrices", "Locks", "Metrics",
    "Run", "Summary"]) {
    await page.getByRole("button", { name: view, exact: true }).click();
  }
});

await bench.finish();
