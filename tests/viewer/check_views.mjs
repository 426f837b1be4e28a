// SPDX-License-Identifier: BSD-3-Clause
// Efficiency, phases and matrices of a page against the report.
// usage: check_views.mjs WEB FERMATA SYNTHESIZE_SOR WRITE_REPORTS LIBRARIES
//   LIBRARIES  folder of scenarios of OpenSHMEM and coarrays
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { Bench, assertClose, eventually, goTo, parseCsv, parseShown } from "./browser.mjs";
import { hybridExperiment } from "./hybrid.mjs";

const [web, fermata, synthesize, writeReports, libraries] = process.argv.slice(2);
const bench = new Bench(web, fermata);

const PHASE = "<b onclick='evil()'>step \u202egnp.exe";
const scenario = bench.path("phases.scn");
const lines = ["unit 1", "ranks 3", "window w world", `phase ${PHASE}`];
for (let rank = 0; rank < 3; rank++) {
  const put = (time, text) => lines.push(`${time} ${rank} ${text}`);
  put(0, "enter main");
  for (let step = 0; step < 30; step++) {
    // Rank 1 computes longer in every third step; then rank 0 waits for its message.
    const begin = 100 * step;
    const work = 20 + (rank === 1 && step % 3 === 0 ? 30 : 0);
    put(begin, `enter ${PHASE}`);
    put(begin, "enter work");
    put(begin + work, "leave work");
    if (rank === 1) {
      put(begin + work, "enter MPI_Send");
      put(begin + work, "send 0 7 1000");
      put(begin + work + 1, "leave MPI_Send");
    } else if (rank === 0) {
      put(begin + work, "enter MPI_Recv");
      put(begin + 60, "recv 1 7 1000");
      put(begin + 60, "leave MPI_Recv");
    } else {
      put(begin + work, "enter MPI_Put");
      put(begin + work, `put w 0 8 ${step}`);
      put(begin + work + 2, "leave MPI_Put");
    }
    put(begin + 70, `leave ${PHASE}`);
  }
  put(3000, "leave main");
}
writeFileSync(scenario, `${lines.join("\n")}\n`);
const small = bench.path("small");
bench.run(fermata, "synth", scenario, "-o", small);
bench.run(fermata, "analyze", "--quiet", small);
const large = bench.path("large");
bench.run(synthesize, "--ranks", "600", "--variant", "locks", "--iterations", "6", large);
bench.run(fermata, "analyze", "--quiet", large);
const html = bench.page(small, "small.html");
const json = bench.json(small);
await bench.start();

/** Two ranks that solve on two levels, with a text as another parameter. */
function parameterExperiment() {
  const all = ["unit 1", "ranks 2"];
  for (let rank = 0; rank < 2; rank++) {
    const put = (time, text) => all.push(`${time} ${rank} ${text}`);
    put(0, "enter main");
    for (let step = 0; step < 6; step++) {
      const begin = 100 * step + 10;
      put(begin, "enter smooth");
      put(begin, `parameter level ${[10, 2, -1][step % 3]}`);
      if (step === 5) put(begin, "parameter_text input <b>=evil");
      put(begin + 10 * (rank + 1), "enter MPI_Barrier");
      put(begin + 10 * (rank + 1), "coll_begin");
      put(begin + 30, "coll_end barrier world - 0 0");
      put(begin + 30, "leave MPI_Barrier");
      put(begin + 40, "leave smooth");
    }
    put(700, "leave main");
  }
  writeFileSync(bench.path("parameters.scn"), `${all.join("\n")}\n`);
  const place = bench.path("parameters");
  bench.run(fermata, "synth", bench.path("parameters.scn"), "-o", place);
  bench.run(fermata, "analyze", "--quiet", place);
  return place;
}

async function exported(page, ending, menu = 0) {
  await page.locator(".menu > summary").nth(menu).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".menu").nth(menu).getByRole("button", { name: ending }).click(),
  ]);
  return readFileSync(await file.path());
}

/** Asserts that the address has a text, which after many changes follows later. */
const assertAddress = (page, text) =>
  eventually(async () => assert.match(await page.evaluate(() => location.hash), text));

const close = (text, value, what) => {
  if (value === null) assert.equal(text, "", what);
  else assertClose(Number(text), value, 12, what);
};

