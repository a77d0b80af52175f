import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { historyCostSchema } from '#lib/api/history-cost.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { historyOpened, type OpenedObservation } from './driver/history-opened.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { type PassedAnswer, startListeningProxy } from './running/listening-proxy.ts';
import { makeHourOfFlights } from './running/make-hour-of-flights.ts';
import { playing } from './running/make-recording.ts';
import { type RecordedRow, recordedRows } from './running/recorded-rows.ts';

const SWISS = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');

function keyOf(atMs: number, { lon, lat, altitudeM, speedMps }: Omit<RecordedRow, 'atMs' | 'id'>): string {
  const text = (value: number | null) => (value === null || Number.isNaN(value) ? 'not reported' : value.toFixed(2));
  return [atMs, lon.toFixed(6), lat.toFixed(6), text(altitudeM), text(speedMps)].join(' ');
}

/** Candidates for the delay of the playback, ms. */
function playedLaterMs(first: OpenedObservation, rows: readonly RecordedRow[]): number[] {
  const same = rows.filter((row) => keyOf(0, row) === keyOf(0, first));
  return same.map((row) => first.observedAtMs - row.atMs);
}

function boxesOf([quote]: readonly PassedAnswer[]) {
  const { middle } = historyCostSchema.parse(JSON.parse(String(quote?.body)));
  return middle.boxes.map(([west, south, east, north]) => ({ west, south, east, north }));
}

for (const source of ['the Swiss recording', 'made flights'] as const) {
  test(`An hour of ${source} is replayed: every record of the area and window is loaded exactly once`, async ({
    page,
    startDesk,
  }, testInfo) => {
    test.skip(source === 'the Swiss recording' && !existsSync(SWISS), 'the recordings are not next to the project');
    test.slow();
    const file = source === 'the Swiss recording' ? SWISS : makeHourOfFlights(testInfo.outputPath('recordings'));
    const { lookout } = await startDesk({ service: playing(file) });
    const proxy = await startListeningProxy(lookout.url);
    const operator = new LookoutDriver(page, proxy.url);
    const dock = new ReplayDock(page);
    await dock.asksFirst();
    const end = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const window = { start: end - 60 * MINUTE_MS, end };
    const [from, to] = [window.start, window.end].map((ms) => new Date(ms).toISOString());
    await operator.goesTo(`/?view=46.9,8.2,8&layers=adsb&from=${from}&to=${to}`);
    await dock.loads();
    await dock.isLoaded();

    const [load] = proxy.answers('/api/history') as [PassedAnswer];
    const withLeadIn = await historyOpened(load.body);
    const observations = withLeadIn.filter(({ observedAtMs }) => observedAtMs >= window.start);
    const store = withLeadIn.map(({ ref, observedAtMs }) => `${ref} ${observedAtMs}`);
    expect(observations.length).toBeGreaterThan(1000);
    expect(new Set(store).size, 'no duplicate records').toBe(store.length);
    expect(await dock.observations('Aircraft'), 'observations on the page').toBe(observations.length);
    expect(await dock.band('Aircraft')).toEqual([{ state: 'complete', start: from, end: to }]);

    const rows = recordedRows(file, boxesOf(proxy.answers('/api/history/cost')));
    const [firstSeen] = observations as [OpenedObservation];
    const laterMs = playedLaterMs(firstSeen, rows).find((candidate) => {
      const known = new Set(rows.map((row) => keyOf(row.atMs + candidate, row)));
      return observations.every((observation) => known.has(keyOf(observation.observedAtMs, observation)));
    });
    expect(laterMs, 'every replayed record is in the file').toBeDefined();
    const expected = rows
      .filter(({ atMs }) => atMs + (laterMs as number) >= window.start && atMs + (laterMs as number) < window.end)
      .map((row) => keyOf(row.atMs + (laterMs as number), row));
    const replayed = observations.map((observation) => keyOf(observation.observedAtMs, observation));
    expect(replayed.toSorted()).toEqual(expected.toSorted());

    const atMs = window.start + 31 * MINUTE_MS;
    const { x, y } = await dock.pointAt(31 / 60);
    await page.mouse.click(x, y);
    await expect.poll(() => dock.shownAtMs()).toBeGreaterThan(atMs - MINUTE_MS);
    const shownAtMs = await dock.shownAtMs();
    // The shown time is cut to whole seconds.
    const recent = rows.filter((row) => {
      const ageMs = shownAtMs - (row.atMs + (laterMs as number));
      return ageMs >= 0 && ageMs < MINUTE_MS - 1000;
    });
    const recentTracks = new Set(recent.map(({ id }) => id)).size;
    expect(recentTracks).toBeGreaterThan(0);
    await expect.poll(() => operator.tracks.received()).toBeGreaterThanOrEqual(recentTracks);
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: fully loaded');
    proxy.stop();
  });
}
