import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { DemandProfile } from './demand-profile.ts';

const midnight = upstreamInstant(Date.UTC(2026, 10, 21));

const time = fc.integer({ min: 0, max: 24 * HOUR_MS - 1 }).map((ms) => addMs(midnight, ms));
const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 });

function lived(profile: DemandProfile, days: number, viewedAt: (hour: number) => boolean): DemandProfile {
  for (let minute = 0; minute <= days * 24 * 60; minute++) {
    profile.record(addMs(midnight, minute * MINUTE_MS), viewedAt(Math.floor(minute / 60) % 24));
  }
  return profile;
}

describe('DemandProfile', () => {
  test('expects viewers for the whole rest of the day at first', () => {
    fc.assert(
      fc.property(time, (now) => {
        expect(new DemandProfile().expectedSeconds(now)).toBeCloseTo(msBetween(now, nextUtcMidnight(now)) / 1000, 6);
      }),
    );
  });

  test('always expects at least a quarter and at most all of the rest of the day', () => {
    fc.assert(
      fc.property(parts, time, (saved, now) => {
        const leftS = msBetween(now, nextUtcMidnight(now)) / 1000;
        const expected = new DemandProfile(saved).expectedSeconds(now);
        expect(expected).toBeGreaterThanOrEqual(leftS / 4);
        expect(expected).toBeLessThanOrEqual(leftS + 1e-9);
      }),
    );
  });

  test('counts the rest of the current hour in full, and the following hours by what it has learnt', () => {
    const saved = Array.from({ length: 24 }, (_, hour) => (hour === 23 ? 0.5 : 1));
    const now = addMs(midnight, 21.5 * HOUR_MS);
    expect(new DemandProfile(saved).expectedSeconds(now)).toBe(0.5 * 3600 + 3600 + 0.5 * 3600);
  });

  test('learns office hours within a week, and busy nights within another', () => {
    const office = (hour: number) => hour >= 8 && hour < 18;
    const learnt = lived(new DemandProfile(), 7, office).saved();
    learnt.forEach((part, hour) => {
      if (office(hour)) expect(part).toBe(1);
      else expect(part).toBeLessThan(0.15);
    });
    const always = lived(new DemandProfile(learnt), 8, () => true).saved();
    for (const part of always) expect(part).toBeGreaterThan(0.85);
  });

  test('expects half of an hour that is half viewed, whichever minutes those are', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...Array(60).keys()], { minLength: 30, maxLength: 30 }), (viewed) => {
        const profile = new DemandProfile();
        for (let day = 0; day < 30; day++) {
          for (let minute = 0; minute <= 60; minute++) {
            profile.record(addMs(midnight, day * 24 * HOUR_MS + minute * MINUTE_MS), viewed.includes(minute));
          }
        }
        expect(profile.saved()[0]).toBeCloseTo(0.5, 2);
      }),
      { numRuns: 20 },
    );
  });

  test('ignores time in which nothing was recorded', () => {
    const profile = new DemandProfile();
    let now: UpstreamInstant = midnight;
    for (let day = 0; day < 20; day++) {
      profile.record(now, false);
      now = addMs(now, 24 * HOUR_MS);
    }
    expect(profile.saved()).toEqual(Array(24).fill(1));
  });

  test('keeps what it has learnt when saved and loaded', () => {
    const learnt = lived(new DemandProfile(), 3, (hour) => hour < 12);
    const again = new DemandProfile(JSON.parse(JSON.stringify(learnt.saved())) as number[]);
    expect(again.saved()).toEqual(learnt.saved());
    expect(again.saved()).not.toEqual(new DemandProfile().saved());
  });

  test.each([[[]], [Array(23).fill(1)], [Array(24).fill(2)], [Array(24).fill(Number.NaN)], [Array(24).fill(-0.1)]])(
    'ignores invalid saved data: %j',
    (saved) => {
      expect(new DemandProfile(saved).saved()).toEqual(Array(24).fill(1));
    },
  );
});
