import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { readSpan, spanText } from './span-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 14, 30));
const at = (day: number, hour: number, minute: number) => Date.UTC(2026, 10, day, hour, minute);

test('reads two times as the last such span, and a day before them', () => {
  for (const text of ['14:05–14:20', '14:05-14:20', '1405 - 1420', '14:05Z to 14:20Z', ' 14:05..14:20 ']) {
    expect(readSpan(text, now).window).toEqual({ start: at(21, 14, 5), end: at(21, 14, 20) });
  }
  expect(readSpan('20:05–20:20', now).window).toEqual({ start: at(20, 20, 5), end: at(20, 20, 20) });
  expect(readSpan('23:50–00:10', now).window).toEqual({ start: at(20, 23, 50), end: at(21, 0, 10) });
  expect(readSpan('2026-11-19 14:05–14:20', now).window).toEqual({ start: at(19, 14, 5), end: at(19, 14, 20) });
});

test('says what to write', () => {
  for (const text of ['', 'noon', '14:05', '14:05–']) expect(readSpan(text, now).problem).toMatch(/14:05–14:20/);
  expect(readSpan('2026-11-22 14:05–14:20', now).problem).toMatch(/future/);
  expect(readSpan('14:05–14:05', now).problem).toMatch(/same/);
});

test('writes what it reads', () => {
  for (const text of ['14:05–14:20Z', '2026-11-20 23:50–00:10Z']) {
    const { window } = readSpan(text, now);
    expect(window && spanText(window, now)).toBe(text);
  }
});
