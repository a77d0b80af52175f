import { expect, test } from 'vitest';
import { LIVE_REASONS, REPLAY_REASONS } from './layer-reason.ts';

const live = Object.values(LIVE_REASONS).map((reason) => reason.live);
const past = Object.values(REPLAY_REASONS).map((reason) => reason.past);

test('what is said of a replay never speaks of live access', () => {
  expect(past.filter((text) => /\blive\b/i.test(text))).toEqual([]);
});

test('every text is a part of a sentence, and no two reasons read the same', () => {
  for (const texts of [live, past]) {
    expect(texts.filter((text) => !/^[a-z].*[a-z]$/.test(text))).toEqual([]);
    expect(new Set(texts).size).toBe(texts.length);
  }
});