await bench.check("efficiencies are those of the report", async () => {
  const page = await bench.open(html, { hash: "#efficiency" });
  const rows = parseCsv((await exported(page, "CSV")).toString("utf8"));
  const { callpaths, ...run } = json.efficiency;
  const pathOf = (id) => {
    const { parent, region } = json.callpaths[id];
    const shown = region.replaceAll("\u202e", "\\u{202e}");
    return parent === null ? shown : `${pathOf(parent)}/${shown}`;
  };
  assert.equal(rows.length, callpaths.length + 1);
  const byPath = new Map(rows.map((row) => [row.callpath, row]));
  for (const expected of [{ path: "", ...run }, ...callpaths.map((each) => ({ path: pathOf(each.callpath), ...each }))]) {
    for (const name of ["parallel_efficiency", "load_balance", "communication_efficiency", "time", "serialization_efficiency",
      "transfer_efficiency"]) {
      close(byPath.get(expected.path)[name], expected[name] ?? null, `${expected.path} ${name}`);
    }
  }
  const shown = await page.getByTestId("efficiency-table").locator("tbody tr").first().locator("td").allInnerTexts();
  assertClose(parseShown(shown[0]), run.parallel_efficiency, 2, "of the run");
});

await bench.check("efficiencies of processes and threads multiply to the run's", async () => {
  const hybrid = hybridExperiment(bench, fermata, "hybrid", { logger: false });
  const { efficiency } = bench.json(hybrid);
  const page = await bench.open(bench.page(hybrid, "hybrid.html"), { hash: "#efficiency" });
  const rows = await page.getByTestId("hybrid-table").locator("tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText)),
  );
  const keys = Object.keys(efficiency.hybrid);
  assert.deepEqual(rows.map(([name]) => name), ["Processes", "Load balance", "Communication", "Threads", "Load balance", "Work"]);
  rows.forEach(([, value], row) => assertClose(parseShown(value), efficiency.hybrid[keys[row]], 2, keys[row]));
  assertClose(efficiency.hybrid.processes * efficiency.hybrid.threads, efficiency.parallel_efficiency, 9, "product");
  const [run, ...callpaths] = parseCsv((await exported(page, "CSV")).toString("utf8"));
  for (const key of keys) close(run[key], efficiency.hybrid[key], key);
  assert.ok(callpaths.every((row) => row.threads === ""));
  const picture = (await exported(page, "SVG")).toString("utf8");
  assert.ok(picture.includes("longest in process"));
  // A run without threads has none.
  assert.equal(await (await bench.open(html, { hash: "#efficiency" })).getByTestId("hybrid-table").count(), 0);
});

await bench.check("load imbalances of processes and nodes are those of the report", async () => {
  const page = await bench.open(html, { hash: "#efficiency" });
  const levels = json.efficiency.load_levels;
  assert.ok(levels.length > 0);
  const rows = page.getByTestId("load-levels").locator("tbody tr");
  assert.equal(await rows.count(), levels.length);
  for (const [i, level] of levels.entries()) {
    const shown = await rows.nth(i).locator("td").allInnerTexts();
    assertClose(parseShown(shown[0]), level.measured.imbalance, 2, `${level.level} times`);
    assertClose(parseShown(shown[2]), level.efficiency, 2, `${level.level} inside`);
    assertClose(parseShown(shown[3]), level.adjusted.imbalance, 2, `${level.level} adjusted`);
  }
});

