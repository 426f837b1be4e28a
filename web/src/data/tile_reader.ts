// SPDX-License-Identifier: BSD-3-Clause
/** Reads tiles through a worker (tile_worker.ts). */
import type { TileIndex } from "../model/tiles";
import { ofRun } from "./server";
import type { TileAnswer, TileRequest } from "./tile_worker";
import TileWorker from "./tile_worker?worker&inline";

/** @returns a function that fetches a tile of a run; `take` receives the tile, or the reason of a failure. */
export function tileReader(index: TileIndex, run: number, take: (answer: TileAnswer) => void): (tile: number) => void {
  const worker = new TileWorker();
  worker.onmessage = (event: MessageEvent<TileAnswer>) => take(event.data);
  const cells = { kinds: index.kinds.length, bins: index.bins };
  return (tile) => {
    // The base address of the worker differs from that of the page.
    const address = new URL(`${ofRun("tiles", run)}/${tile}`, document.baseURI).href;
    const request: TileRequest = { tile, address, cells: tile >= index.firstEvent ? null : cells };
    worker.postMessage(request);
  };
}
