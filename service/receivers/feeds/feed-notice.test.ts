import { describe, expect, test } from 'vitest';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { FeedNotice } from './feed-notice.ts';
import { START } from './test-surroundings.fixture.ts';

const NOTHING = { fixes: [], feedClockMs: undefined };
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
    const notice = new FeedNotice();
    for (let n = 0; n < 3; n += 1) {
      expect(notice.text(START)).toBeUndefined();
      notice.note(message, NOTHING, false, START);
    }
    expect(notice.text(START)).toContain(words);
    notice.note('{}', NOTHING, true, START);
    expect(notice.text(START)).toBeUndefined();
  });

  test('is described after ten lists of positions without an age, but not for aircraft without positions', () => {
    const [ageless, placeless] = [new FeedNotice(), new FeedNotice()];
    for (let n = 0; n < 10; n += 1) {
      const read = { fixes: [], feedClockMs: epochMs(START) + n };
      ageless.note('{"now":1,"aircraft":[{"hex":"3f0c02","lat":47.02,"lon":8}]}', read, true, START);
      placeless.note('{"now":1,"aircraft":[{"hex":"3f0c02"}]}', read, true, START);
    }
    expect(ageless.text(START)).toContain('seen_pos');
    expect(placeless.text(START)).toBeUndefined();
  });

  test('is late without a change: after 10 s if it is an hour old, else after a minute', () => {
    const late = (ageMs: number, afterMs: number, isPolled = true) => {
      const notice = new FeedNotice();
      notice.note('{}', { fixes: [], feedClockMs: epochMs(START) - ageMs }, true, START);
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
