// SPDX-License-Identifier: BSD-3-Clause
// Keys, selection, statistics of intervals, search, and the order of rows of the timeline.
// usage: check_selection.mjs WEB FERMATA SCENARIO
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { assertClose, Bench, eventually, goTo, parseCsv, parseShown, settled } from "./browser.mjs";

const [web, fermata, scenario] = process.argv.slice(2);
const bench = new Bench(web, fermata);
const small = bench.path("small");
bench.run(fermata, "synth", scenario, "-o", small);
const html = bench.path("small.html");
bench.run(fermata, "analyze", "--quiet", small, "--html", html);
const json = bench.json(small);

// 12 ranks, 20 iterations of 50: in iterations 8 to 11, rank 7 computes 40, otherwise all compute about 20.
const RANKS = 12;
const STEPS = 20;
const work = (rank, step) => (rank === 7 && step >= 8 && step < 12 ? 40 : 20 + (rank % 4));
const lines = ["unit 1e-3", `ranks ${RANKS}`, "phase step"];
for (let rank = 0; rank < RANKS; rank++) {
  const put = (time, text) => lines.push(`${time} ${rank} ${text}`);
  put(0, "enter main");
  for (let step = 0; step < STEPS; step++) {
    const begin = 50 * step;
    put(begin, "enter step");
    put(begin, "enter solve");
    put(begin + 5, "enter sweep");
    put(begin + work(rank, step), "leave sweep");
    put(begin + work(rank, step), "leave solve");
    put(begin + work(rank, step), "enter MPI_Barrier");
    put(begin + work(rank, step), "coll_begin");
    put(begin + 50, "coll_end barrier world - 0 0");
    put(begin + 50, "leave MPI_Barrier");
    put(begin + 50, "leave step");
  }
  put(50 * STEPS, "leave main");
}
writeFileSync(bench.path("steps.scn"), `${lines.join("\n")}\n`);
const steps = bench.path("steps");
bench.run(fermata, "synth", bench.path("steps.scn"), "-o", steps);
const stepsHtml = bench.path("steps.html");
bench.run(fermata, "analyze", "--quiet", steps, "--html", stepsHtml);
const stepsJson = bench.json(steps);
await bench.start();

const openTimeline = (path, hash = "#timeline") => bench.open(path, { hash });

// Of the chart: src/draw/timeline/timeline_layout.ts. With iterations, the ruler is higher.
const PLOT = { left: 78, right: 12, bottom: 4 };

/** @returns the point of the chart of a moment (part of the shown time) of a row, or of a height of the ruler. */
const pointOf = async (page, part, place) => inBox(await page.getByTestId("timeline-chart").boundingBox(), part, place);

function inBox(box, part, { row, rows, ruler = 34, y }, aside = 0) {
  const top = y ?? ruler + ((row + 0.3) / rows) * (box.height - ruler - PLOT.bottom);
  return [box.x + PLOT.left + aside + part * (box.width - PLOT.left - PLOT.right), box.y + top];
}

/** Asserts what the address says, which after many changes follows later (web/src/state/url.ts).
 * @returns what `assertion` of the view and the query returns */
const address = (page, assertion) =>
  eventually(async () => {
    const [view, query = ""] = (await page.evaluate(() => location.hash)).slice(1).split("?");
    return assertion(new URLSearchParams(query), view);
  });
const assertView = (page, view, what) => address(page, (_, shown) => assert.equal(shown, view, what));
const assertParameter = (page, name, value) => address(page, (query) => assert.equal(query.get(name), value));
/** @returns a span of the address, in ticks */
const spanOf = (page, name) =>
  address(page, (query) => {
    assert.ok(query.has(name), name);
    return query.get(name).split("_").map(Number);
  });
const isZoomed = (page, isIt) => address(page, (query) => assert.equal(query.has("t"), isIt));
/** @returns the address when it has a text */
const hashWith = (page, text) =>
  eventually(async () => {
    const hash = await page.evaluate(() => location.hash);
    assert.match(hash, text);
    return hash;
  });