await bench.check("iterations are those of the report, and lead to their timeline", async () => {
  const page = await bench.open(html, { hash: "#efficiency" });
  const rows = parseCsv((await exported(page, "CSV", 1)).toString("utf8"));
  const [phase] = json.phases;
  assert.equal(phase.iterations, 30);
  assert.equal(rows.length, phase.rows.length);
  phase.rows.forEach((expected, i) => {
    for (const name of ["first", "count", "begin", "end", "duration", "computation", "longest_computation", "waiting",
      "locations", "slowest"]) {
      close(rows[i][name], expected[name], `${i} ${name}`);
    }
    for (const [kind, seconds] of Object.entries(expected.waits)) close(rows[i][kind], seconds, kind);
  });
  const table = page.getByTestId("phase-table");
  const first = await table.locator("tbody tr").first().locator("td").allInnerTexts();
  const longest = Math.max(...phase.rows.map((row) => row.duration));
  assertClose(parseShown(first[0]), longest, 3, "longest iteration");
  assert.ok((await page.locator("h2").allInnerTexts()).some((text) => text.includes("\\u{202e}gnp.exe")));
  await table.locator("tbody button").nth(2).click();
  assert.equal(await page.getByTestId("timeline-chart").count(), 1);
  await assertAddress(page, /^#timeline\?.*t=/);
  assert.equal(await page.locator("b[onclick]").count(), 0);
});

await bench.check("matrices are those of the report", async () => {
  for (const [name, amount] of [["messages", "bytes"], ["operations", "bytes"], ["delays", "seconds"], ["blame", "seconds"]]) {
    const page = await bench.open(html, { hash: `#matrices?matrix=${name}` });
    const rows = parseCsv((await exported(page, "CSV")).toString("utf8"));
    const { links } = json.matrices[name];
    assert.ok(links.length > 0, name);
    assert.equal(rows.length, links.length);
    links.forEach((link, i) => {
      assert.equal(rows[i].metric, link.metric);
      for (const key of ["from", "to", "count", amount]) close(rows[i][key], link[key], `${name} ${i} ${key}`);
    });
    for (const ending of ["SVG", "PNG"]) assert.ok((await exported(page, ending)).length > 200);
    const shown = await page.locator(".matrix-links tbody tr").first().innerText();
    const largest = links.reduce((a, b) => (b[amount] > a[amount] ? b : a));
    assert.match(shown, new RegExp(`rank ${largest.from}\\s+rank ${largest.to}\\s`));
    await bench.leave(page);
  }
});

await bench.check("a matrix of many locations: groups, expanded by a click, in the address, by kind", async () => {
  const report = bench.json(large);
  const page = await bench.open(bench.page(large, "large.html"), { hash: "#matrices" });
  const chart = page.getByTestId("matrix-chart");
  // The diagonal: waits between neighbours.
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 85, box.y + 59);
  assert.match(await page.getByRole("tooltip").innerText(), /caused by rank 0 to rank 2\nsuffered by rank 0 to rank 2/);
  await page.mouse.click(box.x + 85, box.y + 59);
  await assertAddress(page, /among=0_3/);
  await page.mouse.move(box.x + 85, box.y + 59);
  assert.match(await page.getByRole("tooltip").innerText(), /caused by rank 0\nsuffered by rank 0/);
  await page.getByRole("button", { name: "All locations" }).click();
  const kind = report.matrices.delays.links[0].metric;
  await page.locator("select").selectOption(kind);
  const label = await chart.locator("canvas").getAttribute("aria-label");
  const total = report.matrices.delays.links
    .filter((link) => link.metric === kind)
    .reduce((sum, link) => sum + link.seconds, 0);
  assertClose(parseShown(/pairs, (.*) in all/.exec(label)[1]), total, 3, "total of a kind");
  await assertAddress(page, new RegExp(`link=${kind}`));
});

await bench.check("sources unless they are not wanted, and only files that are some", async () => {
  const evil = "</script><img src=x onerror='window.evil=1' data-evil=1> \u202e";
  const lines = Array.from({ length: 60 }, (_, i) => (i === 19 ? `\tcall(); ${evil}` : `line ${i + 1}`));
  const source = bench.path("program.c");
  const secret = bench.path("secret.txt");
  const folder = bench.path("folder.c");
  writeFileSync(source, lines.join("\r\n"));
  writeFileSync(secret, lines.join("\n").replaceAll("line", "secret"));
  writeFileSync(bench.path("binary.c"), `${lines.join("\n")}\0`);
  mkdirSync(folder);
  execFileSync("mkfifo", [bench.path("pipe.c")]);
  const report = bench.path("sources.fer");
  bench.run(writeReports, "sources", report, source, secret, folder, bench.path("binary.c"), bench.path("pipe.c"),
    bench.path("missing.c"), "/etc/passwd");
  const html = bench.path("sources.html");
  bench.run(fermata, "view", "--html", html, report);
  const page = await bench.open(html, { hash: "#trees?metric=comp&call=0" });
  const shown = page.getByTestId("source");
  assert.match(await shown.locator(".here").innerText(), /^20 +call\(\); <\/script><img src=x/);
  assert.match(await shown.locator(".here").innerText(), /\\u\{202e\}/);
  assert.equal(await shown.locator("span").count(), 25);
  assert.equal((await shown.innerText()).split("\n")[0].trim(), "8line 8");
  assert.equal(await page.evaluate(() => window.evil), undefined);
  assert.equal(await page.locator("[data-evil]").count(), 0);
  await goTo(page, "#trees?metric=comp&call=1");
  assert.equal(await shown.count(), 0);
  // An address of another report's view.
  await goTo(page, "#trees?system=topology");
  assert.equal(await page.locator(".pane .empty").innerText(), "The report has no cartesian topology (MPI_Cart_create).");
  const sources = (path) => {
    const data = inflateSync(Buffer.from(/id="fermata-report">([^<]*)</.exec(readFileSync(path, "utf8"))[1], "base64"));
    return JSON.parse(data.subarray(4, 4 + data.readUInt32LE(0))).sources;
  };
  assert.deepEqual(sources(html).map(({ file, first }) => [file, first]), [[source, 8]]);
  const plain = bench.path("plain.html");
  bench.run(fermata, "view", "--no-sources", "--html", plain, report);
  assert.deepEqual(sources(plain), []);
});

