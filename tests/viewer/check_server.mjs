// SPDX-License-Identifier: BSD-3-Clause
// `fermata view` as a server: who gets what, and the timeline in tiles against the report and the page.
// usage: check_server.mjs WEB FERMATA SCENARIO SYNTHESIZE_SOR
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { inflateSync } from "node:zlib";
import { barrierScenario, Bench, drawn, eventually, parseCsv, settled, whileHeld } from "./browser.mjs";
import { hybridExperiment } from "./hybrid.mjs";

const [web, fermata, scenario, synthesize] = process.argv.slice(2);
const bench = new Bench(web, fermata);
const small = bench.path("small");
bench.run(fermata, "synth", scenario, "-o", small);
const html = bench.path("analyzed.html");
bench.run(fermata, "analyze", "--quiet", small, "--html", html);
const large = bench.path("large");
bench.run(synthesize, "--ranks", "400", "--variant", "gats", "--iterations", "60", large);
bench.run(fermata, "analyze", "--quiet", large);

/** Those that a failed check has left behind end with the test. */
const servers = [];

/** Starts a server. @returns its address, and how to end it: the exit status comes */
const serve = (place, ...options) => serveIn({}, place, "--no-browser", ...options);

/** The same with changed environment variables; undefined removes one. */
async function serveIn(changes, place, ...options) {
  const env = { ...process.env, SSH_CONNECTION: undefined, ...changes };
  const server = spawn(fermata, ["view", ...options, place], { stdio: ["ignore", "pipe", "pipe"], env });
  servers.push(server);
  let text = "";
  let complaints = "";
  server.stderr.on("data", (data) => (complaints += data));
  for await (const data of server.stdout) {
    text += data;
    if (text.includes("Ctrl-C")) break;
  }
  const ended = new Promise((resolve) => server.on("exit", (status, signal) => resolve(signal ?? status)));
  const url = /http:\/\/127\.0\.0\.1:(\d+)\/([0-9a-f]{32})\//.exec(text);
  assert.ok(url, `no address: ${text}${complaints}`);
  return {
    text,
    url: url[0],
    pid: server.pid,
    port: Number(url[1]),
    token: url[2],
    complaints: () => complaints,
    end: (signal = "SIGINT") => {
      server.kill(signal);
      return ended;
    },
  };
}

