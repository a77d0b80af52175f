import { describe, expect, it } from 'vitest';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { freshLayer } from '#lib/client/display/layer-status.fixture.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { layerAgeText } from './use-layer-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 11, 4, 30));

const status = (change: Partial<LayerStatus>): LayerStatus => ({ ...freshLayer(now), ...change });

describe('layerAgeText', () => {
  it('gives the bare age only while the layer is fresh', () => {
    expect(layerAgeText(status({}), now)).toBe('3 s');
    expect(layerAgeText(status({ state: 'stale', fetchedAt: addMs(now, -41_000) }), now)).toBe('41 s old');
  });

  it('counts the seconds until a new place is read in its turn', () => {
    const waiting = { state: 'waiting', reason: 'waits_its_turn', fetchedAt: undefined } as const;
    expect(layerAgeText(status({ ...waiting, until: addMs(now, 11_200) }), now)).toBe('in 12 s');
    expect(layerAgeText(status({ ...waiting, until: addMs(now, -1) }), now)).toBe('waiting');
  });

  it('names every state that a count of 0 would otherwise hide, each differently', () => {
    const unread = { fetchedAt: undefined };
    const texts = [
      layerAgeText(status({ on: false }), now),
      layerAgeText(status({ ...unread, state: undefined }), now),
      layerAgeText(status({ ...unread, state: 'denied' }), now),
      layerAgeText(status({ ...unread, state: 'limited' }), now),
      layerAgeText(status({ ...unread, state: 'failed' }), now),
    ];
    expect(texts).toEqual(['off', 'waiting', 'no access', 'paused', 'failed']);
  });

  it('says in a few letters that receivers are missing', () => {
    const reception = { state: 'partly', since: undefined, receivers: 3, receiving: 2 } as const;
    const lost = { state: 'stale', reason: 'receivers_lost' } as const;
    expect(layerAgeText(status({ reason: 'receivers_partly', partial: true, reception }), now)).toBe('1 of 3 down');
    expect(layerAgeText(status(lost), now)).toBe('no receiver');
    expect(layerAgeText(status({ ...lost, state: 'failed' }), now)).toBe('no receiver');
    expect(layerAgeText(status({ ...lost, partial: true }), now)).toBe('lost in part');
    expect(layerAgeText(status({ state: 'unequipped', reason: 'not_equipped' }), now)).toBe('no receiver');
  });

  it('keeps the age of positions still shown while a layer is paused', () => {
    expect(layerAgeText(status({ state: 'limited', fetchedAt: addMs(now, -20_000) }), now)).toBe('paused · 20 s old');
  });
});