await bench.check("keys lead to all views", async () => {
  const page = await bench.open(html);
  const names = ["summary", "trees", "timeline", "waits", "path", "efficiency", "matrices", "locks", "metrics", "run"];
  for (const name of [...names.slice(1), names[0]]) {
    // In the timeline, numbers have other meanings: with Shift, they open views everywhere.
    const isTimeline = (await page.evaluate(() => location.hash)).startsWith("#timeline");
    await page.keyboard.press(`${isTimeline ? "Shift+Digit" : ""}${(names.indexOf(name) + 1) % 10}`);
    await assertAddress(page, new RegExp(`^#${name}(\\?|$)`));
  }
});

await bench.check("call paths grouped by the values of a parameter, as by fermata report", async () => {
  const place = parameterExperiment();
  const page = await bench.open(bench.page(place, "parameters.html"), {
    hash: "#trees?metric=time&mx=&calls=parameter&define=lateness%3Dmpi_barrier_wait%2Ftime",
  });
  const shown = () => page.getByTestId("parameter-table").locator("tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText)),
  );
  const compare = async (name, count) => {
    const report = JSON.parse(bench.run(fermata, "report", place, "--format=json", "--by", `parameter:${name}`, "--define",
      "lateness = mpi_barrier_wait / time"));
    const { values } = report.parameter;
    const rows = await shown();
    assert.equal(values.length, count);
    assert.deepEqual(rows.map(([value]) => value), values.map(({ value }) => value ?? "(none)"));
    values.forEach(({ time, waiting, derived }, i) => {
      assertClose(parseShown(rows[i][1]), time, 3, "time");
      assertClose(parseShown(rows[i][3]), waiting, 3, "waiting");
      assertClose(parseShown(rows[i][5]), derived.lateness, 3, "derived metric");
    });
    // The list in place of the call tree has the values of the selected metric, in the same order.
    const list = await page.locator("#call-tree [role=treeitem]").evaluateAll((all) =>
      all
        .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
        .map((row) => [row.querySelector(".name").firstChild.textContent, row.querySelector(".value").textContent]),
    );
    assert.deepEqual(list, rows.map(([value, time]) => [value, time]));
  };
  await compare("level", 4);
  // The selected value determines the system tree.
  await page.getByTestId("parameter-table").getByRole("button", { name: "10", exact: true }).click();
  const [, time] = (await shown()).find(([value]) => value === "10");
  const root = page.locator("#system-tree [role=treeitem]").first();
  await page.locator("#system-tree .caret").first().click();
  assert.equal(await root.locator(".value").innerText(), time);
  await page.getByLabel("Parameter by whose values the call paths are grouped").selectOption("input");
  await assertAddress(page, /by=input/);
  await compare("input", 2);
  const hash = await page.evaluate(() => location.hash);
  await page.reload();
  await compare("input", 2);
  assert.equal(await page.evaluate(() => location.hash), hash);
  // Without parameters, nothing can be grouped by them.
  const plain = await bench.open(html, { hash: "#trees?calls=parameter" });
  assert.ok((await plain.locator("#call-tree [role=treeitem]").count()) > 0);
  assert.equal(await plain.getByRole("button", { name: "Parameter", exact: true }).count(), 0);
});

/** @returns all texts of the page, also those that appear beside the pointer or are for screen readers. */
const wordsOf = (page) =>
  page.evaluate(() => {
    const names = ["title", "aria-label", "placeholder"];
    const attributes = [...document.querySelectorAll("body *")].flatMap((each) => names.map((name) => each.getAttribute(name) ?? ""));
    return [document.body.innerText, ...document.querySelectorAll("option")].map((each) => each.textContent ?? each).concat(attributes).join("\n");
  });

