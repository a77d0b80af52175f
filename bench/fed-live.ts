import type { Page } from '@playwright/test';
import { COMPACT_LIVE_TYPE, parseSince } from '#lib/api/compact-answer.ts';
import { corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { compactAnswer } from '#lib/server/live/compact-answer.ts';
import type { LiveView } from '#lib/server/live/live-view.ts';
import type { AreaSnapshot } from '#lib/server/live/snapshots.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';

export interface Fed {
  readonly now: UpstreamInstant;
  readonly positions: Readonly<Record<Layer, readonly Position[]>>;
  readonly nextPollMs: number;
}

/**
 * Answers the page's polls in place of the server, in the same compact form, encoded by the same code: a benchmark decides what each answer holds, at
 * what time, and when the next is asked for.
 * @returns how many answers were given
 */
export async function feedLive(page: Page, next: () => Fed | Promise<Fed>): Promise<() => number> {
  const snapshots = new AreaSnapshots();
  let answers = 0;
  await page.context().route(
    (url) => url.pathname === '/api/live',
    async (route) => {
      const { searchParams } = new URL(route.request().url());
      const parsed = parseBbox(searchParams.get('bbox') ?? '');
      if (!parsed.ok) throw new Error(parsed.message);
      const { bbox } = parsed;
      const layers = (searchParams.get('layers') ?? '').split(',');
      const { now, positions, nextPollMs } = await next();
      answers++;
      const snapshotOf = (layer: Layer) =>
        snapshots.put({
          area: { key: layer, layer, bbox },
          positions: new Map(positions[layer].map((position) => [position.ref, position])),
          fetchedAt: now,
          readAt: now,
          incomplete: undefined,
          unreadable: 0,
        });
      const asked = (['rid', 'adsb'] as const).filter((layer) => layers.includes(layer));
      const parts = new Map<Layer, AreaSnapshot>();
      for (const layer of asked) parts.set(layer, snapshotOf(layer));
      const view: LiveView = {
        answer: {
          as_of: formatInstant(now),
          next_poll_ms: nextPollMs,
          held_ms: 0,
          requested: corners(bbox),
          covered: [corners(bbox)],
          capped: false,
        },
        layers: new Map(
          Array.from(parts, ([layer, snapshot]) => [
            layer,
            {
              parts: [
                {
                  snapshot,
                  regions: [bbox],
                },
              ],
              answer: {
                state: 'fresh' as const,
                fetched_at: formatInstant(now),
                partial: false,
                gaps: [],
                reason: null,
                failing_since: null,
                until: null,
                unreadable: 0,
              },
            },
          ]),
        ),
      };
      const { bytes: body } = await compactAnswer(view, parseSince(searchParams.get('since') ?? '') ?? new Map());
      await route
        .fulfill({ status: 200, contentType: COMPACT_LIVE_TYPE, body: Buffer.from(body) })
        .catch(() => undefined);
    },
  );
  return () => answers;
}
