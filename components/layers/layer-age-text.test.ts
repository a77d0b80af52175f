import { describe, expect, it } from 'vitest';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { layerAgeText } from './layer-age-text.ts';

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

describe('layerAgeText', () => {
  it('gives the bare age only while the layer is fresh', () => {
    expect(layerAgeText(status({}), nowMs)).toBe('3 s');
    expect(layerAgeText(status({ state: 'stale', fetchedAtMs: nowMs - 41_000 }), nowMs)).toBe('41 s old');
  });

  it('names every state that a count of 0 would otherwise hide, each differently', () => {
    const unread = { fetchedAtMs: undefined };
    const words = [
      layerAgeText(status({ on: false }), nowMs),
      layerAgeText(status({ ...unread, state: undefined }), nowMs),
      layerAgeText(status({ ...unread, state: 'denied' }), nowMs),
      layerAgeText(status({ ...unread, state: 'limited' }), nowMs),
      layerAgeText(status({ ...unread, state: 'failed' }), nowMs),
    ];
    expect(words).toEqual(['off', 'waiting', 'no access', 'paused', 'failed']);
  });

  it('keeps the age of positions that are still shown while a layer is held', () => {
    expect(layerAgeText(status({ state: 'limited', fetchedAtMs: nowMs - 20_000 }), nowMs)).toBe('paused · 20 s old');
  });
});
