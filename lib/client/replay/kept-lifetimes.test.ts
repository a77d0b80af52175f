import { expect, test } from 'vitest';
import { keepLifetimes, readLifetimes } from './kept-lifetimes.ts';
import { FALLBACK_LIFETIMES_MS } from './store/replay-cursor.ts';

function storage(kept: Record<string, string> = {}) {
  return {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => {
      kept[key] = value;
    },
  };
}
const holding = (text: string) => storage({ 'lookout.lifetimes': text });

test('what was learnt is there the next time', () => {
  const kept = storage();
  keepLifetimes(kept, { aircraft: 60_000, drone: 45_000 });
  expect(readLifetimes(kept)).toEqual({ aircraft: 60_000, drone: 45_000 });
});

test('what cannot be read falls back, each kind by itself', () => {
  expect(readLifetimes(storage())).toEqual(FALLBACK_LIFETIMES_MS);
  expect(readLifetimes(holding('{'))).toEqual(FALLBACK_LIFETIMES_MS);
  expect(readLifetimes(holding('{"aircraft":"long","drone":45000}'))).toEqual({
    ...FALLBACK_LIFETIMES_MS,
    drone: 45_000,
  });
  expect(readLifetimes(holding('{"aircraft":-1,"drone":0}'))).toEqual(FALLBACK_LIFETIMES_MS);
});

test('a browser that keeps nothing is no reason to stop', () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('the storage is full');
    },
  };
  expect(() => keepLifetimes(full, FALLBACK_LIFETIMES_MS)).not.toThrow();
});
