import 'server-only';

// How positions are in replay.html, for the page's script. Each function is written into the page as its source
// (`String(…)`): it uses nothing but its arguments and what every browser named in package.json has.

/** Columns in steps; `NONE` of `replay-html.ts` is "not reported". */
export interface Chunk {
  /** In the order of the rows: a track, and how many rows are its. */
  readonly runs: readonly (readonly [key: string, rows: number])[];
  readonly time: Int32Array;
  readonly lon: Int32Array;
  readonly lat: Int32Array;
  readonly altitude: Int32Array;
  readonly height: Int32Array;
  readonly speed: Int32Array;
  readonly heading: Int32Array;
  readonly ttl: Int32Array;
  readonly flags: Uint8Array;
}

/** Reads what `packed` of replay-html.ts writes. */
export function decodeChunk(bytes: Uint8Array): Chunk {
  let at = 4;
  const jsonBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const runs = JSON.parse(new TextDecoder().decode(bytes.subarray(at, at + jsonBytes))) as [string, number][];
  at += jsonBytes;
  const rows = runs.reduce((sum, [, count]) => sum + count, 0);
  const next = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  const column = (isNullable: boolean) => {
    const values = new Int32Array(rows);
    let last = 0;
    for (let row = 0; row < rows; row++) {
      const code = next();
      if (isNullable && code === 0) {
        values[row] = -0x80000000;
        continue;
      }
      const zigzag = isNullable ? code - 1 : code;
      last = (last + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
      values[row] = last;
    }
    return values;
  };
  const [time, lon, lat] = [column(false), column(false), column(false)];
  const [altitude, height, speed, heading, ttl] = [
    column(true),
    column(true),
    column(true),
    column(true),
    column(true),
  ];
  return { runs, time, lon, lat, altitude, height, speed, heading, ttl, flags: bytes.slice(at, at + rows) };
}

/** Positions of all tracks, those of one track together and in the order of their time. */
export interface Positions extends Omit<Chunk, 'runs'> {
  readonly tracks: readonly { readonly key: string; readonly start: number; readonly end: number }[];
}

/**
 * Reads the blocks of the page, in slices so that it answers meanwhile.
 * @param blocks texts in base64
 */
export async function readPositions(
  blocks: Iterable<string>,
  decode: typeof decodeChunk,
  onRead: (positions: number) => void,
): Promise<Positions> {
  let restedAt = performance.now();
  const rest = async () => {
    if (performance.now() - restedAt < 24) return;
    await new Promise((done) => setTimeout(done, 0));
    restedAt = performance.now();
  };
  const runsOf = new Map<string, { chunk: Chunk; from: number; rows: number }[]>();
  let total = 0;
  for (const block of blocks) {
    const text = atob(block.trim());
    const packed = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index++) packed[index] = text.charCodeAt(index);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const chunk = decode(new Uint8Array(await new Response(stream).arrayBuffer()));
    let from = 0;
    for (const [key, rows] of chunk.runs) {
      const runs = runsOf.get(key);
      if (runs) runs.push({ chunk, from, rows });
      else runsOf.set(key, [{ chunk, from, rows }]);
      from += rows;
    }
    total += from;
    onRead(total);
    await rest();
  }
  const ints = () => new Int32Array(total);
  const columns = {
    time: ints(),
    lon: ints(),
    lat: ints(),
    altitude: ints(),
    height: ints(),
    speed: ints(),
    heading: ints(),
    ttl: ints(),
    flags: new Uint8Array(total),
  };
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const { time } = columns;
  const tracks: { key: string; start: number; end: number }[] = [];
  let end = 0;
  for (const [key, runs] of runsOf) {
    const start = end;
    const timeOf = ({ chunk, from }: { chunk: Chunk; from: number }) => chunk.time[from] as number;
    for (const { chunk, from, rows } of runs.sort((one, other) => timeOf(one) - timeOf(other))) {
      for (const name of names) columns[name].set(chunk[name].subarray(from, from + rows), end);
      end += rows;
    }
    // Parts of the past may have arrived out of order.
    let row = start + 1;
    while (row < end && (time[row - 1] as number) <= (time[row] as number)) row++;
    if (row < end) {
      const order = Array.from({ length: end - start }, (_, index) => start + index);
      order.sort((one, other) => (time[one] as number) - (time[other] as number));
      for (const name of names)
        columns[name].set(
          order.map((at) => columns[name][at] as number),
          start,
        );
    }
    tracks.push({ key, start, end });
    await rest();
  }
  return { ...columns, tracks };
}

/** Joins the positions of a trail, the latest first: nothing joins two between which reception broke off for longer. */
export function eachJoin(
  time: Int32Array,
  start: number,
  latest: number,
  fromMs: number,
  { solidMs, dottedMs }: { readonly solidMs: number; readonly dottedMs: number },
  join: (from: number, to: number, isDotted: boolean) => void,
): void {
  for (let row = latest; row > start && (time[row - 1] as number) >= fromMs; row--) {
    const gapMs = (time[row] as number) - (time[row - 1] as number);
    if (gapMs <= dottedMs) join(row, row - 1, gapMs > solidMs);
  }
}
