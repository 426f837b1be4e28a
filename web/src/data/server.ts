// SPDX-License-Identifier: BSD-3-Clause
/** The data of `fermata view` as a server (src/view/server/server.h): the report and the tiles of the timeline. */
import { inflate, readBundle, type Bundle } from "./bundle";

const SERVER = "fermata-server";

export interface Server {
  /** [run]: whether its timeline is available. */
  readonly timelines: readonly boolean[];
}

/** @returns the server of this page; null: the page is a file that contains its data. */
export function serverOfDocument(): Server | null {
  const text = document.getElementById(SERVER)?.textContent ?? "";
  return text === "" ? null : (JSON.parse(text) as Server);
}

/** @returns the name of a run's resource. */
export function ofRun(word: "report" | "timeline" | "tiles", run: number): string {
  return run === 0 ? word : `${word}-${run}`;
}

/** Fetches a bundle from the page's server. */
export async function fetchBundle<T>(name: string): Promise<Bundle<T>> {
  const response = await fetch(name, { credentials: "omit" });
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${name}`);
  return readBundle<T>(await inflate(new Uint8Array(await response.arrayBuffer())));
}
