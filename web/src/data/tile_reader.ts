/** Reads tiles by a worker (tile_worker.ts). */
import type { TileIndex } from "../model/tiles";
import type { TileAnswer, TileRequest } from "./tile_worker";
import TileWorker from "./tile_worker?worker&inline";

/** @returns what fetches a tile; `take` gets it, or what went wrong. */
export function tileReader(index: TileIndex, take: (answer: TileAnswer) => void): (tile: number) => void {
  const worker = new TileWorker();
  worker.onmessage = (event: MessageEvent<TileAnswer>) => take(event.data);
  const cells = { kinds: index.kinds.length, bins: index.bins };
  return (tile) => {
    // The worker has an address of its own.
    const address = new URL(`tiles/${tile}`, document.baseURI).href;
    const request: TileRequest = { tile, address, cells: tile >= index.firstEvent ? null : cells };
    worker.postMessage(request);
  };
}
