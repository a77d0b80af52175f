import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { type ReadEvent, readEvent } from '#lib/outputs/read-event.fixture.ts';
import { addMs, formatInstant, msBetween } from '#lib/time/instant.ts';
import { AreaReads } from '../../live/area-reads.ts';
import { areaOf } from '../../live/snapshots.ts';
import { CotFeed, type CotPositions } from './cot.ts';

const BOX = { west: 0, south: 0, east: 20, north: 60 };
const { observedAt: at } = plainPosition;

function feed(choice: Partial<CotPositions> = {}) {
  const reads = new AreaReads();
  const sent: Position[] = [];
  const states: ReadEvent[] = [];
  const opened = new CotFeed(
    reads,
    { layers: ['rid', 'adsb'], bbox: null, every_s: 5, trail: false, ...choice },
    { offer: (positions) => sent.push(...positions), offerState: (_, xml) => states.push(readEvent(xml)) },
  );
  const read = (
    positions: readonly Position[],
    layer: 'rid' | 'adsb' = 'adsb',
    { reception, seconds = 0, box = BOX }: { reception?: Reception; seconds?: number; box?: Bbox } = {},
  ) => {
    const byRef = new Map(positions.map((position) => [position.ref, position]));
    const readAt = addMs(at, seconds * 1000);
    reads.publish({ kind: 'read', area: areaOf(layer, box), positions: byRef, readAt, isComplete: true, reception });
  };
  return { read, sent, states, close: opened.close };
}

test('sends each track at most once in the chosen time, and never an older position', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.record({ ref: fc.constantFrom('A', 'B'), seconds: fc.integer({ min: -600, max: 600 }) })),
      (every_s, reads) => {
        const { read, sent } = feed({ every_s });
        for (const { ref, seconds } of reads) read([{ ...plainPosition, ref, observedAt: addMs(at, seconds * 1000) }]);
        for (const ref of ['A', 'B']) {
          const ofTrack = sent.filter((position) => position.ref === ref);
          expect(ofTrack.length > 0).toBe(reads.some((each) => each.ref === ref));
          for (const [index, { observedAt }] of ofTrack.entries())
            if (index > 0)
              expect(msBetween(ofTrack[index - 1]!.observedAt, observedAt)).toBeGreaterThanOrEqual(every_s * 1000);
        }
      },
    ),
  );
});

test('sends a position once, however often it is read', () => {
  const { read, sent } = feed();
  for (let time = 0; time < 3; time += 1) read([plainPosition]);
  expect(sent).toEqual([plainPosition]);
});

test('sends positions in the box and of the layers, over 180° too', () => {
  const { read, sent } = feed({ layers: ['adsb'], bbox: [170, -10, -170, 10] });
  const positionAt = (ref: string, lon: number, lat: number) => ({ ...plainPosition, ref, lon, lat });
  read([
    positionAt('east', -175, 0),
    positionAt('edge', 180, 10),
    positionAt('out', 0, 0),
    positionAt('north', 175, 11),
  ]);
  read([positionAt('drone', 175, 0)], 'rid');
  expect(sent.map(({ ref }) => ref)).toEqual(['east', 'edge']);
});

test('sends nothing once closed', () => {
  const { read, sent, close } = feed();
  close();
  read([plainPosition]);
  expect(sent).toEqual([]);
});

const OK: Reception = { state: 'ok', since: undefined, receivers: 1, receiving: 1 };
const LOST: Reception = { state: 'lost', since: addMs(at, -29_000), receivers: 1, receiving: 0 };
const typesOf = (states: readonly ReadEvent[]) => states.map(({ attributes }) => attributes.type);

test('sends an alarm while a layer has no receiver, once a minute, and cancels it at the return', () => {
  const { read, states } = feed();
  read([], 'adsb', { reception: OK });
  for (let seconds = 5; seconds <= 70; seconds += 5) read([], 'adsb', { reception: LOST, seconds });
  expect(typesOf(states)).toEqual(['b-a', 'b-a']);
  read([], 'adsb', { reception: OK, seconds: 75 });
  read([], 'adsb', { reception: OK, seconds: 80 });
  expect(typesOf(states)).toEqual(['b-a', 'b-a', 'b-a-o-can']);
  const [first, , last] = states;
  expect(first).toMatchObject({
    callsign: 'Lookout: No aircraft receiver',
    remarks: `No aircraft receiver delivers since ${clockText(addMs(at, -29_000), 'utc')}. Its tracks go stale.`,
    attributes: { stale: formatInstant(addMs(at, 185_000)), uid: last?.attributes.uid },
  });
});

test('sends no alarm where some receivers deliver, none could, or nothing is reported', () => {
  const { read, states } = feed();
  for (const state of ['partly', 'none', 'ok'] as const) read([], 'rid', { reception: { ...LOST, state } });
  read([], 'rid');
  expect(states).toEqual([]);
});

test('counts the areas that are still read, in the chosen box and of the chosen layers', () => {
  const { read, states } = feed({ layers: ['adsb'], bbox: [170, -10, -170, 10] });
  const inside = { west: -175, south: 0, east: -172, north: 5 };
  read([], 'adsb', { reception: LOST });
  read([], 'rid', { reception: LOST, box: inside });
  expect(states).toEqual([]);
  read([], 'adsb', { reception: LOST, box: inside });
  read([], 'adsb', { reception: OK, box: { ...inside, east: -171 }, seconds: 30 });
  expect(typesOf(states)).toEqual(['b-a']);
  read([], 'adsb', { reception: OK, box: { ...inside, east: -171 }, seconds: 61 });
  expect(typesOf(states)).toEqual(['b-a', 'b-a-o-can']);
});