await bench.check("processes are called as the program's library calls them, and counted as it does", async () => {
  for (const [name, one, many, first] of [["caf", "image", "images", 1], ["shmem-locks", "PE", "PEs", 0]]) {
    const place = bench.path(name);
    bench.run(fermata, "synth", join(libraries, `${name}.scn`), "-o", place);
    bench.run(fermata, "analyze", "--quiet", place);
    const page = await bench.open(bench.page(place, `${name}.html`), { hash: "#summary" });
    const assertWords = async (what, ...expected) => {
      const words = await wordsOf(page);
      assert.doesNotMatch(words, /.*\branks?\b.*/i, `${name}, ${what}`);
      for (const word of expected) assert.ok(words.includes(word), `${name}, ${what}: no "${word}"`);
    };
    const title = many.replace(/^i/, "I");
    for (const [view, ...expected] of [["summary", title], ["trees", title, `${one} ${first}`],
      ["timeline", `${title}, nodes: ${first}-${first + 3}`, `by ${one}`, `${one} waits`, `wait for each ${one}`],
      ["timeline?color=blame", `${title} that wait for the ${one}`], ["waits"], ["path"], ["efficiency"], ["matrices"],
      ["locks"], ["run", title]]) {
      await goTo(page, `#${view}`);
      await assertWords(view, ...expected);
    }
    await page.keyboard.press("?");
    await assertWords("keys", `one row for similar ${many}, or one row for each ${one}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await assertWords("search", `Search metrics, call paths, ${many}`, `Metric, call path, ${one} ...`);
    await bench.leave(page);
  }
});

await bench.check("a run that hung says who waits for whom, and where the others are", async () => {
  // Ranks 0 and 1 wait for each other, rank 2 for both; rank 3 computes.
  const lines = ["ranks 4"];
  const call = (rank, name, ...records) =>
    lines.push(`0 ${rank} enter main`, `1 ${rank} enter ${name}`, ...records.map((record) => `1 ${rank} ${record}`));
  call(0, "MPI_Recv", "probe 1 7");
  call(1, "MPI_Recv", "probe 0 7");
  call(2, "MPI_Barrier", "coll_begin", "members world");
  call(3, "<b>refine");
  for (let rank = 0; rank < 4; rank++) lines.push(`60 ${rank} heartbeat`);
  writeFileSync(bench.path("hung.scn"), `${lines.join("\n")}\n`);
  const place = bench.path("hung");
  bench.run(fermata, "synth", bench.path("hung.scn"), "-o", place);
  bench.run(fermata, "analyze", "--quiet", place);
  const page = await bench.open(bench.page(place, "hung.html"), { hash: "#summary" });
  assert.match(await page.locator("h1").innerText(), /^Deadlock: ranks 0 and 1 wait for each other/);
  const hang = page.getByTestId("hang");
  const boxes = await hang.locator("svg .box").evaluateAll((all) => all.map((box) => [box.classList[1], box.textContent]));
  assert.deepEqual(boxes.map(([state]) => state), ["stuck", "stuck", "stuck", "elsewhere"]);
  assert.match(boxes[3][1], /rank 3.*<b>refine/);
  assert.equal(await hang.locator("svg .cycle").count(), 2);
  assert.deepEqual(await hang.locator("svg g > text:last-child").evaluateAll((all) =>
    all.map(({ textContent }) => textContent).filter((text) => /tag|come/.test(text)).sort()),
    ["message, tag 7", "message, tag 7", "to come", "to come", "to come"]);
  assert.match(await hang.innerText(), /rank 2: in main\/MPI_Barrier for/);
  await hang.locator("svg .box").first().click();
  await eventually(async () => assert.match(await page.evaluate(() => location.hash), /^#trees/));
  await goTo(page, "#timeline");
  await page.getByTestId("timeline-chart").locator("canvas").click({ position: { x: 500, y: 90 } });
  await eventually(async () => {
    const text = await page.getByTestId("item").innerText();
    assert.match(text, /rank 0 was in main \/ MPI_Recv from .* on, and never left it/s);
    assert.match(text, /message, tag 7: rank 1/);
  });
  await bench.leave(page);
});

await bench.finish();
