import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { BrowserStorage } from '../../browser/storage.ts';
import { StoredTexts } from '../../browser/stored.fixture.ts';
import { replayLayer } from '../../replay/replay-layer.fixture.ts';
import type { ReplaySummary } from '../../replay/replay-summary.ts';
import { storedLoad, storeLoad } from './stored-load.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21));
const window = { start, end: addMs(start, 86_400_000) };
const TERMS = { choice: undefined, area: undefined, maxRequests: 100 };

function summary(loading: ReplaySummary['loading'], requestsMade: number): ReplaySummary {
  return {
    loading,
    playback: { window, cursor: start, state: 'paused', speed: 1, loop: false },
    isWaiting: false,
    area: { west: 8, south: 47, east: 9, north: 48 },
    layers: { rid: replayLayer('rid', { requestsMade }), adsb: replayLayer('adsb') },
  };
}

test('keeps what is left of an accepted price while a window loads, for that window alone', () => {
  const texts = new StoredTexts();
  const { kept } = texts;
  const storage = new BrowserStorage(() => texts);
  let shown: ReplaySummary | undefined;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const stop = storeLoad({ summary: () => shown, subscribe }, storage);
  const change = (next: ReplaySummary | undefined) => {
    shown = next;
    for (const listener of listeners) listener();
  };
  change(summary({ kind: 'loading', terms: TERMS }, 30));
  expect(storedLoad(storage, window)).toBe(70);
  expect(storedLoad(storage, { ...window, start: addMs(start, 1000) })).toBeUndefined();
  change(summary({ kind: 'refused', message: 'No answer', remedy: undefined }, 30));
  expect(storedLoad(storage, window)).toBe(70);
  change(summary({ kind: 'done', terms: TERMS }, 60));
  expect(storedLoad(storage, window)).toBeUndefined();
  change(summary({ kind: 'queued', terms: TERMS, rank: 1, running: 2 }, 0));
  expect(storedLoad(storage, window)).toBe(100);
  change(undefined);
  expect(kept.size).toBe(0);
  kept.set('lookout.window.load', '{');
  expect(storedLoad(storage, window)).toBeUndefined();
  stop();
  expect(listeners.size).toBe(0);
});