/** Asks for a path as it is. @returns status, headers and body */
function ask(port, path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Reads a bundle: src/view/bundle.h. */
function openBundle(bytes) {
  const data = inflateSync(bytes);
  const length = data.readUInt32LE(0);
  const json = JSON.parse(data.subarray(4, 4 + length));
  const column = (name) => {
    const { at, count, width, delta } = json.columns[name];
    const values = [];
    for (let i = 0, sum = 0; i < count; i++) {
      let value = 0;
      for (let plane = width - 1; plane >= 0; plane--) value = 256 * value + data[4 + length + at + plane * count + i];
      sum = delta ? sum + (value % 2 === 0 ? value / 2 : -(value + 1) / 2) : value;
      values.push(sum);
    }
    return values;
  };
  return { json, column };
}

await bench.start();
const server = await serve(small);

/** The time until the server closes a connection without a request: ten seconds, in which other checks run. */
const patient = await serve(small, "--no-timeline");
const closedAfter = new Promise((resolve) => {
  const began = Date.now();
  const socket = connect(patient.port, "127.0.0.1", () => socket.write("GET "));
  socket.on("error", () => {});
  socket.on("close", () => resolve(Date.now() - began));
  socket.resume();
});
const base = `/${server.token}/`;

await bench.check("who has the token gets the page, the report and tiles, and nothing else is there", async () => {
  const page = await ask(server.port, base);
  assert.equal(page.status, 200);
  assert.match(page.headers["content-type"], /^text\/html/);
  assert.match(page.body.toString(), /connect-src 'self'/);
  for (const name of ["report", "timeline", "tiles/0"]) {
    const answer = await ask(server.port, base + name);
    assert.equal(answer.status, 200, name);
    openBundle(answer.body);
  }
  const head = await ask(server.port, base, { method: "HEAD" });
  assert.deepEqual([head.status, head.body.length], [200, 0]);
  for (const name of ["x", "tiles", "tiles/", "tiles/00", "tiles/-1", "tiles/1e0", "tiles/99999999", "tiles/0/",
    "tiles/18446744073709551616", "../../etc/passwd", "%2e%2e/report.fer", "report.fer", "traces.otf2", "//"]) {
    assert.equal((await ask(server.port, base + name)).status, 404, name);
  }
});

await bench.check("without the token, or with a foreign name for the server, everything is refused", async () => {
  const wrong = server.token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  for (const path of ["/", "/report", `/${wrong}/`, `/${wrong}/report`, `/${server.token.slice(1)}/`, "/..", "/%2e%2e/"]) {
    const answer = await ask(server.port, path);
    assert.equal(answer.status, 403, path);
    assert.ok(!answer.body.includes(server.token));
  }
  for (const host of ["evil.example", `evil.example:${server.port}`, `127.0.0.1.evil.example:${server.port}`, "127.0.0.2",
    "localhost.evil.example", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:080", "localhost:1:2",
    "user@localhost", "0.0.0.0", "[::1", "[::2]", "::1"]) {
    assert.equal((await ask(server.port, base, { headers: { host } })).status, 421, host);
  }
  // A tunnel (ssh -L 9000:127.0.0.1:PORT) has a port of its own.
  for (const host of ["localhost", "LocalHost", "127.0.0.1", "[::1]"].flatMap((name) => [name, `${name}:9000`, `${name}:65535`])) {
    assert.equal((await ask(server.port, base, { headers: { host } })).status, 200, host);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    assert.equal((await ask(server.port, base, { method })).status, 405, method);
  }
});

/** Sends bytes. @returns what comes back until the server closes the connection, at the latest after ten seconds without
 * a request */
function send(bytes) {
  return new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.end(bytes));
    let text = "";
    socket.on("data", (data) => (text += data));
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

await bench.check("what is no request, or too long a one, harms nobody", async () => {
  const head = `GET ${base} HTTP/1.1\r\n`;
  for (const bytes of ["\0\0\0\0", "GET\r\n\r\n", `${head}\r\n`, `GET /${"a".repeat(100000)} HTTP/1.1\r\n\r\n`,
    `${head}X: ${"b".repeat(100000)}\r\n\r\n`, `${head}Host: a\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`,
    `${head}Host: 127.0.0.1:${server.port}\r\nContent-Length: 5\r\n\r\nhello`]) {
    assert.doesNotMatch(await send(bytes), /^HTTP\/1\.1 200/, bytes.slice(0, 80));
  }
  assert.equal((await ask(server.port, base)).status, 200);
});

await bench.check("a request has exactly one Host header", async () => {
  const own = `Host: 127.0.0.1:${server.port}\r\n`;
  for (const hosts of ["", own + own, `${own}Host: evil.example\r\n`, `${own}HOST: localhost\r\n`, `Host: evil.example\r\n${own}`]) {
    for (const version of ["1.1", "1.0"]) {
      assert.match(await send(`GET ${base} HTTP/${version}\r\n${hosts}\r\n`), /^HTTP\/1\.[01] 400/, JSON.stringify(hosts));
    }
  }
  assert.match(await send(`GET ${base} HTTP/1.1\r\n${own}Connection: close\r\n\r\n`), /^HTTP\/1\.1 200/);
});

/** Opens connections that send what is given and nothing more. @returns them, connected */
const idle = (count, bytes) =>
  Promise.all(Array.from({ length: count }, () => new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1", () => {
      if (bytes !== "") socket.write(bytes);
      resolve(socket);
    });
    socket.on("error", () => {});
    socket.resume();
  })));