const item = (page) => page.getByTestId("item").innerText();

async function drag(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

/** @returns the exported numbers of the selected interval. */
async function numbers(page) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export the numbers" }).click(),
  ]);
  return parseCsv(readFileSync(await file.path(), "utf8"));
}

await bench.check("keys work as soon as the view is open, and none leads to another view", async () => {
  const page = await openTimeline(html);
  await page.keyboard.press("w");
  await isZoomed(page, true);
  await page.keyboard.press("0");
  await isZoomed(page, false);
  await assertView(page, "timeline");
  for (const key of "123456789hmfgcnpxeq+-.".split("")) {
    await page.keyboard.press(key);
    await assertView(page, "timeline", `key ${key}`);
  }
  // Also after a click on a button, and not while text is typed.
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "Function", exact: true }).click();
  await page.keyboard.press("d");
  await page.keyboard.press("w");
  await isZoomed(page, true);
  await page.keyboard.press("0");
  await isZoomed(page, false);
  await page.keyboard.press("/");
  await page.keyboard.type("wsad01");
  await assertParameter(page, "find", "wsad01");
  await isZoomed(page, false);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  // The list of keys: the timeline's keys wait until it is closed.
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  assert.match(await keys.innerText(), /zoom to the selection/);
  await page.keyboard.press("w");
  await isZoomed(page, false);
  await page.keyboard.press("Escape");
  assert.equal(await keys.count(), 0);
  await page.keyboard.press("Shift+Digit2");
  await assertView(page, "trees");
});

await bench.check("a click selects a computation or a call, a double click and f zoom to it", async () => {
  const page = await openTimeline(html);
  // Rank 2 computed from 0 to 20; rank 1 waited for that from 3 to 20.
  await page.mouse.click(...(await pointOf(page, 10 / 60, { row: 2, rows: 3 })));
  const text = await item(page);
  assert.match(text, /^solve: 20\.00 ms\s+rank 2 computed in main \/ solve from 0 s to 20\.00 ms after the start/);
  assert.match(text, /Waited for\s+Nothing/);
  assert.match(text, /Blocked\s+17\.00 ms on 1 of 3 ranks\s+Late Sender\s+rank 1\s+17\.00 ms/);
  await isZoomed(page, false);
  const copy = await openTimeline(html, await hashWith(page, /item=/));
  assert.equal(await item(copy), text);
  await page.keyboard.press("f");
  assert.deepEqual(await spanOf(page, "t"), [0, 24000]); // 20 ms and a tenth of it on each side, moved to the begin of the run
  await page.keyboard.press("0");
  // A call: MPI_Send of rank 1, 21 to 22, for which rank 0 waited since 2.
  await page.mouse.click(...(await pointOf(page, 21.5 / 60, { row: 1, rows: 3 })));
  assert.match(await item(page), /^MPI_Send: 1\.000 ms\s+rank 1 was in main \/ MPI_Send from 21\.00 ms to 22\.00 ms/);
  assert.match(await item(page), /Blocked\s+19\.00 ms on 1 of 3 ranks\s+Late Sender\s+rank 0/);
  // From there to the wait state, with what it blocked in turn, and back to nothing.
  await page.getByTestId("item").getByRole("button", { name: "Late Sender" }).click();
  assert.match(await page.getByTestId("explanation").innerText(), /^Late Sender: 19\.00 ms/);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByTestId("explanation").count(), 0);
  await page.keyboard.press("0");
  // The receiving call after its waiting belongs to the whole call.
  await page.mouse.click(...(await pointOf(page, 20.5 / 60, { row: 1, rows: 3 })));
  assert.match(await item(page), /^MPI_Recv: 18\.00 ms/);
  assert.match(await item(page), /Waited for\s+17\.00 ms, 94\.4% of it\s+Late Sender\s+for rank 2\s+17\.00 ms/);
  await page.mouse.dblclick(...(await pointOf(page, 30.5 / 60, { row: 2, rows: 3 })));
  const zoomed = await spanOf(page, "t");
  assertClose(zoomed[0], 29900, 3, "double click");
  assertClose(zoomed[1], 31100, 3, "double click");
  assert.match(await item(page), /^MPI_Win_create: 1\.000 ms/);
});

