import 'server-only';

// How positions are in replay.html, for the page's script. Each function is written into the page as its source
// (`String(…)`): it uses nothing but its arguments and what every browser named in package.json has.

/** Fields of positions in steps; the least number is "not reported". */
type Columns = Readonly<
  Record<'time' | 'lon' | 'lat' | 'altitude' | 'height' | 'speed' | 'heading' | 'ttl', Int32Array> &
    Record<'flags', Uint8Array>
>;

interface PackedBlock {
  /** In the order of the rows: a track, and how many rows are its. */
  readonly runs: readonly (readonly [key: string, rows: number])[];
  readonly columns: Columns;
}

/** Reads what `packed` of replay-html.ts writes. */
export function decodeBlock(bytes: Uint8Array): PackedBlock {
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
  const [altitude, height, speed] = [column(true), column(true), column(true)];
  const [heading, ttl] = [column(true), column(true)];
  const flags = bytes.slice(at, at + rows);
  return { runs, columns: { time, lon, lat, altitude, height, speed, heading, ttl, flags } };
}

/** Positions of all tracks, those of one track together and in the order of their time. */
export interface Positions extends Columns {
  readonly tracks: readonly { readonly key: string; readonly start: number; readonly end: number }[];
}

/**
 * Reads the blocks of the page, in slices so that it answers meanwhile.
 * @param blocks texts in base64
 */
export async function readPositions(
  blocks: Iterable<string>,
  decode: typeof decodeBlock,
  onRead: (positions: number) => void,
): Promise<Positions> {
  let restedAt = performance.now();
  const rest = async () => {
    if (performance.now() - restedAt < 24) return;
    await new Promise((done) => setTimeout(done, 0));
    restedAt = performance.now();
  };
  const runsOf = new Map<string, { columns: Columns; from: number; rows: number }[]>();
  let total = 0;
  for (const block of blocks) {
    const text = atob(block.trim());
    const packed = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index++) packed[index] = text.charCodeAt(index);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const { runs: inBlock, columns } = decode(new Uint8Array(await new Response(stream).arrayBuffer()));
    let from = 0;
    for (const [key, rows] of inBlock) {
      const runs = runsOf.get(key);
      if (runs) runs.push({ columns, from, rows });
      else runsOf.set(key, [{ columns, from, rows }]);
      from += rows;
    }
    total += from;
    onRead(total);
    await rest();
  }
  const names = ['time', 'lon', 'lat', 'altitude', 'height', 'speed', 'heading', 'ttl', 'flags'] as const;
  const columns = Object.fromEntries(
    names.map((name) => [name, name === 'flags' ? new Uint8Array(total) : new Int32Array(total)]),
  ) as Columns;
  const { time } = columns;
  const tracks: { key: string; start: number; end: number }[] = [];
  let end = 0;
  for (const [key, runs] of runsOf) {
    const start = end;
    const timeOf = (run: (typeof runs)[number]) => run.columns.time[run.from] as number;
    for (const { columns: its, from, rows } of runs.sort((one, other) => timeOf(one) - timeOf(other))) {
      for (const name of names) columns[name].set(its[name].subarray(from, from + rows), end);
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