await bench.check("connections without a request lock nobody out, and those with the token stay", async () => {
  const trusted = connect(server.port, "127.0.0.1");
  const askAgain = () => new Promise((resolve) => {
    trusted.once("data", (data) => resolve(data.toString()));
    trusted.write(`HEAD ${base}report HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
  assert.match(await askAgain(), /^HTTP\/1\.1 200/);
  const wrong = `GET /${"0".repeat(32)}/ HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  for (const bytes of ["", "GET / HT", `GET ${base} HTTP/1.1\r\nHost: localhost\r\n`, wrong]) {
    // After ten seconds the server closes them anyway. A busy machine may be slow, but not again and again.
    let page;
    for (let attempt = 0; attempt < 3 && page === undefined; attempt++) {
      const sockets = await idle(300, bytes);
      page = await Promise.race([ask(server.port, base), new Promise((resolve) => setTimeout(resolve, 8000))]);
      const open = readdirSync(`/proc/${server.pid}/fd`).length;
      assert.ok(open < 120, `${open} open files`);
      for (const socket of sockets) socket.destroy();
    }
    assert.equal(page?.status, 200, `locked out by 300 connections with ${JSON.stringify(bytes)}`);
  }
  assert.match(await askAgain(), /^HTTP\/1\.1 200/);
  trusted.destroy();
});

/** @returns the processes whose command line or title has the text */
const commandsWith = (text) =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").includes(text);
    } catch {
      return false; // has ended
    }
  });

await bench.check("the browser gets the address by a file of the user, not by its command line", async () => {
  const [tools, temporary] = [bench.path("tools"), bench.path("temporary")];
  for (const folder of [tools, temporary]) mkdirSync(folder);
  const seen = bench.path("opened");
  // A browser that stays: its command line can be read.
  writeFileSync(`${tools}/xdg-open`, `#!/bin/sh\nprintf '%s\\n' "$@" >${seen}.part\nmv ${seen}.part ${seen}\nsleep 120 & echo $! >${seen}.pid; wait\n`, { mode: 0o700 });
  const opening = await serveIn({ PATH: `${tools}:${process.env.PATH}`, DISPLAY: ":0", XDG_RUNTIME_DIR: temporary }, small, "--no-timeline");
  await eventually(() => assert.ok(existsSync(seen)));
  const [file, ...others] = readFileSync(seen, "utf8").trimEnd().split("\n");
  assert.deepEqual(others, []);
  assert.ok(commandsWith(file).length > 0, "the test does not find the browser");
  assert.deepEqual(commandsWith(opening.token), []);
  assert.ok(file.startsWith(`${temporary}/`));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  // A real browser follows it.
  const page = await bench.browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`file://${file}`);
  await page.waitForURL((url) => url.href.startsWith(opening.url));
  await page.locator("nav").getByRole("button", { name: "Trees" }).waitFor();
  await page.close();
  assert.equal(await opening.end(), 0);
  assert.ok(!existsSync(file), "the file stays");
  await eventually(() => assert.match(readFileSync(`${seen}.pid`, "utf8"), /^\d+\n$/));
  process.kill(Number(readFileSync(`${seen}.pid`, "utf8")), "SIGTERM");
});

await bench.check("on a machine reached by ssh it prints the command that forwards the port", async () => {
  const remote = await serveIn({ SSH_CONNECTION: "192.0.2.7 50000 127.0.0.1 22" }, small, "--no-browser", "--no-timeline");
  assert.match(remote.text, new RegExp(`run there: ssh -L ${remote.port}:127\\.0\\.0\\.1:${remote.port} 127\\.0\\.0\\.1\\n`));
  await remote.end();
  for (const hostile of ["", "a b c d", "192.0.2.7 1 $(reboot) 22", "192.0.2.7 1 \x1b[31m 22"]) {
    const other = await serveIn({ SSH_CONNECTION: hostile }, small, "--no-browser", "--no-timeline");
    assert.doesNotMatch(other.text, /ssh/);
    await other.end();
  }
});

await bench.check("it listens on this machine's own address only", () => {
  // Columns of /proc/net/tcp: local address and port in hexadecimal, state 0A: listening.
  const port = server.port.toString(16).toUpperCase().padStart(4, "0");
  const listening = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8").split("\n").filter((line) => line.includes(`:${port} `) && / 0A /.test(line)),
  );
  assert.equal(listening.length, 1);
  assert.match(listening[0], /0100007F:/);
});

const openTimeline = (url, hash = "#timeline", options = {}) => bench.openServed(url, { ...options, hash });

const csvOf = async (page) => {
  await page.locator(".menu > summary").click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  return parseCsv(readFileSync(await file.path(), "utf8"));
};

const sorted = (rows) => [...new Set(rows.map((row) => JSON.stringify(row)))].sort();

