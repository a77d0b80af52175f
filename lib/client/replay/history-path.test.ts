import { afterEach, expect, test } from 'vitest';
import { addMs, epochMs, instantOf, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { listedSource, observation } from '#service/conformance/listed-source.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { HistoryReader } from '../../server/history/history-reader.ts';
import { compactHistory } from '../../server/history/history-stream.ts';
import { PartCache } from '../../server/history/part-cache.ts';
import { historyMessages } from './load/history-messages.ts';
import type { ReplayTransport } from './load/replay-transport.ts';
import { ReplayEngine } from './replay-engine.ts';
import { openObservations } from './store/observation-columns.ts';
import { FALLBACK_TTL_MS } from './store/replay-cursor.ts';

const WINDOW: Window = {
  start: upstreamInstant(Date.UTC(2026, 10, 21, 11)),
  end: upstreamInstant(Date.UTC(2026, 10, 21, 11, 30)),
};
const AREA = { west: 8, south: 47, east: 9, north: 48 };

let live: LiveHarness;
afterEach(() => live.close());

/** One observation per track every ten seconds; every third track reports no altitude. */
function observations(): Observation[] {
  const all: Observation[] = [];
  for (let at: UpstreamInstant = WINDOW.start; at < WINDOW.end; at = addMs(at, 10_000)) {
    for (let track = 0; track < 30; track++) {
      all.push(
        observation({
          sourceId: `t${track}`,
          observedAt: addMs(at, track * 7),
          lon: 8.1 + track / 50 + msBetween(WINDOW.start, at) / 1e8,
          lat: 47.5,
          altitudeM: track % 3 === 0 ? null : 300 + track,
        }),
      );
    }
  }
  return all;
}

/** The server's history, connected to a replay engine without a network. */
async function startPage() {
  live = await startLiveHarness({ source: listedSource(observations()) });
  const history = new HistoryReader({
    client: live.client,
    ledger: live.ledger,
    cache: new PartCache(undefined),
    expectedPerSecond: () => undefined,
    now: live.now,
    sleep: async (ms) => live.moveClock(ms),
  });
  const query = { bbox: AREA, layers: ['adsb' as const], window: WINDOW, wide: undefined, maxRequests: undefined };
  const quotedLayers: string[] = [];
  const transport: ReplayTransport = {
    cost: (parameters) => {
      quotedLayers.push(parameters.get('layers') ?? '');
      return history.cost(query);
    },
    load: (_, listener, signal) => {
      void (async () => {
        for await (const { head, body } of historyMessages(compactHistory(history.load(query, signal)))) {
          if (head.type === 'progress') listener.progress(head);
          else if (head.type === 'end') listener.done(head);
          else {
            const span = { start: instantOf(head.start), end: instantOf(head.end) };
            listener.part(head.layer, span, openObservations(body), head.unreadable);
          }
        }
      })();
    },
    yieldToMain: async () => {},
  };
  const engine = new ReplayEngine(transport);
  const reached = (kind: string) =>
    new Promise<void>((resolve) => {
      const check = () => engine.summary()?.loading.kind === kind && resolve();
      engine.subscribe(check);
      check();
    });
  const opening = { area: AREA, layers: new Set(['adsb' as const]), window: WINDOW, ttlMs: FALLBACK_TTL_MS };
  return { engine, reached, opening, quotedLayers };
}

test('the cost of a window is quoted without upstream requests, and loading it returns every observation exactly once', async () => {
  const { engine, reached, opening } = await startPage();
  await engine.open(opening);
  expect(engine.summary()?.loading).toMatchObject({ kind: 'quoted', quote: { wide: undefined } });
  expect(live.service.requests()).toEqual([]);
  engine.session?.load(undefined);
  await reached('done');
  expect(engine.session?.store.count).toBe(observations().length);
  expect(engine.summary()?.layers.adsb).toMatchObject({ gaps: [], observations: observations().length });
  expect(new Set(engine.summary()?.layers.adsb.minutes)).toEqual(new Set(['complete']));
});

test('the picture at a time is each track’s last observation at or before it, without interpolation', async () => {
  const { engine, reached, opening } = await startPage();
  await engine.open(opening);
  engine.session?.load(undefined);
  await reached('done');
  const at = addMs(WINDOW.start, 5 * 60_000 + 5000);
  engine.command({ do: 'seek', to: at });
  const cursor = engine.session?.cursor;
  cursor?.seek(epochMs(at));
  // References rotate, so a source has one slot per reference; only those shown now are checked.
  const slots = [...Array(cursor?.columns.end ?? 0).keys()].filter((slot) => cursor?.columns.used[slot] === 1);
  expect(slots.length).toBeGreaterThanOrEqual(30);
  const known = observations().filter(({ observedAt }) => observedAt <= at && observedAt > addMs(at, -10_000));
  for (const slot of slots) {
    const position = cursor?.positionAt(slot);
    const expected = known.find(({ observedAt }) => observedAt === position?.observedAt);
    expect(position?.altitudeM ?? null).toBe(expected?.altitudeM);
    expect(Math.abs((position?.lon ?? 0) - (expected?.lon ?? 0))).toBeLessThan(1e-6);
  }
  expect(new Set(slots.map((slot) => cursor?.positionAt(slot).observedAt)).size).toBe(30);
});

test('completeness covers the span that the cursor shows, by the times to live of this replay', async () => {
  const { engine, reached, opening } = await startPage();
  await engine.open({ ...opening, ttlMs: { aircraft: 150_000, drone: 45_000 } });
  engine.session?.load(undefined);
  await reached('done');
  const { layers } = engine.summary() ?? {};
  // Time to live plus coasting.
  expect([layers?.adsb.shownForMs, layers?.rid.shownForMs]).toEqual([150_000 + 60_000, 45_000 + 90_000]);
});

test('a cached window is loaded without upstream requests, and leaving discards it', async () => {
  const { engine, reached, opening } = await startPage();
  await engine.open(opening);
  engine.session?.load(undefined);
  await reached('done');
  live.service.clearRequests();
  await engine.open(opening);
  await reached('done');
  expect(live.service.requests()).toEqual([]);
  engine.leave();
  expect([engine.summary(), engine.session]).toEqual([undefined, undefined]);
});

test('the quote is for the layers that are on: it is updated when they change, and the last one counts', async () => {
  const { engine, reached, opening, quotedLayers } = await startPage();
  const opened = engine.open({ ...opening, layers: new Set(['adsb', 'rid']) });
  engine.session?.setLayers(new Set(['adsb']));
  await opened;
  await reached('quoted');
  engine.session?.setLayers(new Set());
  expect(engine.summary()?.loading).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/No layer is on/),
  });
  engine.session?.setLayers(new Set(['adsb']));
  await reached('quoted');
  expect(quotedLayers).toEqual(['rid,adsb', 'adsb', 'adsb']);
});

test('minutes that were loading when a load failed are no longer waited for', async () => {
  const { engine, opening } = await startPage();
  await engine.open(opening);
  engine.session?.load(undefined);
  await new Promise<void>((resolve) => {
    engine.subscribe(() => engine.summary()?.layers.adsb.minutes.includes('loading') && resolve());
  });
  engine.session?.failed({ kind: 'failed', message: 'the connection was lost' });
  expect(engine.summary()?.layers.adsb.minutes).not.toContain('loading');
  expect(engine.summary()?.loading.kind).toBe('refused');
});
