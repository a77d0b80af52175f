import { expect, test } from 'vitest';
import { formatInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeTestSurroundings } from './feeds/test-surroundings.fixture.ts';
import { logChanges } from './log-changes.ts';
import type { FeedStatus } from './receivers-status.ts';

const LOST = { state: 'lost', problem: 'nothing listens there' } as const;

function running() {
  const { surroundings, move } = makeTestSurroundings();
  const { now } = surroundings;
  const lines: string[] = [];
  let hill: Partial<FeedStatus> = {};
  const read = () => {
    const at = formatInstant(now());
    const well = { id: 'hill', state: 'receiving', since: at, problem: null, deaf: null, clock_is_used: true };
    return [{ ...well, ...hill } as FeedStatus];
  };
  const end = logChanges({ read, log: (line) => lines.push(line), surroundings });
  return {
    end,
    /** @returns the lines of this time */
    pass(ms: number, is: Partial<FeedStatus>): readonly string[] {
      hill = is;
      lines.length = 0;
      for (let passed = 0; passed < ms; passed += SECOND_MS) move(SECOND_MS);
      return [...lines];
    },
  };
}

test('the log has one line when a receiver is lost, deaf or wrong in its time, and one when it is well again', () => {
  const { pass, end } = running();
  expect(pass(5 * MINUTE_MS, {})).toEqual([]);
  expect(pass(10 * MINUTE_MS, LOST)).toEqual(['hill is lost: nothing listens there']);
  expect(pass(MINUTE_MS, { state: 'connecting' })).toEqual([]);
  expect(pass(MINUTE_MS, {})).toEqual(['hill is back']);
  const deaf = { share: 0.24, since: '2026-11-24T14:00:00.000Z' };
  expect(pass(MINUTE_MS, { deaf })).toEqual(['hill is deaf: it hears 24% of what it usually does']);
  expect(pass(MINUTE_MS, { deaf: { ...deaf, share: 0.2 } })).toEqual([]);
  expect(pass(MINUTE_MS, {})).toEqual(['hill hears as usual again']);
  expect(pass(MINUTE_MS, { clock_is_used: false })).toEqual(['hill has a wrong clock: times of arrival are used']);
  end();
  expect(pass(5 * MINUTE_MS, {})).toEqual([]);
});

test('a receiver that comes and goes makes at most one line a minute, and the last one has its state', () => {
  const { pass } = running();
  const lines = Array.from({ length: 60 }, () => [...pass(5 * SECOND_MS, LOST), ...pass(5 * SECOND_MS, {})]).flat();
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.length).toBeLessThanOrEqual(11);
  const rest = pass(2 * MINUTE_MS, {});
  expect([...lines, ...rest].at(-1)).toBe('hill is back');
});