await bench.check("its timeline has the events of the page", async () => {
  const page = await bench.open(html, { hash: "#timeline" });
  const expected = sorted(await csvOf(page));
  assert.ok(expected.length > 20);
  assert.deepEqual(sorted(await csvOf(await openTimeline(server.url))), expected);
});

await bench.check("its timeline has the threads of the page", async () => {
  const hybrid = hybridExperiment(bench, fermata, "hybrid", {});
  const served = await serve(hybrid);
  const expected = sorted(await csvOf(await bench.open(bench.page(hybrid, "hybrid.html"), { hash: "#timeline" })));
  assert.ok(expected.some((row) => JSON.parse(row).event === "lock hand-over"));
  assert.deepEqual(sorted(await csvOf(await openTimeline(served.url))), expected);
  await served.end();
});

await bench.check("the page of a server asks nobody else", async () => {
  const page = await openTimeline(server.url);
  for (const view of ["Trees", "Wait states", "Critical path", "Efficiency", "Matrices", "Locks", "Metrics", "Run",
    "Summary"]) {
    await page.locator("nav").getByRole("button", { name: view }).click();
  }
});

await bench.check("SIGINT and SIGTERM end it without a word, also in the midst of a connection", async () => {
  assert.equal(await server.end("SIGINT"), 0);
  assert.equal(server.complaints().replace(/^fermata: making the timeline.*\n/, ""), "");
  const other = await serve(small, "--no-timeline");
  assert.equal((await ask(other.port, `/${other.token}/timeline`)).status, 404);
  assert.equal((await ask(other.port, `/${other.token}/tiles/0`)).status, 404);
  const page = await bench.openServed(other.url, { hash: "#timeline" });
  assert.match(await page.locator("main").innerText(), /This page has no timeline/);
  const open = connect(other.port, "127.0.0.1");
  await new Promise((resolve) => open.on("connect", resolve));
  open.on("error", () => {});
  assert.equal(await other.end("SIGTERM"), 0);
});

await bench.check("tiles are kept, made anew for another report, and never believed if damaged", async () => {
  const kept = bench.path("kept");
  bench.run("cp", "-r", small, kept);
  rmSync(`${kept}/timeline.tiles`, { force: true });
  const tiles = `${kept}/timeline.tiles`;
  await (await serve(kept)).end();
  const made = readFileSync(tiles);
  assert.equal(statSync(tiles).mode & 0o777, 0o600);
  const again = await serve(kept);
  assert.equal(again.complaints(), "");
  await again.end();
  for (const damage of [() => truncateSync(tiles, made.length - 1), () => truncateSync(tiles, 10),
    () => writeFileSync(tiles, Buffer.from(made).fill(1, made.length - 60, made.length - 50)),
    () => rmSync(tiles)]) {
    damage();
    const anew = await serve(kept);
    assert.match(anew.complaints(), /making the timeline/);
    await anew.end();
    assert.ok(readFileSync(tiles).equals(made));
  }
  bench.run(fermata, "analyze", "--quiet", "--partition", "low:0-0,high:1-2", kept);
  const other = await serve(kept);
  assert.match(other.complaints(), /making the timeline/);
  await other.end();
  bench.run(fermata, "analyze", "--quiet", kept);
});

await bench.check("a port that is taken, and other wrong requests", async () => {
  const first = await serve(small);
  const run = (...options) => spawnSync(fermata, ["view", "--no-browser", ...options], { encoding: "utf8" });
  const second = run("--port", String(first.port), small);
  assert.equal(second.status, 4);
  assert.match(second.stderr, /cannot listen on 127\.0\.0\.1, port \d+: Address already in use/);
  await first.end();
  for (const port of ["x", "-1", "65536", ""]) assert.equal(run("--port", port, small).status, 2, port);
  assert.equal(run(bench.path("nothing")).status, 3);
});

const big = await serve(large);
const json = bench.json(large);
const index = openBundle((await ask(big.port, `/${big.token}/timeline`)).body);
const tileNumber = (level, band, depth, column) =>
  level.first + band * (2 ** (level.depth + 1) - 1) + 2 ** depth - 1 + column;
const tile = async (number) => openBundle((await ask(big.port, `/${big.token}/tiles/${number}`)).body);

