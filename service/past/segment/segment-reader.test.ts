import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DamagedBytes } from '#lib/columns/bytes.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '../../conformance/listed-source.ts';
import { trackKey } from '../arbitrary-observation.fixture.ts';
import { ByteCache } from '../byte-cache.ts';
import { writeWhole } from '../files/write-whole.ts';
import { Rows } from '../rows.ts';
import { storeObservation } from '../stored-observation.ts';
import { segmentBytes } from './segment-bytes.ts';
import { FileBytes, SegmentReader } from './segment-reader.ts';

const PERIOD = { layer: 'adsb', start: upstreamInstant(Date.UTC(2026, 10, 23, 3, 20)) } as const;
const ROWS = 9000;
const folder = mkdtempSync(join(tmpdir(), 'lookout-segment-'));
const file = join(folder, 'a.segment');
afterAll(() => rmSync(folder, { recursive: true }));

const rows = new Rows();
for (let row = 0; row < ROWS; row += 1) {
  const [sourceId, observedAt] = [trackKey(row % 30), addMs(PERIOD.start, row * 30)];
  storeObservation(
    rows,
    observation({ sourceId, observedAt, lon: 8 + ((row * 7) % 100) / 1000, altitudeM: row % 500 }),
  );
}
await writeWhole(file, await segmentBytes(PERIOD, rows, true));

async function readAll(wholeMaxBytes: number) {
  const entry = { ...PERIOD, bytes: statSync(file).size };
  const reader = new SegmentReader(new FileBytes(file), entry, new ByteCache(0), wholeMaxBytes);
  try {
    const footer = await reader.footer();
    const times = await reader.parts('times', footer, [0, 1, 2]);
    const read = new Map([...times].filter(([, each]) => !(each instanceof Error))) as Parameters<
      typeof reader.parts
    >[3];
    const places = await reader.parts('places', footer, [0, 2], read);
    const reports = await reader.parts('reports', footer, [1], read);
    const { trackCount, labels } = await reader.dictionary(footer);
    const decoded = [...times, ...places, ...reports].map(([chunk, part]) => {
      if (part instanceof Error) throw part;
      for (const run of read!.get(chunk)!.runs.lengths.keys()) part.decode(run);
      const { decode: _, ...columns } = part;
      return columns;
    });
    return { footer, decoded, trackCount, labels };
  } finally {
    await reader.close();
  }
}

test('a file read whole and one read block by block give the same', async () => {
  const whole = await readAll(Number.POSITIVE_INFINITY);
  expect(whole.footer.chunks.map(({ count }) => count)).toEqual([4096, 4096, 808]);
  expect(whole.decoded).toHaveLength(6);
  expect(whole).toMatchObject({ trackCount: 30, labels: ['multi_station', 'none'] });
  expect(await readAll(0)).toEqual(whole);
});

test('a file that became shorter is damaged, however it is read', async () => {
  truncateSync(file, statSync(file).size - 1);
  for (const wholeMaxBytes of [0, Number.POSITIVE_INFINITY]) {
    await expect(readAll(wholeMaxBytes)).rejects.toThrow(DamagedBytes);
  }
});
