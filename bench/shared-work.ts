import type { CompactHead } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { startLiveHarness } from '#testing/live-harness.ts';
import { movingGrid } from './moving-grid.ts';

const AIRCRAFT = 1000;
const REFRESHES = 30;
const WARM_UP = 10;

/** The server's cost of reads per refresh of an area, with one viewer and with many viewers of different views. */
export async function sharedWork(): Promise<object> {
  const one = await msOfReads(1);
  const many = await msOfReads(200);
  return {
    what: `${AIRCRAFT} moving aircraft, ${REFRESHES} refreshes, each followed by one delta poll of every viewer; time of the reads per refresh`,
    one_viewer_ms: round(one),
    viewers_200_ms: round(many),
    each_further_viewer_us: Math.round(((many - one) / 199) * 1000),
    viewers_200_each_for_itself_ms: round(one * 200),
  };
}

async function msOfReads(viewers: number): Promise<number> {
  const live = await startLiveHarness({
    source: movingGrid(AIRCRAFT),
    allowance: { perMinute: 100_000, perDay: 10_000_000 },
  });
  try {
    const views = Array.from({ length: viewers }, (_, index) => ({
      west: 4 + index / 500,
      south: -11 + index / 500,
      east: 26 - index / 500,
      north: 11 - index / 500,
    }));
    const since = new Map<number, Map<string, number>>();
    let totalMs = 0;
    for (let refresh = 0; refresh < WARM_UP + REFRESHES; refresh++) {
      const began = performance.now();
      for (const [index, view] of views.entries()) {
        const viewer = { operator: 'local', session: undefined, page: `${index}` };
        const answer = await live.reader.readCompact(viewer, view, ['adsb'], since.get(index) ?? new Map());
        // Not validated: in production that time is the browser's.
        const { layers } = splitHead(answer).head as CompactHead;
        const parts = layers.adsb?.parts ?? [];
        // The measurement is meaningless unless every answer after the warm-up is a delta.
        const usual = refresh < WARM_UP || parts.every(({ deltas, bodies }) => deltas && bodies.length > 0);
        if (!usual || parts.length === 0) throw new Error(`an answer was not a delta: ${JSON.stringify(parts)}`);
        since.set(index, new Map(parts.map(({ area, sequence }) => [area, sequence])));
      }
      if (refresh >= WARM_UP) totalMs += performance.now() - began;
      live.moveClock(5000);
      await live.scheduler.tick();
      await live.scheduler.idle();
    }
    return totalMs / REFRESHES;
  } finally {
    await live.close();
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
