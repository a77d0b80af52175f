import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { PartLine } from '#lib/api/history-line.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { type HistoryHarness, historyQuery, startHistoryHarness } from '#testing/history-harness.ts';
import { makeHourOfFlights } from '#testing/made-flights.ts';
import { type RecordedRow, recordedRows } from '#testing/recorded-rows.ts';
import { historyRecordsOf } from './history-stream.ts';

const SWISS = join(import.meta.dirname, '../../../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const END = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const WINDOW = { start: addMs(END, -HOUR_MS), end: END };
const BBOX = { west: 6.4, south: 46, east: 10, north: 47.9 };

type Reported = Omit<RecordedRow, 'atMs' | 'id'>;

function keyOf(atMs: number, { lon, lat, altitudeM, speedMps }: Reported): string {
  const text = (value: number | null) => value?.toFixed(2) ?? 'not reported';
  return [atMs, lon.toFixed(6), lat.toFixed(6), text(altitudeM), text(speedMps)].join(' ');
}

const reportedOf = (record: PartLine['records'][number]): Reported => ({
  lon: record.longitude,
  lat: record.latitude,
  altitudeM: record.altitude_m,
  speedMps: record.speed_mps,
});

const folder = mkdtempSync(join(tmpdir(), 'lookout-recorded-'));
let history: HistoryHarness;
afterEach(() => history.live.close());
afterAll(() => rmSync(folder, { recursive: true }));

for (const [what, file] of [
  ['the Swiss recording', SWISS],
  ['made flights', makeHourOfFlights(folder)],
] as const)
  test.skipIf(!existsSync(file))(
    `an hour of ${what}: every record of the area and window is loaded exactly once`,
    async () => {
      const { source } = await openRecordings({ files: [file], anchor: addMs(END, 10_000) });
      history = await startHistoryHarness([], { source });
      const query = historyQuery({ window: WINDOW, bbox: BBOX });
      const { middle } = await history.reader.cost(query, 'alice');
      const records: PartLine['records'][number][] = [];
      for await (const event of history.reader.load(query, 'alice', new AbortController().signal)) {
        if (event.kind === 'part') records.push(...(await historyRecordsOf(event.part)));
        else if (event.line.type === 'end') expect(event.line.layers.adsb).toMatchObject({ complete: true, gaps: [] });
      }
      expect(records.length).toBeGreaterThan(1000);
      const identities = records.map((record) => `${record.public_track_id} ${record.observed_at}`);
      expect(new Set(identities).size, 'no duplicate records').toBe(records.length);

      const rows = recordedRows(
        file,
        middle.boxes.map(([west, south, east, north]) => ({ west, south, east, north })),
      );
      const loaded: string[] = records.map((record) => keyOf(Date.parse(record.observed_at), reportedOf(record)));
      const [first] = records as [PartLine['records'][number]];
      const candidatesMs = rows
        .filter((row) => keyOf(0, row) === keyOf(0, reportedOf(first)))
        .map((row) => Date.parse(first.observed_at) - row.atMs);
      const laterMs = candidatesMs.find((candidate) => {
        const known = new Set(rows.map((row) => keyOf(row.atMs + candidate, row)));
        return loaded.every((key) => known.has(key));
      });
      expect(laterMs, 'every loaded record is in the file').toBeDefined();
      const expected = rows
        .map((row) => ({ ...row, atMs: row.atMs + (laterMs as number) }))
        .filter(({ atMs }) => atMs >= epochMs(WINDOW.start) && atMs < epochMs(WINDOW.end))
        .map((row) => keyOf(row.atMs, row));
      const byText = (a: string, b: string) => a.localeCompare(b);
      expect(loaded.toSorted(byText)).toEqual(expected.toSorted(byText));
    },
  );
