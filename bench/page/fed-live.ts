import type { Page } from '@playwright/test';
import { COMPACT_LIVE_TYPE, parseSince } from '#lib/api/compact-answer.ts';
import { corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { compactAnswer } from '#lib/server/live/live-reader.ts';
import type { LiveView } from '#lib/server/live/live-view.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { received } from '../recordings.ts';
import { gridAt } from './moving-grid.ts';

const FRESH = {
  state: 'fresh' as const,
  partial: false,
  gaps: [],
  reason: null,
  failing_since: null,
  until: null,
  reception: null,
};

/** Needs no server, which would take the page's processors. @param isAnswered resolves when a poll may be answered */
export async function feedLive(
  page: Page,
  { aircraft, nextPollMs, isAnswered }: { aircraft: number; nextPollMs: number; isAnswered?: () => Promise<void> },
): Promise<() => number> {
  const snapshots = new AreaSnapshots();
  let answers = 0;
  await page.context().route(
    (url) => url.pathname === '/api/live',
    async (route) => {
      const { searchParams } = new URL(route.request().url());
      const parsed = parseBbox(searchParams.get('bbox') ?? '');
      if (!parsed.ok) throw new Error(parsed.message);
      const { bbox } = parsed;
      await isAnswered?.();
      const now = upstreamInstant(Date.now());
      answers++;
      const positions = gridAt(aircraft, now).map((observation) => received(observation));
      const snapshot = snapshots.put({
        area: { key: 'adsb', layer: 'adsb', bbox },
        positions: new Map(positions.map((position) => [position.ref, position])),
        fetchedAt: now,
        readAt: now,
        incomplete: undefined,
        unreadable: 0,
      });
      const layer = { ...FRESH, fetched_at: formatInstant(now), unreadable: 0 };
      const view: LiveView = {
        answer: {
          as_of: formatInstant(now),
          next_poll_ms: nextPollMs,
          held_ms: 0,
          requested: corners(bbox),
          covered: [corners(bbox)],
          capped: false,
        },
        layers: new Map([['adsb', { parts: [{ snapshot, regions: [bbox] }], answer: layer }]]),
      };
      const { bytes } = await compactAnswer(view, parseSince(searchParams.get('since') ?? '') ?? new Map());
      const answer = { status: 200, contentType: COMPACT_LIVE_TYPE, body: Buffer.from(bytes) };
      // The page may have closed.
      await route.fulfill(answer).catch(() => undefined);
    },
  );
  return () => answers;
}