await bench.check("back returns to the timeline as it was", async () => {
  const page = await openTimeline(html);
  await page.mouse.click(...(await pointOf(page, 10 / 60, { row: 2, rows: 3 })));
  await page.keyboard.press("f");
  const text = await item(page);
  const before = await hashWith(page, /t=.*item=/);
  await page.getByRole("button", { name: "Show in the trees" }).click();
  await assertView(page, "trees");
  await page.goBack();
  assert.equal(await item(page), text);
  assert.equal(await page.evaluate(() => location.hash), before);
});

await bench.check("the statistics of the whole run are the report's", async () => {
  const page = await openTimeline(html);
  await drag(page, await pointOf(page, 0.0005, { y: 10 }), [5000, (await pointOf(page, 1, { y: 10 }))[1]]);
  await page.getByTestId("interval").waitFor();
  await goTo(page, "#timeline?interval=0_60000");
  const rows = await numbers(page);
  const number = (kind, name) => Number(rows.find((row) => row.kind === kind && row.name === name)?.seconds ?? 0);
  const within = (id) => [id, ...json.metrics.filter(({ parent }) => parent === id).flatMap((metric) => within(metric.id))];
  const time = new Set(within("time"));
  const expected = new Map();
  for (const cell of json.severities.filter(({ metric }) => time.has(metric))) {
    const { region } = json.callpaths[cell.callpath];
    expected.set(region, (expected.get(region) ?? 0) + cell.value);
  }
  for (const [region, value] of expected) assertClose(number("function", region), value, 9, region);
  assert.equal(rows.filter(({ kind }) => kind === "function").length, expected.size);
  for (const record of json.statistics) {
    const row = rows.find((each) => each.kind === "wait state" && each.name === record.metric);
    assertClose(Number(row.seconds), record.sum, 9, record.metric);
    assert.equal(Number(row.count), record.count);
  }
  const blamed = rows.filter(({ kind }) => kind === "waited for").reduce((sum, row) => sum + Number(row.seconds), 0);
  assertClose(blamed, json.statistics.reduce((sum, { sum: own }) => sum + own, 0), 9, "waited for");
  assert.equal(Number(rows.find((row) => row.name === "message").count), 2);
  // Bytes of messages and one-sided operations, which take place between ranks.
  const bytes = (id) => json.severities.filter(({ metric }) => metric === id).reduce((sum, { value }) => sum + value, 0);
  const moved = (...names) =>
    rows.filter((row) => row.kind === "message" && names.includes(row.name)).reduce((sum, { more }) => sum + Number(more), 0);
  assert.ok(bytes("bytes_sent") > 0 && bytes("bytes_put") > 0 && bytes("bytes_get") > 0);
  assert.equal(moved("message"), bytes("bytes_sent"));
  // Atomic operations move bytes in both directions.
  assert.equal(moved("put", "get", "atomic operation"), bytes("bytes_put") + bytes("bytes_get"));
  assert.match(await page.getByTestId("interval").innerText(), /message 2, 16 B together, on average/);
});

