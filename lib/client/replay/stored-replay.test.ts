import { expect, test } from 'vitest';
import type { Speed } from '#lib/api/address-state.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { BrowserStorage } from '../browser/storage.ts';
import { StoredTexts } from '../browser/stored.fixture.ts';
import { StoredPreferences } from '../page/preferences.ts';
import { replayLayer } from './replay-layer.fixture.ts';
import type { ReplaySummary } from './replay-summary.ts';
import { storedLoad, storeLoad, storeSpeed } from './stored-replay.ts';

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

test('remembers a speed that is chosen in a replay, and none that a replay is opened with', () => {
  const listeners = new Set<() => void>();
  const replay = {
    session: undefined as { playback: { speed: Speed } } | undefined,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (session: typeof replay.session) => {
    replay.session = session;
    for (const listener of listeners) listener();
  };
  const storage = new BrowserStorage(() => new StoredTexts());
  const preferences = new StoredPreferences({ local: storage, session: storage }, undefined);
  const stop = storeSpeed(replay as unknown as Parameters<typeof storeSpeed>[0], preferences);
  const linked = { playback: { speed: 30 as Speed } };
  change(linked);
  change(linked);
  expect(preferences.get().replaySpeed).toBe(1);
  linked.playback = { speed: 4 };
  change(linked);
  expect(preferences.get().replaySpeed).toBe(4);
  change(undefined);
  change({ playback: { speed: 120 } });
  expect(preferences.get().replaySpeed).toBe(4);
  stop();
  expect(listeners.size).toBe(0);
});
