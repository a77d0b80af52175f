import { expect, test } from 'vitest';
import { BrowserStorage } from '../browser/storage.ts';
import { StoredTexts } from '../browser/stored.fixture.ts';
import { readTtl, saveTtl } from './saved-ttl.ts';
import { FALLBACK_TTL_MS } from './store/replay-cursor.ts';

function storage(kept: Record<string, string> = {}) {
  const texts = new StoredTexts(Object.entries(kept));
  return new BrowserStorage(() => texts);
}
const holding = (text: string) => storage({ 'lookout.time-to-live': text });

test('saved times to live are read back', () => {
  const kept = storage();
  saveTtl(kept, { aircraft: 60_000, drone: 45_000 });
  expect(readTtl(kept)).toEqual({ aircraft: 60_000, drone: 45_000 });
});

test('unreadable values fall back, each kind separately', () => {
  expect(readTtl(storage())).toEqual(FALLBACK_TTL_MS);
  expect(readTtl(holding('{'))).toEqual(FALLBACK_TTL_MS);
  expect(readTtl(holding('{"aircraft":"long","drone":45000}'))).toEqual({
    ...FALLBACK_TTL_MS,
    drone: 45_000,
  });
  expect(readTtl(holding('{"aircraft":-1,"drone":0}'))).toEqual(FALLBACK_TTL_MS);
});