await bench.check("the statistics of an interval, its CSV, and m", async () => {
  const page = await openTimeline(html, "#timeline?interval=5000_20000");
  const text = await page.getByTestId("interval").innerText();
  assert.match(text, /^Interval: 15\.00 ms\s+5\.000 ms to 20\.00 ms, on 3 of 3 ranks/);
  assert.match(text, /Computation 33\.3%\s+Communication 0\.0%\s+Waiting 66\.7%/);
  const rows = await numbers(page);
  const seconds = (kind, name, location = "") =>
    Number(rows.find((row) => row.kind === kind && row.name === name && row.location === location).seconds);
  assertClose(seconds("function", "MPI_Recv"), 0.03, 9, "MPI_Recv");
  assertClose(seconds("function", "solve"), 0.015, 9, "solve");
  assertClose(seconds("wait state", "mpi_latesender"), 0.03, 9, "waits");
  // Rank 0 waited for rank 1, which waited itself for rank 2, which computed.
  assertClose(seconds("waited for", "waiting", "1"), 0.015, 9, "rank 1");
  assertClose(seconds("waited for", "main/solve", "2"), 0.015, 9, "rank 2");
  // Only the ranks shown are counted.
  await page.getByLabel("Filter of the rows").fill("1");
  assert.equal(await page.getByTestId("row-count").innerText(), "on 1 of 3 ranks");
  assert.match(await page.getByTestId("interval").innerText(), /on 1 of 3 ranks/);
  await page.getByLabel("Filter of the rows").fill("");
  await page.getByLabel("Filter of the rows").blur();
  // The selection becomes the interval.
  await page.mouse.click(...(await pointOf(page, 10 / 60, { row: 1, rows: 3 })));
  await page.keyboard.press("m");
  await assertParameter(page, "interval", "3000_20000");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByTestId("interval").count(), 0);
  // Dragging along the ruler, backwards, selects what is between.
  await drag(page, await pointOf(page, 0.5, { y: 12 }), await pointOf(page, 0.25, { y: 20 }));
  const [from, to] = await spanOf(page, "interval");
  assert.ok(Math.abs(from - 15000) < 100 && Math.abs(to - 30000) < 100, `${from} ${to}`);
  await page.keyboard.press("f");
  await isZoomed(page, true);
});

await bench.check("the statistics of another interval are not those of the one before", async () => {
  const page = await openTimeline(html, "#timeline?interval=5000_20000");
  const [heading, isBusy, exports] = await page.evaluate(
    () =>
      new Promise((resolve) => {
        // Right after the page has shown the new interval, before it computes.
        addEventListener("hashchange", () => {
          const panel = document.querySelector("[data-testid=interval]");
          const buttons = [...panel.querySelectorAll("button:enabled")].map((button) => button.textContent.trim());
          resolve([panel.innerText, panel.getAttribute("aria-busy"), buttons.includes("Export the numbers")]);
        });
        location.hash = "#timeline?interval=0_60000";
      }),
  );
  assert.match(heading, /^Interval: 60\.00 ms\s+0 s to 60\.00 ms\s/);
  assert.deepEqual([isBusy, exports], ["true", false]);
  await settled(page);
  assert.match(await page.getByTestId("interval").innerText(), /^Interval: 60\.00 ms\s+0 s to 60\.00 ms, on 3 of 3 ranks/);
  assert.equal((await numbers(page)).find((row) => row.name === "message").count, "2");
});

await bench.check("a click on an iteration gives its statistics", async () => {
  const page = await openTimeline(stepsHtml);
  await page.mouse.click(...(await pointOf(page, 9.5 / STEPS, { y: 26 })));
  await assertParameter(page, "interval", "450000_500000");
  const rows = await numbers(page);
  const blame = rows.filter(({ kind }) => kind === "waited for");
  assert.equal(blame[0].location, "7");
  assert.equal(blame[0].name, "main/step/solve/sweep");
  const waits = Number(rows.find(({ kind }) => kind === "wait state").seconds);
  const expected = Array.from({ length: RANKS }, (_, rank) => 40 - work(rank, 9)).reduce((a, b) => a + b, 0) / 1000;
  assertClose(waits, expected, 9, "waiting in iteration 9");
  await page.mouse.dblclick(...(await pointOf(page, 3.5 / STEPS, { y: 26 })));
  await assertParameter(page, "t", "150000_200000");
});

