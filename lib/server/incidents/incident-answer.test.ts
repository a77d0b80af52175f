import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { HistoryQuery } from '#lib/api/query.ts';
import { corners } from '#lib/geo/corners.ts';
import { TracksInside } from '#lib/incidents/inside.ts';
import { addMs, epochMs, formatInstant, instantOf } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { observation } from '#service/conformance/listed-source.ts';
import { type HistoryHarness, startHistoryHarness } from '#testing/history-harness.ts';
import type { LoadEvent } from '../history/history-load.ts';
import { Work } from '../work/work.ts';
import { IncidentAnswers } from './incident-answer.ts';
import type { IncidentQuestion } from './incident-rows.ts';

const START = instantOf('2026-11-21T08:10:00Z');
const END = instantOf('2026-11-21T10:40:00Z');
const ABOUT = { lon: 8.5, lat: 47.5 };
const QUESTION: IncidentQuestion = {
  id: 'one',
  layers: ['rid', 'adsb'],
  shape: { type: 'Circle', centre: [8.5, 47.5], radius_m: 5000 },
  bbox: { west: 8.4, south: 47.4, east: 8.6, north: 47.6 },
  about: ABOUT,
  fromMs: epochMs(START),
  toMs: epochMs(END),
  zoneId: undefined,
};

let harness: HistoryHarness;
afterEach(() => harness.live.close());

/** @param lost when all receivers were down, as the end of a load reports it */
function answers(lost?: Window, now = addMs(END, 3_600_000)) {
  let [loads, requests] = [0, 0];
  async function* load(query: HistoryQuery, signal: AbortSignal): AsyncGenerator<LoadEvent> {
    loads++;
    for await (const event of harness.reader.load(query, 'al', signal)) {
      if (event.kind === 'line' && event.line.type === 'end')
        for (const layer of Object.values(event.line.layers)) requests += layer.requests;
      if (lost && event.kind === 'line' && event.line.type === 'end')
        for (const layer of Object.values(event.line.layers))
          layer.reception = [
            {
              bbox: corners(query.bbox),
              start: formatInstant(lost.start),
              end: formatInstant(lost.end),
              reason: 'receivers_lost',
            },
          ];
      yield event;
    }
  }
  const all = new IncidentAnswers(() => now);
  return {
    loads: () => loads,
    requests: () => requests,
    answer: (maxRequests?: number, { signal } = new AbortController()) =>
      all.answer('one', { question: QUESTION, maxRequests, load, signal, runPiece: (piece) => piece() }),
  };
}

const drone = (minutes: number, lon: number, more: object = {}) =>
  observation({
    layer: 'rid',
    sourceId: 'drone',
    lon,
    lat: 47.5,
    heightAglM: 80,
    observedAt: addMs(START, minutes * 60_000),
    ...more,
  });

