// SPDX-License-Identifier: BSD-3-Clause
/** Reads bundles (src/view/bundle.h): a JSON object with columns of integers. */

interface ColumnPlace {
  at: number;
  count: number;
  width: number;
  delta: boolean;
}

export interface Bundle<T> {
  readonly json: T;
  has(name: string): boolean;
  /** Values of a column; integers beyond 2^53 become the nearest double. */
  column(name: string): Float64Array;
  /** Values of a column that are all below 256. */
  bytes(name: string): Uint8Array;
}

/** @returns the bytes of a base64 text without blanks. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoder = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (decoder.fromBase64 !== undefined) return decoder.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(compressed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Decodes planes of bytes, the lowest first. */
export function decodeColumn(bytes: Uint8Array, place: ColumnPlace): Float64Array {
  const { at, count, width, delta } = place;
  const low = new Uint32Array(count);
  const values = new Float64Array(count);
  for (let plane = 0; plane < Math.min(width, 4); plane++) {
    const start = at + plane * count;
    const shift = 8 * plane;
    for (let i = 0; i < count; i++) low[i]! |= bytes[start + i]! << shift;
  }
  values.set(low);
  if (width > 4) {
    low.fill(0);
    for (let plane = 4; plane < width; plane++) {
      const start = at + plane * count;
      const shift = 8 * (plane - 4);
      for (let i = 0; i < count; i++) low[i]! |= bytes[start + i]! << shift;
    }
    for (let i = 0; i < count; i++) values[i]! += low[i]! * 2 ** 32;
  }
  if (delta) {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const coded = values[i]!;
      value += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
      values[i] = value;
    }
  }
  return values;
}

/** Opens a bundle from its bytes before compression. */
export function readBundle<T>(bytes: Uint8Array): Bundle<T> {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  const json = JSON.parse(text) as T & { columns: Record<string, ColumnPlace> };
  const data = bytes.subarray(4 + length);
  const placeOf = (name: string): ColumnPlace => {
    const place = json.columns[name];
    if (place === undefined) throw new Error(`the page's data have no column ${name}`);
    return place;
  };
  return {
    json,
    has: (name) => Object.hasOwn(json.columns, name),
    column: (name) => decodeColumn(data, placeOf(name)),
    bytes(name) {
      const place = placeOf(name);
      const { at, count, width, delta } = place;
      // Zero copy if the column is stored unencoded.
      return width === 1 && !delta ? data.subarray(at, at + count) : Uint8Array.from(decodeColumn(data, place));
    },
  };
}

/** Opens a bundle from the text of the page's data block. */
export async function openBundle<T>(base64: string): Promise<Bundle<T>> {
  return readBundle<T>(await inflate(bytesOfBase64(base64)));
}
