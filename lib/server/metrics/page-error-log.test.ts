import { beforeEach, expect, test } from 'vitest';
import type { PageError } from '#lib/api/page-error.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { counts } from '../allowance/counts.ts';
import { PAGE_ERROR_LIMITS, PageErrorLog } from './page-error-log.ts';

let lines: { readonly details: object; readonly message: string }[];
let nowMs: number;
let log: PageErrorLog;

beforeEach(() => {
  lines = [];
  nowMs = 0;
  log = new PageErrorLog(
    (details, message) => lines.push({ details, message }),
    () => nowMs,
  );
  Object.assign(counts().pageErrors.answer, { logged: 0, repeated: 0, dropped: 0 });
});

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
const error = (n: number): PageError => ({ kind: 'answer', message: `error ${letters(n)}`, at: null });
const sender = (session: string | undefined) => ({ session, operator: 'al', userAgent: CHROME });

test('a line has what a defect depends on, and nothing that a page could have put into it', () => {
  log.report({ kind: 'answer', message: 'bad\n{"level":"fatal"} at 46.9,8.2 “Hangar”', at: 'a.js:1:2' }, sender('s'));
  expect(lines).toEqual([
    {
      details: { kind: 'answer', error: 'bad', at: 'a.js:1:2', operator: 'al', engine: 'Blink, Chrome 142' },
      message: 'a page reported an error of its own',
    },
  ]);
});

test('one session writes a few lines a minute, however many errors it has', () => {
  for (let n = 0; n < 10_000; n++) log.report(error(n), sender('s'));
  expect(lines).toHaveLength(PAGE_ERROR_LIMITS.perSessionAMinute);
  expect(counts().pageErrors.answer).toEqual({
    logged: PAGE_ERROR_LIMITS.perSessionAMinute,
    repeated: 0,
    dropped: 10_000 - PAGE_ERROR_LIMITS.perSessionAMinute,
  });
  nowMs += MINUTE_MS;
  log.report(error(10_001), sender('s'));
  expect(lines.slice(-2).map(({ message }) => message)).toEqual([
    'further errors of pages were counted, not logged',
    'a page reported an error of its own',
  ]);
});

test('distinct errors of twenty sessions for two days stay within the minute and the day', () => {
  let n = 0;
  for (let minute = 0; minute < 2880; minute++) {
    const before = lines.length;
    for (let session = 0; session < 20; session++)
      for (let times = 0; times < 6; times++) log.report(error(n++), sender(`s${session}`));
    expect(lines.length - before).toBeLessThanOrEqual(PAGE_ERROR_LIMITS.perMinute + 1);
    nowMs += MINUTE_MS;
  }
  const reported = lines.filter(({ message }) => message === 'a page reported an error of its own');
  expect(reported).toHaveLength(2 * PAGE_ERROR_LIMITS.perDay);
  const { logged, dropped } = counts().pageErrors.answer;
  expect(logged + dropped).toBe(n);
});

test('the same error of many pages is one line a minute', () => {
  for (let session = 0; session < 20; session++) log.report(error(1), sender(`s${session}`));
  expect(lines).toHaveLength(1);
  expect(counts().pageErrors.answer).toEqual({ logged: 1, repeated: 19, dropped: 0 });
});