describe('the answer of an incident', () => {
  test('has the tracks inside with their first, last, lowest and nearest', async () => {
    harness = await startHistoryHarness([
      drone(-1, 8.5),
      drone(5, 8.53, { heightAglM: 120 }),
      drone(6, 8.51, { heightAglM: null, altitudeM: 20 }),
      drone(100, 8.52, { heightAglM: 95 }),
      drone(101, 8.59),
    ]);
    const { layers } = await answers().answer();
    expect(layers.rid).toMatchObject({ verdict: 'received', not_watched: [] });
    expect(layers.rid?.tracks).toMatchObject([
      {
        first_at: '2026-11-21T08:15:00.000Z',
        last_at: '2026-11-21T09:50:00.000Z',
        lowest_m: 95,
        lowest_field: 'height_agl_m',
        positions: 3,
      },
    ]);
    expect(layers.rid?.tracks[0]?.nearest_m).toBeCloseTo(751, -1);
    expect(layers.adsb).toEqual({ verdict: 'none_while_watched', tracks: [], not_watched: [] });
  });

  test('is not known where receivers were missing, with the times and the reason', async () => {
    harness = await startHistoryHarness([]);
    const lost = { start: addMs(START, 600_000), end: addMs(START, 5_400_000) };
    const { layers } = await answers(lost).answer();
    expect(layers.adsb).toEqual({
      verdict: 'not_known',
      tracks: [],
      not_watched: [{ from: '2026-11-21T08:20:00.000Z', to: '2026-11-21T09:40:00.000Z', reason: 'receivers_lost' }],
    });
  });

  test('reads an hour that is complete once, and names a past that would cost requests', async () => {
    harness = await startHistoryHarness([drone(5, 8.5)]);
    const cached = answers();
    expect((await cached.answer(0)).layers.rid).toMatchObject({
      verdict: 'not_known',
      not_watched: [{ from: '2026-11-21T08:10:00.000Z', to: '2026-11-21T10:40:00.000Z', reason: 'not_requested' }],
    });
    const whole = answers();
    await whole.answer();
    expect(whole.loads()).toBe(3);
    await Promise.all([whole.answer(), whole.answer()]);
    expect(whole.loads()).toBe(3);
  });

  test('costs no more requests in all of its hours than it may', async () => {
    harness = await startHistoryHarness([drone(5, 8.5)]);
    const few = answers();
    const { layers } = await few.answer(2);
    expect(few.requests()).toBe(2);
    expect(layers.rid?.not_watched).toMatchObject([{ reason: 'not_requested' }]);
    const more = answers();
    await more.answer(100);
    expect(more.requests()).toBeGreaterThan(2);
  });

  test('is read for the others where the viewer who began it leaves', async () => {
    harness = await startHistoryHarness([drone(5, 8.5)]);
    const shared = answers();
    const first = new AbortController();
    const [left, stayed] = [shared.answer(undefined, first), shared.answer()];
    first.abort();
    await expect(left).rejects.toThrow();
    expect((await stayed).layers.rid?.verdict).toBe('received');
  });
});

test('of twenty long answers of one person, each hour makes way for another person, and none is read for a client that left', async () => {
  const work = new Work();
  const hours: string[] = [];
  const of = (person: string, lengthMs: number, key: string, signal: AbortSignal) =>
    new IncidentAnswers(() => addMs(END, HOUR_MS)).answer(key, {
      question: { ...QUESTION, fromMs: epochMs(END) - lengthMs },
      maxRequests: 0,
      signal,
      runPiece: (hour) => work.run('incident_answer', person, signal, hour),
      load: async function* () {
        hours.push(person);
        await delay(5);
        yield { kind: 'line', line: { type: 'end', layers: {} } };
      },
    });
  const greedy = new AbortController();
  const long = Array.from({ length: 20 }, (_, index) => of('greedy', 24 * HOUR_MS, String(index), greedy.signal));
  const settled = Promise.allSettled(long);
  await delay(20);
  const before = hours.length;
  await of('polite', 3 * HOUR_MS, 'own', new AbortController().signal);
  // Four pieces of an hour and less, each after two of the other person at most.
  expect(hours.length - before).toBeLessThanOrEqual(4 + 8);
  greedy.abort();
  await settled;
  const ended = hours.length;
  await delay(50);
  expect(hours.length).toBe(ended);
});

test('sums of positions are the same in any order and grouping', () => {
  const position = fc.record({
    public_track_id: fc.constantFrom('a', 'b', 'c'),
    atMs: fc.integer({ min: 0, max: 100 }),
    longitude: fc.double({ min: 8, max: 9, noNaN: true }),
    latitude: fc.double({ min: 47, max: 48, noNaN: true }),
    height_agl_m: fc.option(fc.integer({ min: 0, max: 200 })),
    altitude_m: fc.option(fc.integer({ min: 0, max: 12_000 })),
    simulated: fc.boolean(),
    test_broadcast: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(position), fc.nat(), (positions, cut) => {
      const all = new TracksInside(ABOUT);
      for (const each of positions) all.add(each, each.atMs);
      const parts = [positions.slice(cut % (positions.length + 1)), positions.slice(0, cut % (positions.length + 1))];
      const sum = new TracksInside(ABOUT);
      for (const part of parts) {
        const of = new TracksInside(ABOUT);
        for (const each of part.toReversed()) of.add(each, each.atMs);
        sum.addAll(of.tracks);
      }
      expect(sum.tracks).toEqual(all.tracks);
    }),
  );
});
