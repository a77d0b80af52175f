import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { makeTestSurroundings } from './feeds/test-surroundings.fixture.ts';
import { type FeedStatus, receiversStatus } from './receivers-status.ts';

function problemsOf(...errorsMs: readonly (number | null)[]) {
  const feeds = errorsMs.map((clock_error_ms) => ({ state: 'receiving', clock_error_ms }) as FeedStatus);
  const clocks = makeTestSurroundings().surroundings;
  return receiversStatus(feeds, { problems: [], view: undefined, past: undefined, clocks }).problems;
}

test('names this machine where all its receivers agree on another time', () => {
  expect(problemsOf(-40 * DAY_MS, -40 * DAY_MS + 900, null)).toEqual([
    'the clock of this machine is 40 days ahead of those of all its receivers: check it with timedatectl',
  ]);
  expect(problemsOf(2 * HOUR_MS, 2 * HOUR_MS)[0]).toMatch(/^the clock of this machine is 2 h behind those/);
});

test('names no side where one receiver differs, and nothing where they differ among themselves', () => {
  expect(problemsOf(-40 * DAY_MS)).toEqual([
    'the clock of the receiver is 40 days behind that of this machine: check both with timedatectl',
  ]);
  for (const errors of [[], [null], [-300, 200], [-40 * DAY_MS, 0], [-HOUR_MS, HOUR_MS], [MINUTE_MS, 3 * MINUTE_MS]])
    expect(problemsOf(...errors)).toEqual([]);
});
