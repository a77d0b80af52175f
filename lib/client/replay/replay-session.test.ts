import { expect, test } from 'vitest';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { LoadListener, ReplayTransport } from './load/replay-transport.ts';
import { ReplayEngine } from './replay-engine.ts';
import { type MakeSession, sessionsOver } from './replay-session.ts';
import { observationColumns } from './store/observation-columns.fixture.ts';
import { FALLBACK_TTL_MS } from './time-to-live.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 11));
const window = { start, end: addMs(start, 600_000) };
const AREA = { west: 8, south: 47, east: 9, north: 48 };
const COST: HistoryCost = {
  as_of: formatInstant(window.end),
  start: formatInstant(window.start),
  end: formatInstant(window.end),
  middle: { expected: 3, known: true, max_requests: 6, boxes: [[8, 47, 9, 48]] },
  tiles: null,
  wide: false,
  has_allowance: false,
  left: null,
};

async function openLoading() {
  const loads: { readonly listener: LoadListener; readonly signal: AbortSignal }[] = [];
  const transport: ReplayTransport = {
    cost: async () => COST,
    load: (_, listener, signal) => loads.push({ listener, signal }),
    seek: () => undefined,
    yieldToMain: async () => undefined,
  };
  const engine = new ReplayEngine(() => sessionsOver(transport));
  await engine.open({ area: AREA, layers: new Set(['adsb']), window, ttlMs: FALLBACK_TTL_MS, acceptedMax: 6 });
  const [load] = loads;
  if (!load) throw new Error('nothing is loaded');
  return { ...load, loading: () => engine.summary()?.loading, engine };
}

const progress = { type: 'progress', layers: {}, paused: null } as const;

test('a part that cannot be added refuses the load and ends its request, instead of loading forever', async () => {
  const { listener, signal, loading } = await openLoading();
  const damaged = { ...observationColumns([]), count: 1, observedAtMs: undefined as never };
  listener.part('adsb', window, damaged, 0);
  await expect.poll(() => loading()?.kind).toBe('refused');
  expect(signal.aborted).toBe(true);
  listener.progress(progress);
  expect(loading()?.kind).toBe('refused');
});

test('lines of a load that another one has replaced change nothing', async () => {
  const { listener, loading, engine } = await openLoading();
  engine.session?.setLayers(new Set());
  await engine.session?.quote();
  listener.queued({ type: 'queued', rank: 1, running: 2 });
  listener.done({ type: 'end', layers: {} });
  await Promise.resolve();
  expect(loading()).toMatchObject({ kind: 'refused', message: 'No layer is on: switch one on to load it.' });
});

test('a replay that is left before its code arrives does not open; the next one waits for the code no more', async () => {
  const { promise, resolve } = Promise.withResolvers<MakeSession>();
  const transport: ReplayTransport = {
    cost: async () => COST,
    load: () => undefined,
    seek: () => undefined,
    yieldToMain: async () => undefined,
  };
  const engine = new ReplayEngine(() => promise);
  const request = { area: AREA, layers: new Set(['adsb' as const]), window, ttlMs: FALLBACK_TTL_MS };
  const opened = engine.open(request);
  expect(engine.opening.get()).toBe(true);
  engine.leave();
  resolve(sessionsOver(transport));
  await opened;
  expect([engine.session, engine.opening.get()]).toEqual([undefined, false]);
  void engine.open(request);
  expect(engine.session).toBeDefined();
});
