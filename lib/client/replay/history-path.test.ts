import { afterEach, expect, test, vi } from 'vitest';
import { historyQuerySchema } from '#lib/api/query.ts';
import { decodeFrame } from '#lib/codec/frame.ts';
import { observationsOf } from '#lib/codec/record-columns.ts';
import { PartCache } from '#lib/server/history/parts/part-cache.ts';
import {
  addMs,
  epochMs,
  formatInstant,
  instantOf,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { listedSource, observation } from '#service/conformance/listed-source.ts';
import { fullAccessAccount, type ServiceOptions } from '#service/server/start-service.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { HistoryReader } from '../../server/history/history-reader.ts';
import { compactHistory } from '../../server/history/history-stream.ts';
import { LoadQueues } from '../../server/history/load-queues.ts';
import { LookoutRequestError } from '../request/fetch-lookout.ts';
import { historyMessages } from './load/history-messages.ts';
import type { LoadListener, ReplayTransport } from './load/replay-transport.ts';
import { ReplayEngine } from './replay-engine.ts';
import { RESUMED_AFTER_MS, sessionsOver } from './replay-session.ts';
import { FALLBACK_TTL_MS } from './time-to-live.ts';

const WINDOW: Window = {
  start: upstreamInstant(Date.UTC(2026, 10, 21, 11)),
  end: upstreamInstant(Date.UTC(2026, 10, 21, 11, 30)),
};
const NO_ANSWER = new LookoutRequestError('unreachable');
const AREA = { west: 8, south: 47, east: 9, north: 48 };

let live: LiveHarness;
afterEach(() => {
  vi.restoreAllMocks();
  return live.close();
});

/** A load that was broken off goes on at once. */
function skipRests(): void {
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) =>
    setTimeout(run, ms === RESUMED_AFTER_MS ? 0 : ms)) as typeof setTimeout);
}

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

/** Makes each chunk when it is read. */
function streamed(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void chunks.return(undefined),
    },
    { highWaterMark: 0 },
  );
}