/** In rows of several ranks, the average waiting is between that of the ranks that wait least and most. */
function checkSpread(level, head, read, waits, bins) {
  assert.equal(Object.hasOwn(head.columns, "least"), level.group !== null && level.group > 1);
  if (!Object.hasOwn(head.columns, "least")) return;
  const [least, middle, most] = ["least", "middle", "most"].map(read);
  for (let cell = 0; cell < head.rows * bins; cell++) {
    const average = head.kinds.reduce((sum, _, kind) => sum + waits[kind * head.rows * bins + cell], 0);
    assert.ok(least[cell] <= middle[cell] && middle[cell] <= most[cell] && most[cell] <= 100);
    // Each share is rounded.
    const rounding = 1 + head.kinds.length;
    assert.ok(average >= least[cell] - rounding && average <= most[cell] + rounding, `${least[cell]} ${average} ${most[cell]}`);
  }
}

await bench.check("cells of every level and depth add up to the report's waiting", async () => {
  const { length, locations, waits, levels, bins } = index.json;
  const ticks = json.experiment.ticks_per_second;
  const kinds = waits.map((metric) => json.metrics[metric].id);
  const reported = (id) => json.statistics.find((record) => record.metric === id).sum;
  assert.ok(levels.length > 1);
  // Groups of alike locations are rows like others, but with different numbers of members.
  const sizes = new Array(index.json.alike).fill(0);
  index.column("alike_of").forEach((group) => sizes[group]++);
  assert.equal(sizes.reduce((a, b) => a + b), locations);
  for (const level of [...levels, { ...index.json.alike_level, bands: 1, group: null }]) {
    for (let depth = 0; depth <= level.depth; depth++) {
      const seconds = new Array(kinds.length).fill(0);
      for (let band = 0; band < level.bands; band++) {
        for (let column = 0; column < 2 ** depth; column++) {
          const { json: head, column: read } = await tile(tileNumber(level, band, depth, column));
          const values = read("wait");
          checkSpread(level, head, read, values, bins);
          head.kinds.forEach((kind, k) => {
            for (let row = 0; row < head.rows; row++) {
              const members = level.group === null ? sizes[row] : Math.min(level.group, locations - (band * index.json.rows + row) * level.group);
              for (let bin = 0; bin < bins; bin++) {
                const share = values[(k * head.rows + row) * bins + bin] / 100;
                seconds[kind] += (share * members * length) / 2 ** depth / bins / ticks;
              }
            }
          });
        }
      }
      kinds.forEach((id, kind) => {
        // Percent are rounded; there are many of them.
        const error = Math.abs(seconds[kind] - reported(id)) / (json.experiment.duration * locations);
        assert.ok(error < 0.003, `${id}: ${seconds[kind]} instead of ${reported(id)}, group ${level.group}, depth ${depth}`);
      });
    }
  }
});

await bench.check("tiles of events have every call and every wait state once", async () => {
  const from = index.column("event_from");
  const first = index.column("event_first");
  const calls = index.column("event_calls");
  assert.ok(from.length > first.length, "no band has several tiles");
  assert.equal(calls.reduce((a, b) => a + b), index.json.calls);
  const seen = new Map();
  for (let i = 0; i < from.length; i++) {
    const { json: head, column } = await tile(index.json.first_event + i);
    const { from: begin, to } = head.windows[0];
    assert.equal(begin, from[i]);
    assert.ok(to > begin);
    const counts = column("lane_count");
    const since = column("segment_since");
    for (let lane = 0, at = 0; lane < counts.length; at += counts[lane++]) {
      const own = since.slice(at, at + counts[lane]);
      assert.deepEqual(own, own.toSorted((a, b) => a - b));
      assert.ok(own.length === 0 || (own[0] >= begin && own[own.length - 1] <= to));
    }
    const [where, enter, time, metric] = ["location", "enter", "time", "metric"].map((name) => column(`wait_${name}`));
    where.forEach((location, k) => seen.set(`${location}.${enter[k]}`, { metric: metric[k], time: time[k] }));
  }
  for (const record of json.statistics) {
    const own = [...seen.values()].filter((wait) => json.metrics[wait.metric].id === record.metric);
    assert.equal(own.length, record.count, record.metric);
    const sum = own.reduce((all, wait) => all + wait.time, 0) / json.experiment.ticks_per_second;
    assert.ok(Math.abs(sum - record.sum) < 1e-9 * record.sum);
  }
});

