import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_STATES, minuteRuns } from './minutes.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10, 4));
const known = fc.array(fc.constantFrom(...MINUTE_STATES), { maxLength: 60 });
const lengthMs = fc.integer({ min: 1, max: 3_600_000 });

test('runs cover the window without gaps, give each minute its state, and neighbours differ', () => {
  fc.assert(
    fc.property(known, lengthMs, (minutes, length) => {
      const window = { start, end: addMs(start, length) };
      const runs = minuteRuns(minutes, window);
      expect(runs[0]?.startMs).toBe(window.start);
      expect(runs.at(-1)?.endMs).toBe(window.end);
      for (const [index, run] of runs.entries()) {
        const next = runs[index + 1];
        if (!next) continue;
        expect(next.startMs).toBe(run.endMs);
        expect(next.state).not.toBe(run.state);
      }
      for (let minute = 0; minute * 60_000 < length; minute++) {
        const at = epochMs(start) + minute * 60_000;
        const run = runs.find(({ startMs, endMs }) => startMs <= at && at < endMs);
        expect(run?.state).toBe(minutes[minute] ?? 'not-requested');
      }
    }),
  );
});
