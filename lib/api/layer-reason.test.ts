import { expect, test } from 'vitest';
import { LIVE_REASONS, REPLAY_REASONS } from './layer-reason.ts';

const live = Object.values(LIVE_REASONS).map((reason) => reason.live);
const past = Object.values(REPLAY_REASONS).map((reason) => reason.past);

test('no text about a replay mentions live access', () => {
  expect(past.filter((text) => /\blive\b/i.test(text))).toEqual([]);
});

test('every text is a sentence fragment, and no two reasons have the same text', () => {
  for (const texts of [live, past]) {
    expect(texts.filter((text) => !/^[a-z].*[a-z]$/.test(text))).toEqual([]);
    expect(new Set(texts).size).toBe(texts.length);
  }
});
