import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { formOf, lastMinutes, readSpan, readWindow, spanText } from './window-form.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 5, 30));
const read = (day: string, from: string, to: string) => readWindow({ day, from, to }, now);

test('the form values of a window parse back to that window', () => {
  const second = 1000;
  const secondsAgo = fc.integer({ min: 1, max: 29 * 86_400 });
  fc.assert(
    fc.property(secondsAgo, fc.integer({ min: 1, max: 86_399 }), (ago, seconds) => {
      const from = addMs(now, -ago * second);
      const window = { start: from, end: addMs(from, seconds * second) };
      expect(readWindow(formOf(window), now)).toEqual({ window });
    }),
  );
});

describe('readWindow', () => {
  it('accepts times with and without seconds, colon and Z', () => {
    for (const from of ['10:04', '10:04:00', '1004', '10:04Z']) {
      expect(read('2026-11-21', from, '10:34').window?.start).toBe(Date.UTC(2026, 10, 21, 10, 4));
    }
  });

  it('accepts a window of nearly a day', () => {
    expect(read('2026-11-20', '00:00', '23:59').window?.end).toBe(Date.UTC(2026, 10, 20, 23, 59));
  });

  it('accepts a window across midnight', () => {
    expect(read('2026-11-20', '23:40', '00:10').window).toEqual({
      start: Date.UTC(2026, 10, 20, 23, 40),
      end: Date.UTC(2026, 10, 21, 0, 10),
    });
  });

  it('reports which field is wrong, and what is expected', () => {
    expect(read('21.11.2026', '10:04', '10:34')).toEqual({ field: 'day', problem: 'Write a day as 2026-11-21.' });
    expect(read('2026-02-31', '10:04', '10:34')).toMatchObject({ field: 'day' });
    expect(read('2026-11-21', '25:04', '10:34')).toEqual({
      field: 'from',
      problem: 'Write a time as 10:04 or 10:04:30.',
    });
    expect(read('2026-11-21', '10:04', 'noon')).toMatchObject({ field: 'to' });
    expect(read('2026-11-21', '10:04', '10:04')).toMatchObject({
      field: 'to',
      problem: expect.stringMatching(/at least a second/),
    });
    expect(read('2026-11-21', '12:06', '12:30')).toMatchObject({
      field: 'from',
      problem: expect.stringMatching(/in the future/),
    });
    expect(read('2026-10-01', '10:04', '10:30')).toMatchObject({
      field: 'day',
      problem: expect.stringMatching(/30 days/),
    });
  });
});

test('the last minutes are whole ones, so that requests within a minute get the same window', () => {
  expect(lastMinutes(15, now)).toEqual(lastMinutes(15, addMs(now, 20_000)));
  expect(lastMinutes(60, now)).toEqual({ start: Date.UTC(2026, 10, 21, 11, 5), end: Date.UTC(2026, 10, 21, 12, 5) });
});

const halfPastTwo = upstreamInstant(Date.UTC(2026, 10, 21, 14, 30));
const at = (day: number, hour: number, minute: number) => Date.UTC(2026, 10, day, hour, minute);

test('reads two times as the last such span, and a day before them', () => {
  for (const text of ['14:05–14:20', '14:05-14:20', '1405 - 1420', '14:05Z to 14:20Z', ' 14:05..14:20 ']) {
    expect(readSpan(text, halfPastTwo).window).toEqual({ start: at(21, 14, 5), end: at(21, 14, 20) });
  }
  expect(readSpan('20:05–20:20', halfPastTwo).window).toEqual({ start: at(20, 20, 5), end: at(20, 20, 20) });
  expect(readSpan('23:50–00:10', halfPastTwo).window).toEqual({ start: at(20, 23, 50), end: at(21, 0, 10) });
  expect(readSpan('2026-11-19 14:05–14:20', halfPastTwo).window).toEqual({ start: at(19, 14, 5), end: at(19, 14, 20) });
});

test('says what to write', () => {
  for (const text of ['', 'noon', '14:05', '14:05–'])
    expect(readSpan(text, halfPastTwo).problem).toMatch(/14:05–14:20/);
  expect(readSpan('2026-11-22 14:05–14:20', halfPastTwo).problem).toMatch(/future/);
  expect(readSpan('14:05–14:05', halfPastTwo).problem).toMatch(/same/);
});

test('writes what it reads', () => {
  for (const text of ['14:05–14:20Z', '2026-11-20 23:50–00:10Z']) {
    const { window } = readSpan(text, halfPastTwo);
    expect(window && spanText(window, halfPastTwo)).toBe(text);
  }
});
