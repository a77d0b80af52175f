import { expect, test } from 'vitest';
import type { Speed } from '#lib/api/address-state.ts';
import { ValueStore } from '../../value-store.ts';
import { defaultPreferences } from '../preferences.ts';
import { storeSpeed } from './store-speed.ts';

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
  const preferences = new ValueStore(defaultPreferences);
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
