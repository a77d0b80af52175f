import { describe, expect, it } from 'vitest';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { freshLayer } from '#lib/client/display/layer-status.fixture.ts';
import { layerText } from '#lib/client/display/layer-text.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { statusNow } from './use-layer-text.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 11, 4, 30));
const empty = freshLayer(now);
const fresh: LayerStatus = {
  ...empty,
  layer: 'adsb',
  fetchedAt: addMs(now, -5000),
  counts: { ...empty.counts, current: { ...empty.counts.current, real: 3 } },
};

describe('statusNow', () => {
  it('leaves a fresh layer fresh while answers come', () => {
    expect(statusNow(fresh, { kind: 'connected' }, now)).toBe(fresh);
  });

  it('never calls a layer up to date while no answers can come', () => {
    for (const kind of ['offline', 'signed-out'] as const) {
      expect(statusNow(fresh, { kind }, now).state).toBe('stale');
    }
    const lost = statusNow(fresh, { kind: 'unreachable', since: addMs(now, -2000) }, now);
    expect(layerText(lost, now, 'utc')).toEqual({
      tone: 'warning',
      sentence: 'Aircraft: not refreshed, showing positions read 5 s ago',
    });
  });

  it('calls a layer stale when answers stop without an error', () => {
    expect(statusNow(fresh, { kind: 'connected' }, addMs(now, 120_000)).state).toBe('stale');
  });

  it('leaves refusals and failures what they are', () => {
    for (const state of ['denied', 'limited', 'failed', 'waiting', 'stale', undefined] as const) {
      expect(statusNow({ ...fresh, state }, { kind: 'offline' }, now).state).toBe(state);
    }
  });
});