await bench.check("search highlights what it finds, counts it, and says when nothing matches", async () => {
  const page = await openTimeline(stepsHtml);
  const picture = () => page.getByTestId("timeline-chart").locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const result = () => page.getByTestId("search-result").innerText();
  const plain = await picture();
  await page.keyboard.press("/");
  await page.keyboard.type("mpi_barr");
  assert.equal(await result(), `${RANKS * STEPS} in view`);
  assert.notEqual(await picture(), plain);
  await page.keyboard.press("Enter");
  // Ranks with rank % 4 = 0 are first in the barrier.
  await hashWith(page, /item=0_20000/);
  await page.keyboard.press("Enter");
  await hashWith(page, /item=4_20000/);
  await page.keyboard.press("Shift+Enter");
  await hashWith(page, /item=0_20000/);
  await page.getByLabel("Search in the timeline").fill("sweep");
  assert.equal(await result(), `${RANKS * STEPS} in view`);
  await page.getByLabel("Search in the timeline").fill("no such function");
  assert.equal(await result(), "no match");
  await page.getByLabel("Search in the timeline").fill("Wait at Barrier");
  assert.match(await result(), /^\d+ in view$/);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByTestId("search-result").count(), 0);
});

/** @returns the location of each row, top down, as the names beside the rows say. */
async function rowNames(page, rows, ruler) {
  const box = await page.getByTestId("timeline-chart").boundingBox();
  const names = [];
  for (let row = 0; row < rows; row++) {
    await page.mouse.move(...inBox(box, 0, { row, rows, ruler }, 20 - PLOT.left));
    names.push(Number(/rank (\d+)/.exec(await page.getByRole("tooltip").innerText())[1]));
  }
  return names;
}

