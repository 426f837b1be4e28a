/** What `fermata view` serves (src/view/server/server.h): the report and the tiles of the timeline. */
import { inflate, readBundle, type Bundle } from "./bundle";

const SERVER = "fermata-server";

export interface Server {
  /** Whether there are tiles. */
  readonly timeline: boolean;
}

/** @returns what serves this page; null: it is a file and has its data in it. */
export function serverOfDocument(): Server | null {
  const text = document.getElementById(SERVER)?.textContent ?? "";
  return text === "" ? null : (JSON.parse(text) as Server);
}

/** Fetches a bundle from beside the page. */
export async function fetchBundle<T>(name: string): Promise<Bundle<T>> {
  const response = await fetch(name, { credentials: "omit" });
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${name}`);
  return readBundle<T>(await inflate(new Uint8Array(await response.arrayBuffer())));
}
