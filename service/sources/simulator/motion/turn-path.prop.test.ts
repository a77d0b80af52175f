import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { racetrack } from './holding-pattern.ts';
import { type LocalPoint, offset } from './local-frame.ts';
import { turnPath } from './turn-path.ts';

const RADIUS_M = 1000;
const pose = fc.record({
  eastM: fc.double({ min: -20_000, max: 20_000, noNaN: true }),
  northM: fc.double({ min: -20_000, max: 20_000, noNaN: true }),
  headingDeg: fc.double({ min: 0, max: 360, noNaN: true }),
});

describe('turnPath', () => {
  it('leaves along the first heading, arrives along the second, and never turns sharply', () => {
    fc.assert(
      fc.property(pose, pose, (from, to) => {
        // Points before and after determine the headings at the ends.
        const way = [offset(from, from.headingDeg, -500, 0), from, ...turnPath(from, to, RADIUS_M)];
        const whole = withoutRepeats([...way, offset(to, to.headingDeg, 500, 0)]);
        for (let index = 2; index < whole.length; index++) {
          expect(turnDeg(whole[index - 2]!, whole[index - 1]!, whole[index]!)).toBeLessThan(16);
        }
        expect(gapM(whole.at(-2)!, to)).toBeLessThan(0.1);
      }),
    );
  });

  it('is longer than the straight line by at most a full turn at either end', () => {
    fc.assert(
      fc.property(pose, pose, (from, to) => {
        const points = [from, ...turnPath(from, to, RADIUS_M)];
        let lengthM = 0;
        for (let index = 1; index < points.length; index++) lengthM += gapM(points[index - 1]!, points[index]!);
        expect(lengthM).toBeGreaterThanOrEqual(gapM(from, to) - 0.1);
        expect(lengthM).toBeLessThan(gapM(from, to) + 4 * Math.PI * RADIUS_M);
      }),
    );
  });
});

describe('racetrack', () => {
  it('comes back to the fix on the inbound heading after every lap, without a sharp turn', () => {
    fc.assert(
      fc.property(pose, fc.integer({ min: 1, max: 4 }), (fix, laps) => {
        const points = withoutRepeats([
          offset(fix, fix.headingDeg, -500, 0),
          fix,
          ...racetrack(fix, 4000, RADIUS_M, laps),
          offset(fix, fix.headingDeg, 500, 0),
        ]);
        for (let index = 2; index < points.length; index++) {
          expect(turnDeg(points[index - 2]!, points[index - 1]!, points[index]!)).toBeLessThan(16);
        }
        expect(points.filter((point) => gapM(point, fix) < 1)).toHaveLength(laps + 1);
      }),
    );
  });
});

function gapM(a: LocalPoint, b: LocalPoint): number {
  return Math.hypot(b.eastM - a.eastM, b.northM - a.northM);
}

function withoutRepeats(points: LocalPoint[]): LocalPoint[] {
  return points.filter((point, index) => index === 0 || gapM(points[index - 1]!, point) > 0.01);
}

function turnDeg(a: LocalPoint, b: LocalPoint, c: LocalPoint): number {
  const before = Math.atan2(b.eastM - a.eastM, b.northM - a.northM);
  const after = Math.atan2(c.eastM - b.eastM, c.northM - b.northM);
  const turn = Math.abs(after - before) % (2 * Math.PI);
  return (Math.min(turn, 2 * Math.PI - turn) * 180) / Math.PI;
}
