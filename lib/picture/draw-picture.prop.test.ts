import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGEING, type AgePhase, agePhase, expiryMs } from '#lib/model/ageing.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { drawnOf, drawPicture } from './draw-picture.ts';
import { EMERGENCY_AS_TEXT, MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from './mark-style.ts';
import { makePicture, type Picture } from './picture.ts';
import { makeTrackColumns, type TrackColumns } from './track-columns.ts';

interface Track {
  readonly used: boolean;
  readonly style: number;
  readonly ageMs: number;
  readonly ttlMs: number;
  readonly heading: number;
}

const nowMs = 1_000_000;
const track: fc.Arbitrary<Track> = fc.record({
  used: fc.boolean(),
  style: fc
    .tuple(
      fc.constantFrom(0, FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, FLAG_DRONE | FLAG_SIMULATED | FLAG_TEST),
      fc.constantFrom(0, EMERGENCY_AS_TEXT, MARK_EMERGENCY),
    )
    .map(([flags, emergency]) => flags | emergency),
  ageMs: fc.integer({ min: -5000, max: 300_000 }),
  ttlMs: fc.integer({ min: 1, max: 120_000 }),
  heading: fc.constantFrom(0, 90, Number.NaN),
});
const tracks = fc.array(track, { maxLength: 40 });

function columnsOf(list: readonly Track[]): TrackColumns {
  const columns = makeTrackColumns(64);
  columns.end = list.length;
  for (const [slot, { used, style, ageMs, ttlMs, heading }] of list.entries()) {
    columns.used[slot] = used ? 1 : 0;
    columns.style[slot] = style;
    columns.observedAtMs[slot] = nowMs - ageMs;
    columns.expiresAtMs[slot] = nowMs - ageMs + ttlMs;
    columns.mercatorX[slot] = slot / 64;
    columns.mercatorY[slot] = 1 - slot / 64;
    columns.headingDeg[slot] = heading;
  }
  return columns;
}

const kindOf = ({ style }: Track) => (style & FLAG_DRONE ? 'drone' : 'aircraft');
const phaseOf = (t: Track) => agePhase(nowMs - t.ageMs, nowMs - t.ageMs + t.ttlMs, kindOf(t), nowMs);
const drawn = ({ slot, count }: Picture) => [...slot.subarray(0, count)];

describe('drawPicture', () => {
  test('draws each position that is not removed once, exactly where it was received', () => {
    fc.assert(
      fc.property(tracks, (list) => {
        const picture = makePicture(64);
        const columns = columnsOf(list);
        drawPicture(columns, nowMs, [], picture);
        expect(drawn(picture)).toEqual(
          list.flatMap((each, slot) => (each.used && phaseOf(each) !== 'removed' ? [slot] : [])),
        );
        for (const [index, slot] of drawn(picture).entries()) {
          expect(picture.mercatorX[index]).toBe(columns.mercatorX[slot]);
          expect(picture.mercatorY[index]).toBe(columns.mercatorY[slot]);
          expect(picture.headingDeg[index]).toBe(columns.headingDeg[slot]);
        }
      }),
    );
  });

  test('without a new position nothing moves between two pictures: marks only fade and disappear', () => {
    fc.assert(
      fc.property(tracks, fc.integer({ min: 0, max: 400_000 }), (list, laterMs) => {
        const [before, after] = [makePicture(64), makePicture(64)];
        const columns = columnsOf(list);
        drawPicture(columns, nowMs, [], before);
        drawPicture(columns, nowMs + laterMs, [], after);
        for (const [index, slot] of drawn(after).entries()) {
          const earlier = drawn(before).indexOf(slot);
          expect(earlier).toBeGreaterThanOrEqual(0);
          expect(after.mercatorX[index]).toBe(before.mercatorX[earlier]);
          expect(after.mercatorY[index]).toBe(before.mercatorY[earlier]);
          expect(after.colour[index * 4 + 3]).toBeLessThanOrEqual(before.colour[earlier * 4 + 3] as number);
        }
      }),
    );
  });

  test('every mark is counted once, and simulated and test broadcasts never as real, expired or not', () => {
    fc.assert(
      fc.property(tracks, (list) => {
        const picture = makePicture(64);
        const { shown: counts, emergencies } = drawPicture(columnsOf(list), nowMs, [], picture);
        expect(drawnOf(counts.aircraft) + drawnOf(counts.drone)).toBe(picture.count);
        expect(picture.emergencies).toEqual(
          [...picture.style.subarray(0, picture.count)].flatMap((style, index) =>
            style & MARK_EMERGENCY ? [index] : [],
          ),
        );
        const ofOrigin = (origin: (style: number) => boolean, ...phases: AgePhase[]) =>
          list.filter((each) => each.used && phases.includes(phaseOf(each)) && origin(each.style)).length;
        const origins = {
          real: (style: number) => (style & (FLAG_SIMULATED | FLAG_TEST)) === 0,
          simulated: (style: number) => (style & FLAG_SIMULATED) !== 0,
          test: (style: number) => (style & FLAG_TEST) !== 0 && (style & FLAG_SIMULATED) === 0,
        };
        for (const [name, origin] of Object.entries(origins) as [keyof typeof origins, (typeof origins)['real']][]) {
          const { aircraft, drone } = counts;
          const isEmergency = (style: number) => origin(style) && (style & MARK_EMERGENCY) !== 0;
          expect(emergencies.current[name]).toBe(ofOrigin(isEmergency, 'fresh', 'ageing'));
          expect(emergencies.expired[name]).toBe(ofOrigin(isEmergency, 'expired'));
          expect(aircraft.current[name] + drone.current[name]).toBe(ofOrigin(origin, 'fresh', 'ageing'));
          expect(aircraft.expired[name] + drone.expired[name]).toBe(ofOrigin(origin, 'expired'));
        }
      }),
    );
  });

  test('exactly the expired marks are hollow, and only the selected marks are styled as selected', () => {
    fc.assert(
      fc.property(tracks, fc.uniqueArray(fc.nat(40)), (list, selected) => {
        const picture = makePicture(64);
        drawPicture(columnsOf(list), nowMs, selected, picture);
        for (const [index, slot] of drawn(picture).entries()) {
          const style = picture.style[index] as number;
          expect((style & MARK_EXPIRED) !== 0).toBe(phaseOf(list[slot] as Track) === 'expired');
          expect((style & MARK_SELECTED) !== 0).toBe(selected.includes(slot));
        }
      }),
    );
  });

  test('live and replay look alike: the picture is the same with or without a stale_after equal to the fallback', () => {
    fc.assert(
      fc.property(tracks, (list) => {
        const live = columnsOf(list);
        const replayed = columnsOf(list);
        for (const [slot, each] of list.entries()) {
          const observedAtMs = live.observedAtMs[slot] as number;
          const spanMs = AGEING[kindOf(each)].fallbackTtlMs;
          live.expiresAtMs[slot] = expiryMs(observedAtMs, observedAtMs + spanMs, kindOf(each));
          replayed.expiresAtMs[slot] = expiryMs(observedAtMs, Number.NaN, kindOf(each));
        }
        const [then, now] = [makePicture(64), makePicture(64)];
        expect(drawPicture(replayed, nowMs, [], then)).toEqual(drawPicture(live, nowMs, [], now));
        expect(then).toEqual(now);
      }),
    );
  });

  test('drawing fewer tracks into a reused picture leaves no marks behind', () => {
    const picture = makePicture(64);
    const four = Array.from({ length: 4 }, () => ({ used: true, style: 0, ageMs: 0, ttlMs: 1000, heading: 0 }));
    drawPicture(columnsOf(four), nowMs, [], picture);
    drawPicture(columnsOf(four.slice(0, 1)), nowMs, [], picture);
    expect(drawn(picture)).toEqual([0]);
  });

  test('isolating fades all but the selected tracks and emergencies, and hides nothing', () => {
    fc.assert(
      fc.property(tracks, fc.uniqueArray(fc.nat(40), { maxLength: 4 }), (list, selected) => {
        const [plain, isolated] = [makePicture(64), makePicture(64)];
        const columns = columnsOf(list);
        const counts = drawPicture(columns, nowMs, selected, plain);
        expect(drawPicture(columns, nowMs, selected, isolated, { isolated: true })).toEqual(counts);
        expect(drawn(isolated)).toEqual(drawn(plain));
        for (const [index, slot] of drawn(isolated).entries()) {
          const [before, after] = [plain, isolated].map(({ colour }) => colour[index * 4 + 3] as number) as [
            number,
            number,
          ];
          const keeps =
            selected.length === 0 || selected.includes(slot) || (plain.style[index] as number) & MARK_EMERGENCY;
          if (keeps) expect(after).toBe(before);
          else expect(after).toBeLessThan(before);
        }
      }),
    );
  });
});