await bench.check("the threads of a rank fold into one row, the mixture of what they do", async () => {
  const lines = ["unit 1e-3", "ranks 2 threads 2"];
  const locations = ["0", "0.1", "1", "1.1"];
  lines.push(...locations.map((location) => `0 ${location} enter work`));
  lines.push("10 0 enter MPI_Barrier", "10 0 coll_begin", "40 0 coll_end barrier world - 0 0", "40 0 leave MPI_Barrier");
  lines.push("40 1 enter MPI_Barrier", "40 1 coll_begin", "40 1 coll_end barrier world - 0 0", "40 1 leave MPI_Barrier");
  lines.push(...locations.map((location) => `100 ${location} leave work`));
  writeFileSync(bench.path("threads.scn"), `${lines.join("\n")}\n`);
  bench.run(fermata, "synth", bench.path("threads.scn"), "-o", bench.path("threads"));
  bench.run(fermata, "analyze", "--quiet", bench.path("threads"), "--html", bench.path("threads.html"));
  const page = await openTimeline(bench.path("threads.html"));
  const tooltip = async (rows, row) => {
    const box = await page.getByTestId("timeline-chart").boundingBox();
    await page.mouse.move(...inBox(box, 0, { row, rows }, 20 - PLOT.left));
    return page.getByRole("tooltip").innerText();
  };
  assert.match(await tooltip(4, 1), /^rank 0, thread 1/);
  await page.getByLabel("Order of the rows").selectOption("folded");
  await settled(page);
  assert.match(await tooltip(2, 0), /^rank 0: 2 threads\n.*expand/s);
  const chart = page.getByTestId("timeline-chart");
  const left = 150; // with names of groups
  const pointAt = (box, row, part) => [left + part * (box.width - left - PLOT.right), 34 + ((row + 0.5) / 2) * (box.height - 34 - PLOT.bottom)];
  const statesAt = async (row, part) => {
    const box = await chart.boundingBox();
    const [x, y] = pointAt(box, row, part);
    await page.mouse.move(box.x + x, box.y + y);
    return (await page.getByRole("tooltip").innerText()).split("\n").filter((line) => / in /.test(line)).sort();
  };
  assert.deepEqual(await statesAt(0, 0.2), ["1 in MPI_Barrier", "1 in work"]);
  assert.deepEqual(await statesAt(0, 0.7), ["2 in work"]);
  assert.deepEqual(await statesAt(1, 0.2), ["2 in work"]);
  // The row is drawn in the colours of both, half and half.
  await page.mouse.move(0, 0);
  const coloursAt = async (row, part) => {
    const box = await chart.boundingBox();
    const [x, y] = pointAt(box, row, part);
    return chart.locator("canvas").first().evaluate(
      (canvas, { x, y, width }) => {
        const scale = canvas.width / width;
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [1, 80 * scale];
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, x * scale, (y - 40) * scale, 1, copy.height, 0, 0, 1, copy.height);
        const { data } = context.getImageData(0, 0, 1, copy.height);
        const counts = new Map();
        for (let i = 0; i < data.length; i += 4) {
          const colour = data.slice(i, i + 3).join();
          counts.set(colour, (counts.get(colour) ?? 0) + 1);
        }
        return [...counts.values()].filter((count) => count > data.length / 4 / 4).length;
      },
      { x, y, width: box.width },
    );
  };
  assert.deepEqual([await coloursAt(0, 0.2), await coloursAt(0, 0.7), await coloursAt(1, 0.2)], [2, 1, 1]);
  const copy = await openTimeline(bench.path("threads.html"), await hashWith(page, /sort=folded/));
  assert.equal(await copy.getByLabel("Order of the rows").inputValue(), "folded");
  await tooltip(2, 0);
  await page.mouse.down();
  await page.mouse.up();
  await settled(page);
  assert.match(await tooltip(3, 1), /^rank 0, thread 1/);
  assert.match(await tooltip(3, 2), /^rank 1: 2 threads/);
  // All at once, and back.
  const button = (name) => page.getByRole("group", { name: "Threads" }).getByRole("button", { name });
  const enabled = () => Promise.all([button("Fold all threads").isEnabled(), button("Unfold all").isEnabled()]);
  assert.deepEqual(await enabled(), [true, true]);
  await button("Fold all threads").click();
  await settled(page);
  assert.deepEqual(await enabled(), [false, true]);
  await button("Unfold all").click();
  await settled(page);
  assert.deepEqual(await enabled(), [true, false]);
  assert.equal(await page.getByLabel("Order of the rows").inputValue(), "rank");
  await goTo(page, "#trees");
  const rows = () => page.locator("#system-tree [role=treeitem] .name").allInnerTexts();
  await button("Fold all threads").click();
  assert.equal((await rows()).filter((name) => /thread/.test(name)).length, 0);
  assert.deepEqual(await enabled(), [false, true]);
  await button("Unfold all").click();
  assert.equal((await rows()).filter((name) => /thread/.test(name)).length, 4);
  assert.deepEqual(await enabled(), [true, false]);
  // The charts of the system show processes while the threads are folded: sums over their threads.
  await goTo(page, "#trees?system=ranks&metric=comp&call=0&cx=");
  const bars = async () => {
    const box = await page.getByTestId("ranks-chart").boundingBox();
    const found = new Map();
    for (let part = 0.2; part < 1; part += 0.05) {
      await page.mouse.move(box.x + box.width * part, box.y + box.height * 0.5);
      const [name, value] = (await page.getByRole("tooltip").innerText()).split("\n");
      found.set(name, parseShown(value));
    }
    return found;
  };
  const { severities } = bench.json(bench.path("threads"));
  const computation = (locations) =>
    severities.filter(({ metric, location }) => metric === "comp" && locations.includes(location)).reduce((all, { value }) => all + value, 0);
  const single = await bars();
  assert.deepEqual([...single.keys()], ["rank 0, thread 0", "rank 0, thread 1", "rank 1, thread 0", "rank 1, thread 1"]);
  [...single.values()].forEach((value, i) => assertClose(value, computation([i]), 3, `thread ${i}`));
  await button("Fold all threads").click();
  const folded = await bars();
  assert.deepEqual([...folded.keys()], ["rank 0", "rank 1"]);
  [...folded.values()].forEach((value, i) => assertClose(value, computation([2 * i, 2 * i + 1]), 3, `rank ${i}`));
  await goTo(page, "#trees?system=distribution&metric=comp&call=0");
  await button("Fold all threads").click();
  assert.match(await page.locator(".numbers").innerText(), /Ranks\s+2\n/);
  // Without threads there is nothing to fold.
  const steps = await openTimeline(stepsHtml);
  assert.equal(await steps.getByLabel("Order of the rows").locator("option[value=folded]").count(), 0);
});

