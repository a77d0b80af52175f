import { describe, expect, it } from 'vitest';
import type { LayerStatus } from '#lib/client/display/display-summary.ts';
import { layerText } from '#lib/client/display/layer-text.ts';
import { statusNow } from './status-now.ts';

const nowMs = Date.UTC(2026, 10, 21, 11, 4, 30);
const fresh: LayerStatus = {
  layer: 'adsb',
  on: true,
  state: 'fresh',
  reason: undefined,
  fetchedAtMs: nowMs - 5000,
  failingSinceMs: undefined,
  untilMs: undefined,
  partial: false,
  unreadable: 0,
  counts: { current: { real: 3, simulated: 0, test: 0 }, coasted: { real: 0, simulated: 0, test: 0 } },
};

describe('statusNow', () => {
  it('keeps the answer’s word while answers come', () => {
    expect(statusNow(fresh, { kind: 'connected' }, nowMs)).toBe(fresh);
  });

  it('never calls a layer up to date while no answers can come', () => {
    for (const kind of ['offline', 'signed-out'] as const) {
      expect(statusNow(fresh, { kind }, nowMs).state).toBe('stale');
    }
    const lost = statusNow(fresh, { kind: 'unreachable', sinceMs: nowMs - 2000 }, nowMs);
    expect(layerText(lost, nowMs, 'utc')).toEqual({
      tone: 'warning',
      sentence: 'Aircraft: not refreshed, showing positions read 5 s ago',
    });
  });

  it('calls a layer old whose answers have silently stopped', () => {
    expect(statusNow(fresh, { kind: 'connected' }, nowMs + 120_000).state).toBe('stale');
  });

  it('leaves refusals and failures what they are', () => {
    for (const state of ['denied', 'limited', 'failed', 'waiting', 'stale', undefined] as const) {
      expect(statusNow({ ...fresh, state }, { kind: 'offline' }, nowMs).state).toBe(state);
    }
  });
});
