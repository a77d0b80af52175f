import { describe, expect, test } from 'vitest';
import { addMs, epochMs } from '#lib/time/instant.ts';
import type { Fix, RefusalCause } from '../fix.ts';
import { AIRCRAFT_JSON_WORDS } from './aircraft-kinds.ts';
import { FeedNotice } from './feed-notice.ts';
import { START } from './test-surroundings.fixture.ts';

const NOTHING = { fixes: [], feedClockMs: undefined, refused: {} };
const bytes = (...values: number[]) => new Uint8Array(values);

describe('faulty data of a feed', () => {
  test.each([
    ['<!DOCTYPE html><title>tar1090</title>', 'a web page'],
    ['\n<html><form><input type="password"></form>', 'a sign-in page'],
    ['<?xml version="1.0"?><kml></kml>', 'XML'],
    ['', 'empty'],
    ['  \n', 'empty'],
    [bytes(0x1f, 0x8b, 8, 0), 'gzip that cannot be unpacked'],
    [bytes(0x1a, 0x33, 0, 0), 'Beast'],
    [bytes(0x8b, 0xff, 0, 3), 'not text'],
    ['[{"hex":"3f0c03","lat":47}]', 'a list of an old dump1090'],
    ['[1,2]', 'a JSON list without aircraft'],
    ['{"now":1,"aircraft":[{"hex":"3f', 'damaged or cut'],
    ['{"aircraft":[]}', '"now" is missing'],
    ['{"version":"3.14","refresh":1000}', 'something else'],
    ['MSG,3,1,1,3F0C03,1,2026/11/26', 'SBS lines'],
    ['*8D3F0C0358C382D690C8AC2863A7;', 'raw messages (AVR)'],
    ['HTTP/1.1 400 Bad Request', 'http://'],
    ['nonsense', 'text that is not JSON'],
  ])('is described after three answers: %j', (message, words) => {
    const notice = new FeedNotice(AIRCRAFT_JSON_WORDS);
    for (let n = 0; n < 3; n += 1) {
      expect(notice.text(START)).toBeUndefined();
      notice.note(message, NOTHING, false, START);
    }
    expect(notice.text(START)).toContain(words);
    notice.note('{}', NOTHING, true, START);
    expect(notice.text(START)).toBeUndefined();
  });

  test('is named by the cause that was counted most since the last position, after ten messages and 15 s', () => {
    const notice = new FeedNotice(AIRCRAFT_JSON_WORDS);
    const note = (atS: number, refused: Partial<Record<RefusalCause, number>>, fixes: Fix[] = []) =>
      notice.note('{}', { fixes, feedClockMs: epochMs(START) + atS, refused }, true, addMs(START, atS * 1000));
    const textAt = (atS: number) => notice.text(addMs(START, atS * 1000));
    for (let atS = 0; atS < 20; atS++) note(atS, { no_age: 3 });
    expect([textAt(14), textAt(15)]).toEqual([
      undefined,
      expect.stringMatching(/^its aircraft have no usable "seen_pos"/),
    ]);
    for (let atS = 20; atS < 60; atS++) note(atS, { obstacle: 30 });
    expect(textAt(60)).toBe('mostly: it hears fixed obstacles only');
    note(60, {}, [{} as Fix]);
    for (let atS = 61; atS < 90; atS++) note(atS, {});
    expect(textAt(90)).toBeUndefined();
  });

  test('is late without a change: after 10 s if it is an hour old, else after a minute', () => {
    const late = (ageMs: number, afterMs: number, isPolled = true) => {
      const notice = new FeedNotice(AIRCRAFT_JSON_WORDS);
      notice.note('{}', { ...NOTHING, feedClockMs: epochMs(START) - ageMs }, true, START);
      if (isPolled) notice.repeated();
      return notice.text(addMs(START, afterMs));
    };
    expect(late(3_600_000, 9_000)).toBeUndefined();
    expect(late(3_600_000, 10_000)).toContain('late: by its clock it was written at 2026-11-23T11:00:00.000Z');
    expect(late(0, 59_000)).toBeUndefined();
    expect(late(0, 60_000)).toContain('late');
    expect(late(0, 60_000, false)).toBeUndefined();
  });
});