await bench.check("rows are sorted by waiting, by lateness; filtered; pinned", async () => {
  const page = await openTimeline(stepsHtml);
  const order = page.getByLabel("Order of the rows");
  await order.selectOption("blame");
  assert.equal((await rowNames(page, RANKS, 50))[0], 7);
  await order.selectOption("waiting");
  const total = (rank) => Array.from({ length: STEPS }, (_, step) => {
    const most = Math.max(...Array.from({ length: RANKS }, (_, each) => work(each, step)));
    return most - work(rank, step);
  }).reduce((a, b) => a + b, 0);
  const expected = Array.from({ length: RANKS }, (_, rank) => rank).sort((a, b) => total(b) - total(a) || a - b);
  assert.deepEqual(await rowNames(page, RANKS, 50), expected);
  // The address has the order; a click on a name pins the row to the top.
  const copy = await openTimeline(stepsHtml, await hashWith(page, /sort=waiting/));
  assert.deepEqual(await rowNames(copy, RANKS, 50), expected);
  await order.selectOption("rank");
  const box = await page.getByTestId("timeline-chart").boundingBox();
  await page.mouse.click(box.x + 20, (await pointOf(page, 0, { row: 7, rows: RANKS, ruler: 50 }))[1]);
  await assertParameter(page, "pins", "7");
  await page.mouse.move(box.x + 20, box.y + 50 + 8);
  assert.match(await page.getByRole("tooltip").innerText(), /^rank 7\n.*\nclick to remove its pin/);
  await page.mouse.click(...(await pointOf(page, 8.2 / STEPS, { y: 50 + 10 })));
  assert.match(await item(page), /^sweep: 35\.00 ms\s+rank 7/);
  await page.mouse.click(box.x + 20, box.y + 50 + 8);
  await assertParameter(page, "pins", null);
  // The second click of a double click is none: it would pin the row that has come to this place.
  await page.mouse.dblclick(box.x + 20, (await pointOf(page, 0, { row: 7, rows: RANKS, ruler: 50 }))[1]);
  await assertParameter(page, "pins", "7");
  await page.mouse.click(box.x + 20, box.y + 50 + 8);
  await assertParameter(page, "pins", null);
  await page.getByLabel("Filter of the rows").fill("2-4, 9");
  assert.equal(await page.getByTestId("row-count").innerText(), `on 4 of ${RANKS} ranks`);
  assert.deepEqual(await rowNames(page, 4, 50), [2, 3, 4, 9]);
  await page.getByLabel("Filter of the rows").fill("nowhere");
  assert.equal(await page.getByTestId("row-count").innerText(), "no match");
});

await bench.check("the call stack as nested rows", async () => {
  const page = await openTimeline(stepsHtml, "#timeline?rows=6_9");
  const picture = () => page.getByTestId("timeline-chart").locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const flat = await picture();
  await page.keyboard.press("e");
  assert.notEqual(await picture(), flat);
  // Four nested rows: main, step, solve, sweep. Below the middle of the row of rank 7: solve.
  const box = await page.getByTestId("timeline-chart").boundingBox();
  const height = (box.height - 50 - PLOT.bottom) / 3;
  const at = (level) => box.y + 50 + height + ((level + 0.5) / 4) * (height - 3);
  const [x] = await pointOf(page, (8 * 50 + 20) / (50 * STEPS), { y: 0 });
  for (const [level, name] of [[1, "step"], [2, "solve"], [3, "sweep"]]) {
    await page.mouse.click(x, at(level));
    assert.match(await item(page), new RegExp(`^${name}: `), `level ${level}`);
  }
  await page.mouse.click(x, at(2));
  assert.match(await item(page), /^solve: 40\.00 ms\s+rank 7 computed in main \/ step \/ solve/);
  await assertParameter(page, "stack", "1");
});

