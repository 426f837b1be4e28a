// SPDX-License-Identifier: BSD-3-Clause
/** Fetches and decodes tiles outside the main thread, which stays responsive. */
import { makeCells, makeEventTile, type Cells, type EventTile } from "../model/tiles";
import type { JsonCells, JsonTimeline } from "./layout";
import { fetchBundle } from "./server";

export interface TileRequest {
  readonly tile: number;
  readonly address: string;
  /** Sizes of a tile of cells: kinds of wait states in the run, bins in a row; null: the tile has events. */
  readonly cells: { readonly kinds: number; readonly bins: number } | null;
}

export type TileAnswer =
  | { readonly tile: number; readonly cells: Cells }
  | { readonly tile: number; readonly events: EventTile }
  | { readonly tile: number; readonly failure: string };

async function answer({ tile, address, cells }: TileRequest): Promise<TileAnswer> {
  try {
    return cells === null
      ? { tile, events: makeEventTile(await fetchBundle<JsonTimeline>(address)) }
      : { tile, cells: makeCells(cells.kinds, cells.bins, await fetchBundle<JsonCells>(address)) };
  } catch (error) {
    return { tile, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** @returns the memory that can be transferred instead of copied. */
function buffersOf(answer: TileAnswer): Transferable[] {
  const arrays =
    "cells" in answer
      ? [answer.cells.compute, answer.cells.call, ...answer.cells.wait, ...Object.values(answer.cells.spread ?? {})]
      : "events" in answer
        ? Object.values(answer.events.columns)
        : [];
  return [...new Set(arrays.flatMap((array) => (array === null ? [] : [array.buffer as ArrayBuffer])))];
}

onmessage = async (event: MessageEvent<TileRequest>) => {
  const made = await answer(event.data);
  postMessage(made, { transfer: buffersOf(made) });
};
