import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import {
  type ImpairedStretch,
  impairedOver,
  inWholeMinutes,
  type PlaceReception,
  type ReceptionStretch,
  receptionWithin,
  worstOfMinutes,
} from './reception.ts';

const SECONDS = 240;
const START = upstreamInstant(Date.UTC(2026, 10, 21, 22, 0, 30));
const WINDOW = { start: START, end: addMs(START, SECONDS * SECOND_MS) };
const second = (at: number) => addMs(START, at * SECOND_MS);

/** One state per second: undefined is not known. */
type States = readonly (ReceptionStretch['state'] | undefined)[];

const runs = fc.array(
  fc.record({ s: fc.integer({ min: 1, max: 90 }), state: fc.constantFrom(undefined, ...RECEPTION_STATES) }),
  { maxLength: 8 },
);
const states = runs.map((each): States => {
  const all = each.flatMap(({ s, state }) => Array<States[number]>(s).fill(state));
  return Array.from({ length: SECONDS }, (_, at) => all[at]);
});

function placeOf(of: States, from = 0, to = SECONDS): PlaceReception {
  const stretches: { from: UpstreamInstant; to: UpstreamInstant; state: ReceptionStretch['state'] }[] = [];
  of.slice(from, to).forEach((state, index) => {
    const at = second(from + index);
    const last = stretches.at(-1);
    if (state === undefined) return;
    if (last?.state === state && last.to === at) last.to = second(from + index + 1);
    else stretches.push({ from: at, to: second(from + index + 1), state });
  });
  return { window: { start: second(from), end: second(to) }, stretches };
}

const statesOf = (impaired: readonly ReceptionStretch[]): States =>
  Array.from(
    { length: SECONDS },
    (_, at) => impaired.find(({ from, to }) => from <= second(at) && to > second(at))?.state,
  );

function expected(places: readonly States[], at: number): ImpairedStretch['state'] | undefined {
  const here = places.map((of) => of[at]);
  if (here.every((state) => state === 'ok' || state === undefined)) return undefined;
  if (!here.every((state) => state === 'lost' || state === 'none')) return 'partly';
  return here.includes('lost') ? 'lost' : 'none';
}

test('An area has lost its receivers only while each of its places has; otherwise it is partly heard', () => {
  fc.assert(
    fc.property(fc.array(states, { minLength: 1, maxLength: 4 }), (places) => {
      const over = impairedOver(places.map((of) => placeOf(of)));
      expect(statesOf(over)).toEqual(Array.from({ length: SECONDS }, (_, at) => expected(places, at)));
    }),
  );
});

test('Stretches are in order, joined and never empty, however the window is cut into parts', () => {
  fc.assert(
    fc.property(states, fc.uniqueArray(fc.integer({ min: 1, max: SECONDS - 1 }), { maxLength: 6 }), (of, cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), SECONDS];
      const parts = edges.slice(1).map((to, index) => placeOf(of, edges[index], to));
      const over = impairedOver(parts.toReversed());
      expect(over).toEqual(impairedOver([placeOf(of)]));
      over.forEach(({ from, to, state }, index) => {
        const before = over[index - 1];
        expect(from < to).toBe(true);
        expect(!before || before.to < from || (before.to === from && before.state !== state)).toBe(true);
      });
    }),
  );
});

test('Groups of places give what all of them give', () => {
  fc.assert(
    fc.property(fc.array(states, { minLength: 2, maxLength: 5 }), fc.nat(4), (all, at) => {
      const places = all.map((of) => placeOf(of));
      const group = (some: readonly PlaceReception[]) =>
        some.length === 0 ? [] : [{ window: WINDOW, stretches: impairedOver(some) }];
      expect(impairedOver([...group(places.slice(0, at)), ...group(places.slice(at))])).toEqual(impairedOver(places));
    }),
  );
});

test('A shorter window has the stretches of its own time', () => {
  fc.assert(
    fc.property(states, fc.nat(SECONDS - 1), fc.integer({ min: 1, max: SECONDS }), (of, from, length) => {
      const to = Math.min(SECONDS, from + length);
      const { window, stretches } = placeOf(of, from, to);
      expect(receptionWithin(window, placeOf(of).stretches)).toEqual(stretches);
    }),
  );
});

test('A minute is as bad as its worst second, and whole minutes hide no second', () => {
  fc.assert(
    fc.property(states, (of) => {
      const impaired = impairedOver([placeOf(of)]);
      const minutes = worstOfMinutes(START, impaired);
      const rounded = statesOf(inWholeMinutes(WINDOW, impaired));
      for (let at = 0; at < SECONDS; at++) {
        const minute = Math.floor((at * SECOND_MS) / MINUTE_MS);
        const here = of.slice(minute * 60, minute * 60 + 60);
        const worst = (['lost', 'none', 'partly'] as const).find((state) => here.includes(state));
        expect([minutes.get(minute), rounded[at]]).toEqual([worst, worst]);
      }
    }),
    { numRuns: 50 },
  );
});