await bench.check("the overview moves the view", async () => {
  const page = await openTimeline(stepsHtml, "#timeline?t=0_100000");
  const box = await page.getByTestId("timeline-overview").boundingBox();
  const x = box.x + PLOT.left + 0.5 * (box.width - PLOT.left - PLOT.right);
  await page.mouse.click(x, box.y + 15);
  await address(page, (query) => {
    const [from, to] = query.get("t").split("_").map(Number);
    assertClose((from + to) / 2, 500000, 2, "middle");
    assertClose(to - from, 100000, 6, "length");
  });
});

await bench.check("shares of waiting and lateness as colours", async () => {
  const page = await openTimeline(stepsHtml);
  const legend = () => page.getByRole("list", { name: "Legend" }).innerText();
  await page.getByRole("button", { name: "Waiting", exact: true }).click();
  assert.match(await legend(), /Share of waiting 0%/);
  await page.getByRole("button", { name: "Lateness", exact: true }).click();
  assert.match(await legend(), /Ranks that wait for the rank\s+0\s*11/);
  await page.mouse.move(...(await pointOf(page, (9 * 50 + 35) / (50 * STEPS), { row: 7, rows: RANKS, ruler: 50 })));
  assert.match(await page.getByRole("tooltip").innerText(), /^rank 7\n11 ranks wait for it/);
});

await bench.check("when a problem arises leads into the timeline, and back", async () => {
  const page = await bench.open(stepsHtml, { hash: "#summary" });
  const finding = page.locator(".finding").first();
  const [when] = stepsJson.problems[0].when;
  const chart = finding.getByTestId("when").locator("canvas");
  assert.match(await chart.getAttribute("aria-label"), new RegExp(`the problem's: iterations ${when.first}-${when.last}`));
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + (9.5 / STEPS) * box.width, box.y + 10);
  const waiting = Array.from({ length: RANKS }, (_, rank) => 40 - work(rank, 9)).reduce((a, b) => a + b, 0);
  assert.match(await page.getByRole("tooltip").innerText(), new RegExp(`^Iteration 9\nwaiting ${waiting.toFixed(1)} ms`));
  await finding.getByRole("button", { name: "Show in the timeline" }).click();
  await assertParameter(page, "interval", `${when.begin * 1e6}_${when.end * 1e6}`);
  assert.match(await page.getByTestId("interval").innerText(), /rank 7 in main \/ step \/ solve \/ sweep/);
  await page.goBack();
  await assertView(page, "summary");
});

await bench.check("iterations by rank, and the longest one beside a typical one", async () => {
  const page = await bench.open(stepsHtml, { hash: "#efficiency" });
  const chart = page.getByTestId("iteration-map");
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  const at = (rank, step) => [
    box.x + 62 + ((step + 0.5) / STEPS) * (box.width - 62 - 12),
    box.y + 4 + ((rank + 0.5) / RANKS) * (box.height - 4 - 20),
  ];
  const tip = async (rank, step) => {
    await page.mouse.move(...at(rank, step));
    return page.getByRole("tooltip").innerText();
  };
  assert.match(await tip(7, 9), /^rank 7, iteration 9\ncomputation 40\.00 ms\nwaiting 0 s/);
  assert.match(await tip(4, 10), /^rank 4, iteration 10\ncomputation 20\.00 ms\nwaiting 20\.00 ms/);
  assert.match(await tip(6, 3), /^rank 6, iteration 3\ncomputation 22\.00 ms\nwaiting 1\.000 ms/);
  assert.match(await page.locator(".iteration-pair").innerText(), /Longest: iteration \d+, 50\.00 ms[^]*Typical: iteration \d+, 50\.00 ms/);
  await page.mouse.click(...at(7, 9));
  await assertParameter(page, "interval", "450000_500000");
  await assertView(page, "timeline");
});

await bench.finish();
