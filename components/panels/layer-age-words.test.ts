import { describe, expect, it } from 'vitest';
import type { LayerStatus } from '#lib/client/display-summary.ts';
import { layerAgeWords } from './layer-age-words.ts';

const nowMs = Date.UTC(2026, 10, 21, 11, 4, 30);

function status(change: Partial<LayerStatus>): LayerStatus {
  return {
    layer: 'rid',
    on: true,
    state: 'fresh',
    reason: undefined,
    fetchedAtMs: nowMs - 3000,
    failingSinceMs: undefined,
    untilMs: undefined,
    partial: false,
    unreadable: 0,
    counts: { current: { real: 0, simulated: 0, test: 0 }, coasted: { real: 0, simulated: 0, test: 0 } },
    ...change,
  };
}

describe('layerAgeWords', () => {
  it('gives the bare age only while the layer is fresh', () => {
    expect(layerAgeWords(status({}), nowMs)).toBe('3 s');
    expect(layerAgeWords(status({ state: 'stale', fetchedAtMs: nowMs - 41_000 }), nowMs)).toBe('41 s old');
  });

  it('names every state that a count of 0 would otherwise hide, each differently', () => {
    const unread = { fetchedAtMs: undefined };
    const words = [
      layerAgeWords(status({ on: false }), nowMs),
      layerAgeWords(status({ ...unread, state: undefined }), nowMs),
      layerAgeWords(status({ ...unread, state: 'denied' }), nowMs),
      layerAgeWords(status({ ...unread, state: 'limited' }), nowMs),
      layerAgeWords(status({ ...unread, state: 'failed' }), nowMs),
    ];
    expect(words).toEqual(['off', 'waiting', 'no access', 'paused', 'failed']);
  });

  it('keeps the age of positions that are still shown while a layer is held', () => {
    expect(layerAgeWords(status({ state: 'limited', fetchedAtMs: nowMs - 20_000 }), nowMs)).toBe('paused · 20 s old');
  });
});