await bench.check("many locations: from all of them to single events, and a chain of causes", async () => {
  const page = await openTimeline(big.url);
  const span = () => page.getByTestId("timeline-span").innerText();
  assert.match(await span(), /zoom in for single calls/);
  await page.locator(".longest button").first().click();
  assert.match(await span(), /; single calls/);
  assert.match(await page.getByTestId("explanation").innerText(), /Activity of the cause during the wait/);
  assert.ok((await page.locator(".steps li").count()) > 0);
  const rows = await csvOf(page);
  const waits = rows.filter((row) => row.event === "wait");
  assert.ok(waits.length > 0);
  // A click on a row of many ranks expands it.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "All", exact: true }).click();
  const box = await page.getByTestId("timeline-chart").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await eventually(async () => assert.match(await page.evaluate(() => location.hash), /rows=/));
});

/** Prime, so that the pixels of all lines are in different columns. */
const EVERY = 7;

/** Gaps between high rows are empty, too. */
const GAPS = 0.2;

/** The address has rounded numbers: edges may be a pixel aside. */
const EDGES = 0.02;

/** Reads every so many pixels of the timeline without names, marks of the time and edges.
 * @returns the part of them that is empty, and all of them as text if `isWanted`: red, green, blue, opacity */
const pixelsOf = (page, isWanted = false) =>
  page.evaluate(
    ({ every, isWanted }) => {
      const canvas = document.querySelector("canvas[role=application]");
      const [left, top] = [80, 36];
      const copy = new OffscreenCanvas(canvas.width - left - 14, canvas.height - top - 6);
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, -left, -top);
      const all = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
      const some = Uint32Array.from({ length: Math.floor(all.length / every) }, (_, i) => all[i * every]);
      const empty = some.reduce((count, pixel) => count + (pixel >>> 24 === 0), 0) / some.length;
      if (!isWanted) return { empty };
      const data = new Uint8Array(some.buffer);
      const parts = [];
      for (let at = 0; at < data.length; at += 30000) parts.push(String.fromCharCode(...data.subarray(at, at + 30000)));
      return { empty, text: btoa(parts.join("")) };
    },
    { every: EVERY, isWanted },
  );

const emptyPartOf = async (page) => (await pixelsOf(page)).empty;

/** @returns the part of the pixels that differ visibly between two pages */
async function differentPartOf(page, other) {
  const read = async (each) => Buffer.from((await pixelsOf(each, true)).text, "base64");
  const [one, two] = [await read(page), await read(other)];
  assert.equal(one.length, two.length);
  let count = 0;
  for (let at = 0; at < one.length; at += 4) {
    if ([0, 1, 2, 3].some((channel) => Math.abs(one[at + channel] - two[at + channel]) > 24)) count++;
  }
  return (4 * count) / one.length;
}

/** Into the time and along it, into the ranks and along them, out again. */
const STEPS = {
  keys: ["www", "dddddddd", "++++", ["ArrowDown", 12], "aaaaaaaa", "+++", "www", "sssss", "-----", "0"].map((keys) => async (page) => {
    const [key, times] = typeof keys === "string" ? [keys[0], keys.length] : keys;
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
  }),
  mouse: [[-700, 0, false], [0, 1500, false], [-900, 0, true], [0, -2000, false], [-500, 0, true], [-600, 0, false],
    [0, 3000, false], [1500, 0, false], [4000, 0, true], [4000, 0, false]].map(([y, x, shift]) => async (page) => {
    if (shift) await page.keyboard.down("Shift");
    await page.mouse.wheel(x, y);
    if (shift) await page.keyboard.up("Shift");
  }),
};

/** Waits until the timeline has been drawn with what has arrived (REDRAW_DELAY in web/src/state/tiles.ts). This is no
 * matter of speed: the timers of a page end in the order of their times. */
const redrawn = async (page) => {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  await drawn(page);
};

