import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bbox } from '#lib/geo/bbox.ts';
import { makeDice } from '#lib/random/seeded-random.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { openSource } from '#service/sources/open-source.ts';
import { startLiveHarness } from '#testing/live-harness.ts';

const RECORDING = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const VIEWERS = 1000;
const MINUTES = 10;
const POLL_EVERY_MS = 5000;
const ZURICH = { lon: 8.55, lat: 47.45 };

/** Upstream requests of 1000 viewers around Zürich on the Swiss recording, compared with those of one viewer. */
export async function zurich(): Promise<object> {
  const what = `${VIEWERS} viewers of different views around Zürich, ${MINUTES} minutes of 5 s polls, aircraft of the Swiss recording over HTTP`;
  if (!existsSync(RECORDING)) return { what, skipped: 'the recording is missing' };
  const views = viewsAround(VIEWERS);
  const many = await requestsOf(views);
  const one = await requestsOf(views.slice(0, 1));
  return {
    what,
    goal: { ratio: 1 },
    reached: many.requests <= one.requests,
    ratio: Math.round((many.requests / one.requests) * 1000) / 1000,
    requests: { many: many.requests, one: one.requests },
    records_of_an_answer: { many: many.records, one: one.records },
  };
}

function viewsAround(count: number): readonly Bbox[] {
  const dice = makeDice(1);
  return Array.from({ length: count }, () => {
    const spanDeg = 0.2 * 20 ** dice.between(0, 1);
    const west = ZURICH.lon + dice.between(-1, 1) - spanDeg / 2;
    const south = ZURICH.lat + dice.between(-0.75, 0.75) - spanDeg / 3;
    return { west, south, east: west + spanDeg, north: south + (spanDeg * 2) / 3 };
  });
}

async function requestsOf(views: readonly Bbox[]) {
  const harness = await startLiveHarness();
  const start = harness.client.clock.now();
  await harness.close();
  const source = await openSource({ kind: 'recording', files: [RECORDING] }, start, () => {});
  const live = await startLiveHarness({ source, allowance: { perMinute: 100_000, perDay: 10_000_000 } });
  try {
    let records = 0;
    for (let at = 0; at < MINUTES * MINUTE_MS; at += POLL_EVERY_MS) {
      const answers = await Promise.all(
        views.map((view, page) =>
          live.reader.read({ operator: 'local', session: undefined, page: `${page}` }, view, ['adsb']),
        ),
      );
      records = Math.max(records, answers[0]?.layers.adsb?.records.length ?? 0);
      live.moveClock(POLL_EVERY_MS);
      await live.scheduler.tick();
      await live.scheduler.idle();
    }
    return { requests: live.countOf('live_adsb'), records };
  } finally {
    await live.close();
  }
}
