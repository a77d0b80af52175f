import type { CompactHead } from '#lib/api/compact-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { startLiveHarness } from '#testing/live-harness.ts';
import { rounded } from './figures.ts';
import { AMPLE, gridSource } from './page/moving-grid.ts';

const AIRCRAFT = 1000;
const VIEWERS = 200;
const REFRESHES = 30;
const WARM_UP = 10;
const POLL_EVERY_MS = 5000;
const GOAL = { requests_ratio: 1, each_further_viewer_us: 100 };

export async function bench(): Promise<object> {
  const one = await refreshesOf(1);
  const many = await refreshesOf(VIEWERS);
  const ratio = many.requests / one.requests;
  const furtherUs = ((many.readMs - one.readMs) / (VIEWERS - 1)) * 1000;
  return {
    what: `${AIRCRAFT} moving aircraft, ${REFRESHES} refreshes, each followed by one delta poll of every viewer; processor time of the polls per refresh`,
    goal: GOAL,
    reached: ratio <= GOAL.requests_ratio && furtherUs <= GOAL.each_further_viewer_us,
    requests: { one: one.requests, viewers_200: many.requests },
    polls_ms: { one: rounded(one.readMs), viewers_200: rounded(many.readMs) },
    each_further_viewer_us: Math.round(furtherUs),
  };
}

async function refreshesOf(viewers: number): Promise<{ readonly requests: number; readonly readMs: number }> {
  const harness = await startLiveHarness({ source: gridSource(AIRCRAFT), allowance: AMPLE });
  try {
    const views = Array.from({ length: viewers }, (_, index) => {
      const inset = index / 500;
      return { west: 6 + inset, south: -9 + inset, east: 24 - inset, north: 9 - inset };
    });
    const since = new Map<number, Map<string, number>>();
    let readMs = 0;
    for (let refresh = 0; refresh < WARM_UP + REFRESHES; refresh++) {
      const before = process.cpuUsage();
      for (const [index, view] of views.entries()) {
        const viewer = { operator: 'local', session: undefined, page: `${index}` };
        const answer = await harness.reader.readCompact(viewer, view, ['adsb'], since.get(index) ?? new Map());
        const parts = (splitHead(answer).head as CompactHead).layers.adsb?.parts ?? [];
        const isDelta = parts.length > 0 && parts.every(({ deltas, bodies }) => deltas && bodies.length > 0);
        if (refresh >= WARM_UP && !isDelta) throw new Error(`an answer is not a delta: ${JSON.stringify(parts)}`);
        since.set(index, new Map(parts.map(({ area, sequence }) => [area, sequence])));
      }
      const { user, system } = process.cpuUsage(before);
      if (refresh >= WARM_UP) readMs += (user + system) / 1000;
      harness.moveClock(POLL_EVERY_MS);
      await harness.scheduler.tick();
      await harness.scheduler.idle();
    }
    return { requests: harness.countOf('live_adsb'), readMs: readMs / REFRESHES };
  } finally {
    await harness.close();
  }
}