/** Of a run with few random executions: one of the two. */
const devices = Number(process.env.FERMATA_TEST_FACTOR ?? 1) < 1 ? ["mouse"] : Object.keys(STEPS);
for (const device of devices) {
  const steps = STEPS[device];
  await bench.check(`zooming with slow answers, ${device}: no step is blank, and what is there in the end is right`, async () => {
    // Requests for tiles that wait until they are let go: then their answers arrive. null: none has to wait.
    let held = null;
    const before = (page) =>
      page.route("**/tiles/*", async (route) => {
        if (held === null) await route.continue();
        else held.push(async () => {
          await route.continue();
          await (await route.request().response())?.finished();
        });
      });
    const page = await openTimeline(big.url, "#timeline", { before });
    const canvas = page.getByTestId("timeline-chart").locator("canvas");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 0.7 * box.width, box.y + 0.4 * box.height);
    await canvas.focus();
    let slow = 0;
    for (const [i, step] of steps.entries()) {
      const isThere = async (when) => {
        const empty = await emptyPartOf(page);
        assert.ok(empty < GAPS, `step ${i}: ${Math.round(100 * empty)} % are empty ${when}`);
      };
      held = [];
      await whileHeld(page, async () => {
        await step(page);
        if ((await page.locator("canvas[aria-busy=true]").count()) > 0) slow++;
        await isThere("before any answer");
        // Every second answer arrives first.
        await Promise.all(held.filter((_, k) => k % 2 === 0).map((letGo) => letGo()));
        await redrawn(page);
        await isThere("while answers are missing");
      });
      const missing = held.filter((_, k) => k % 2 === 1);
      held = null;
      await Promise.all(missing.map((letGo) => letGo()));
      await settled(page);
      await isThere("in the end");
      if (i % 3 !== 0) continue;
      const again = await openTimeline(big.url, await page.evaluate(() => location.hash));
      const different = await differentPartOf(page, again);
      assert.ok(different < EDGES, `step ${i}: ${Math.round(100 * different)} % differ from a page that is opened there`);
      await bench.leave(again);
    }
    assert.ok(slow >= 3, `only ${slow} steps had to wait`);
  });
}

await bench.check("a server that has ended is told of", async () => {
  const served = await serve(large);
  const page = await openTimeline(served.url);
  await served.end();
  await page.getByTestId("timeline-chart").locator("canvas").focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press(i % 2 === 0 ? "w" : "+");
  assert.match(await page.getByRole("alert").innerText(), /Parts are missing/);
  assert.ok(await emptyPartOf(page) < GAPS);
  // The browser says so, too.
  bench.problems.splice(0, Infinity, ...bench.problems.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text)));
});

await bench.check("alike ranks of a big run: cells of groups, then of opened ones, then events", async () => {
  const times = Array.from({ length: 300 }, (_, rank) => (rank % 3 === 0 ? 90 : 10));
  writeFileSync(bench.path("alike.scn"), barrierScenario(times));
  bench.run(fermata, "synth", bench.path("alike.scn"), "-o", bench.path("alike"));
  bench.run(fermata, "analyze", "--quiet", bench.path("alike"));
  const served = await serve(bench.path("alike"));
  const page = await openTimeline(served.url, "#timeline?alike=1");
  const groups = page.getByRole("list", { name: "Groups of similar ranks" }).getByRole("listitem");
  assert.deepEqual(await groups.allInnerTexts(), ["100 like rank 0", "200 like rank 1"]);
  const locations = async () => [...new Set((await csvOf(page)).map((row) => Number(row.location)))].sort((a, b) => a - b);
  assert.deepEqual(await locations(), [0, 1]);
  await page.getByRole("button", { name: "100 like rank 0" }).click();
  // As many as fit, from the first on.
  const shown = await locations();
  assert.ok(shown.length > 40 && shown.length < 70, `${shown.length} rows`);
  assert.ok(shown.every((location) => location % 3 === 0));
  await page.getByRole("button", { name: "All", exact: true }).click();
  assert.deepEqual(await locations(), [...Array.from({ length: 100 }, (_, i) => 3 * i), 1].sort((a, b) => a - b));
  await served.end();
});

await bench.check("a connection without a request is closed soon", async () => {
  assert.ok((await closedAfter) > 5000, "a slow client has no chance");
  await patient.end();
});

await big.end();
assert.ok(existsSync(`${large}/timeline.tiles`));
for (const each of servers) each.kill("SIGKILL");
await bench.finish();
