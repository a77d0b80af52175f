import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import { RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { Yielding } from '../work/yielding.ts';

/** A row of `positions.csv`, as the documents of a sealed file need it. null: not reported. */
export interface KeptPosition {
  readonly layer: Layer;
  readonly isInside: boolean;
  readonly ref: string;
  readonly isDrone: boolean;
  readonly atMs: number;
  readonly staleAfterMs: number | null;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly heightAglM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
  readonly simulated: boolean;
  readonly test: boolean;
}

const ROWS_AT_ONCE = 1000;

/** The rows of `positions.csv`, a thousand at a time, in the order of the file: of a track, that is not always time. */
export async function* keptPositions(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly KeptPosition[]> {
  let read: ((cells: readonly string[]) => KeptPosition) | undefined;
  const yielding = new Yielding();
  for await (const rows of csvCells(pieces)) {
    if (yielding.isDue) await yielding.next();
    if (!read) {
      const [header, ...others] = rows;
      if (!header) continue;
      read = reader(header);
      yield others.map(read);
    } else yield rows.map(read);
  }
}

function reader(header: readonly string[]): (cells: readonly string[]) => KeptPosition {
  const at = (name: string) => header.indexOf(name);
  const of = (name: keyof typeof RECORD_FIELDS) => at(RECORD_FIELDS[name].wire);
  const [layer, inside, ref, kind] = [at('layer'), at('inside'), of('ref'), of('kind')];
  const [observedAt, staleAfter, lon, lat] = [of('observedAt'), of('staleAfter'), of('lon'), of('lat')];
  const [altitude, height, speed, heading] = [of('altitudeM'), of('heightAglM'), of('speedMps'), of('headingDeg')];
  const [simulated, test] = [of('simulated'), of('testBroadcast')];
  return (cells) => ({
    layer: cells[layer] as Layer,
    isInside: cells[inside] === 'true',
    ref: cells[ref] as string,
    isDrone: cells[kind] === 'drone',
    atMs: Date.parse(cells[observedAt] as string),
    staleAfterMs: cells[staleAfter] ? Date.parse(cells[staleAfter]) : null,
    lon: Number(cells[lon]),
    lat: Number(cells[lat]),
    altitudeM: numberOf(cells[altitude]),
    heightAglM: numberOf(cells[height]),
    speedMps: numberOf(cells[speed]),
    headingDeg: numberOf(cells[heading]),
    simulated: cells[simulated] === 'true',
    test: cells[test] === 'true',
  });
}

function numberOf(cell: string | undefined): number | null {
  return cell ? Number(cell) : null;
}

/** The cells of RFC 4180. Holds one piece. */
async function* csvCells(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string[][]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\r\n');
    rest = lines.pop() as string;
    let rows: string[][] = [];
    let quoted = '';
    for (const line of lines) {
      const whole = quoted === '' ? line : `${quoted}\r\n${line}`;
      const quotes = line.includes('"') || quoted !== '' ? (whole.match(/"/g) ?? []).length : 0;
      quoted = quotes % 2 === 1 ? whole : '';
      if (quoted === '' && whole !== '') rows.push(quotes === 0 ? whole.split(',') : quotedCells(whole));
      if (rows.length < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
    }
    if (quoted !== '') rest = `${quoted}\r\n${rest}`;
    if (rows.length > 0) yield rows;
  }
}

function quotedCells(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g), ([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}