async function startPage(options: Partial<ServiceOptions> = {}) {
  live = await startLiveHarness({ source: listedSource(observations()), ...options });
  const history = new HistoryReader({
    client: live.client,
    ledger: live.ledger,
    cache: new PartCache(),
    queues: new LoadQueues(),
    expectedPerSecond: () => undefined,
    livePerS: () => 0,
    hasSignIn: false,
    now: live.now,
    sleep: async (ms) => live.moveClock(ms),
  });
  const queryOf = (parameters: URLSearchParams) => historyQuerySchema.parse(Object.fromEntries(parameters));
  const quotedLayers: string[] = [];
  const seeks: Promise<boolean>[] = [];
  const sources: URLSearchParams[] = [];
  const brokenAfter: number[] = [];
  const listeners: LoadListener[] = [];
  const transport: ReplayTransport = {
    cost: (parameters) => {
      quotedLayers.push(parameters.get('layers') ?? '');
      return history.cost(queryOf(parameters), 'alice');
    },
    load: (parameters, listener, signal) => {
      sources.push(parameters);
      listeners.push(listener);
      const send = async () => {
        const server = new AbortController();
        signal.addEventListener('abort', () => server.abort());
        const events = history.load(queryOf(parameters), 'alice', server.signal);
        let left = brokenAfter.shift() ?? Number.POSITIVE_INFINITY;
        if (left === 0) return listener.failed(NO_ANSWER);
        for await (const { head, body } of historyMessages(streamed(compactHistory(events)))) {
          if (left-- === 0) {
            server.abort();
            return listener.failed(NO_ANSWER);
          }
          if (head.type === 'queued') listener.queued(head);
          else if (head.type === 'progress') listener.progress(head);
          else if (head.type === 'end') listener.done(head);
          else {
            const span = { start: instantOf(head.start), end: instantOf(head.end) };
            listener.part(head.layer, span, observationsOf(decodeFrame(body).records), head.unreadable);
          }
        }
      };
      send().catch((error) => {
        if (!signal.aborted) throw error;
      });
    },
    seek: (load, from) => {
      seeks.push(history.seek('alice', load, from));
    },
    yieldToMain: async () => {},
  };
  const engine = new ReplayEngine(() => sessionsOver(transport));
  const reached = (kind: string) =>
    new Promise<void>((resolve) => {
      const check = () => engine.summary()?.loading.kind === kind && resolve();
      engine.subscribe(check);
      check();
    });
  const opening = { area: AREA, layers: new Set(['adsb' as const]), window: WINDOW, ttlMs: FALLBACK_TTL_MS };
  return { engine, reached, opening, quotedLayers, seeks, sources, brokenAfter, listeners };
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

test('a time without a receiver is loaded, and is not complete: no load is offered, and its times are known', async () => {
  const [from, to] = [addMs(WINDOW.start, 5 * 60_000), addMs(WINDOW.start, 20 * 60_000 + 30_000)];
  const { engine, reached, opening } = await startPage({
    source: {
      ...listedSource(observations().filter(({ observedAt }) => observedAt < from || observedAt >= to)),
      pastReception: (_layer, _bbox, { start, end }) =>
        start < to && end > from
          ? [{ from: start > from ? start : from, to: end < to ? end : to, state: 'lost' as const }]
          : [],
    },
  });
  await engine.open(opening);
  engine.session?.load(undefined);
  await reached('done');
  const adsb = engine.summary()?.layers.adsb;
  expect(adsb?.minutes).toEqual([
    ...Array(5).fill('complete'),
    ...Array(16).fill('receivers_lost'),
    ...Array(9).fill('complete'),
  ]);
  expect(adsb?.gaps).toEqual([]);
  expect(adsb?.reception).toMatchObject([{ start: from, end: to, reason: 'receivers_lost' }]);
  // Playing does not wait for it.
  expect(engine.summary()?.isWaiting).toBe(false);
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
  // The code of replays has arrived.
  await engine.open(opening);
  quotedLayers.splice(0);
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

test('minutes that were loading when the session ended are no longer waited for', async () => {
  const { engine, opening, listeners } = await startPage();
  await engine.open(opening);
  engine.session?.load(undefined);
  await new Promise<void>((resolve) => {
    engine.subscribe(() => engine.summary()?.layers.adsb.minutes.includes('loading') && resolve());
  });
  listeners[0]?.failed(new LookoutRequestError('signed-out'));
  expect(engine.summary()?.layers.adsb.minutes).not.toContain('loading');
  expect(engine.summary()?.loading.kind).toBe('refused');
});

test('the lead-in is loaded with the window, and its observations make the first picture whole', async () => {
  const { engine, reached, opening } = await startPage();
  const window = { ...WINDOW, start: addMs(WINDOW.start, 600_000) };
  await engine.open({ ...opening, window, leadInMs: 180_000, acceptedMax: 100 });
  await reached('done');
  const { adsb } = engine.summary()?.layers ?? {};
  expect([adsb?.leadIn, adsb?.minutes.length]).toEqual([Array(3).fill('complete'), 20]);
  expect(adsb?.observations).toBe(observations().filter(({ observedAt }) => observedAt >= window.start).length);
  const cursor = engine.session?.cursor;
  cursor?.seek(epochMs(window.start) - 1);
  const shown = cursor?.columns.used.subarray(0, cursor.columns.end).reduce((sum, used) => sum + used, 0);
  expect(shown).toBeGreaterThanOrEqual(30);
  expect(engine.summary()?.playback.cursor).toBe(window.start);
});

test('a lead-in beyond the account’s history is left out, and the window is loaded without it', async () => {
  const account = fullAccessAccount('k'.repeat(40), { perMinute: 600, perDay: 10_000 }, WINDOW.start);
  const { engine, reached, opening } = await startPage({ accounts: [{ ...account, lookbackDays: 1 }] });
  live.writeKey('k'.repeat(40));
  const start = upstreamInstant(Date.UTC(2026, 10, 20, 12, 1));
  await engine.open({ ...opening, window: { start, end: addMs(start, 600_000) }, leadInMs: 180_000 });
  engine.session?.load(undefined);
  await reached('done');
  expect(engine.summary()?.layers.adsb).toMatchObject({ leadIn: [], minutes: Array(10).fill('complete'), gaps: [] });
  expect(live.service.requests().length).toBe(2);
});

test('a replay loads by itself up to its limit, and asks above it or where the allowance is not known', async () => {
  const { engine, reached, opening } = await startPage();
  await engine.open({ ...opening, autoLoadMax: 25 });
  expect(engine.summary()?.loading).toMatchObject({ kind: 'quoted', asks: 'allowance-unknown' });
  await engine.open({ ...opening, window: { ...WINDOW, end: addMs(WINDOW.start, 300_000) }, acceptedMax: 100 });
  await reached('done');
  await engine.open({ ...opening, autoLoadMax: 25 });
  await reached('done');
  await engine.open({ ...opening, area: { ...AREA, east: 9.4 }, autoLoadMax: 0 });
  expect(engine.summary()?.loading).toMatchObject({ kind: 'quoted', asks: 'always' });
});

test('a window is loaded outwards from the cursor, and a seek to what is not loaded moves that', async () => {
  const { engine, reached, opening, seeks, sources } = await startPage();
  const cursor = addMs(WINDOW.start, 20 * 60_000);
  await engine.open({ ...opening, cursor, acceptedMax: 100 });
  expect(sources[0]?.get('from')).toBe(formatInstant(cursor));
  engine.command({ do: 'last' });
  engine.command({ do: 'first' });
  await reached('done');
  await expect.poll(() => seeks.length).toBeLessThanOrEqual(1);
  expect(engine.session?.store.count).toBe(observations().length);
});

test('a load that is broken off goes on by itself, within the price, and says what it cost in all', async () => {
  skipRests();
  const { engine, reached, opening, sources, brokenAfter } = await startPage();
  brokenAfter.push(5, 0, 1);
  await engine.open({ ...opening, acceptedMax: 60 });
  await reached('done');
  expect(engine.session?.store.count).toBe(observations().length);
  expect(new Set(engine.summary()?.layers.adsb.minutes)).toEqual(new Set(['complete']));
  const { requestsMade } = engine.summary()?.layers.adsb ?? {};
  const madeByFirst = 60 - Number(sources.at(-1)?.get('max_requests'));
  expect(madeByFirst).toBeGreaterThan(0);
  expect(sources.map((query) => Number(query.get('max_requests')))).toEqual([
    60,
    60 - madeByFirst,
    60 - madeByFirst,
    60 - madeByFirst,
  ]);
  expect(requestsMade).toBeGreaterThan(madeByFirst);
  expect(live.service.requests().length - (requestsMade ?? 0)).toBeLessThanOrEqual(2);
});

test('one that is not begun, or is broken off again and again, is refused with the reason', async () => {
  skipRests();
  const { engine, reached, opening, sources, brokenAfter } = await startPage();
  brokenAfter.push(0);
  await engine.open({ ...opening, acceptedMax: 60 });
  expect(engine.summary()?.loading).toEqual({
    kind: 'refused',
    message: 'No answer from Lookout’s own server.',
    remedy: undefined,
  });
  brokenAfter.push(...Array.from({ length: 20 }, () => 1));
  await engine.open({ ...opening, acceptedMax: 60 });
  await reached('refused');
  expect(sources).toHaveLength(1 + 7);
});
