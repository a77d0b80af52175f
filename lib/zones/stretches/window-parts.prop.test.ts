import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { Hours } from '../zone.ts';
import { ZoneHours } from '../zone-hours.ts';
import { windowParts, windowSums, type ZonePhase } from './window-parts.ts';

const START = Date.parse('2026-11-27T00:00:00Z');
const hour = (count: number) => START + count * HOUR_MS;

const anyHours: fc.Arbitrary<Hours> = fc.constantFrom<Hours>(
  null,
  { time_zone: 'UTC', weekly: [{ days: ['fri', 'sat'], from: '06:00', to: '09:00' }] },
  { time_zone: 'Europe/Zurich', from: '2026-11-27T04:00', to: '2026-11-28T02:00' },
);

/** Spans in order, in whole hours, with what `of` gives. */
function anySpans<Each>(of: fc.Arbitrary<Each>) {
  return fc
    .array(fc.record({ gap: fc.nat(6), long: fc.integer({ min: 1, max: 12 }), of }), { maxLength: 6 })
    .map((parts) => {
      let at = -6;
      return parts.map(({ gap, long, of: its }) => {
        const from = at + gap;
        at = from + long;
        return { fromMs: hour(from), toMs: hour(at), ...its };
      });
    });
}
const anyPhases: fc.Arbitrary<readonly ZonePhase[]> = anySpans(fc.record({ hours: anyHours, hasRules: fc.boolean() }));
const anyStretches = anySpans(
  fc.record({
    state: fc.constantFrom('watched' as const, 'partly' as const, 'not_watched' as const),
    reason: fc.constantFrom(null, 'upstream' as const, 'allowance' as const),
  }),
);
const anyWindow = fc
  .record({ from: fc.integer({ min: -6, max: 24 }), long: fc.integer({ min: 1, max: 30 }) })
  .map(({ from, long }) => ({ fromMs: hour(from), toMs: hour(from + long) }));

test('watched, not watched, outside the hours and not existing are together exactly the window', () => {
  fc.assert(
    fc.property(anyWindow, anyPhases, anyStretches, (window, phases, stretches) => {
      const parts = windowParts(window, phases, stretches);
      expect(parts[0]?.fromMs).toBe(window.fromMs);
      expect(parts.at(-1)?.toMs).toBe(window.toMs);
      parts.slice(1).forEach((part, index) => {
        expect(part.fromMs).toBe(parts[index]?.toMs);
      });
      for (const { fromMs, toMs } of parts) expect(fromMs).toBeLessThan(toMs);
      const sum = windowSums(parts).reduce((total, { ms }) => total + ms, 0);
      expect(sum).toBe(window.toMs - window.fromMs);
    }),
  );
});

test('each moment is as recorded, else as its revision and hours say, else the zone did not exist', () => {
  fc.assert(
    fc.property(anyWindow, anyPhases, anyStretches, (window, phases, stretches) => {
      const parts = windowParts(window, phases, stretches);
      for (let at = window.fromMs + HOUR_MS / 2; at < window.toMs; at += HOUR_MS) {
        const over = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => fromMs <= at && at < toMs;
        const part = parts.find(over);
        const stretch = stretches.find(over);
        const phase = phases.find(over);
        if (stretch) expect(part).toMatchObject({ state: stretch.state, reason: stretch.reason });
        else if (!phase) expect(part).toMatchObject({ state: 'absent', reason: null });
        else if (!new ZoneHours(phase.hours).isActive(at)) expect(part?.state).toBe('outside_hours');
        else expect(part).toMatchObject({ state: 'not_watched', reason: phase.hasRules ? 'no_record' : 'no_rule' });
      }
    }),
  );
});

test('a window without a zone is absent as a whole', () => {
  expect(windowSums(windowParts({ fromMs: 0, toMs: 10 }, [], []))).toEqual([{ state: 'absent', reason: null, ms: 10 }]);
});
