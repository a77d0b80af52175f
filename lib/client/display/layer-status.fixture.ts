import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { LayerStatus } from './display-summary.ts';

const NONE = { real: 0, simulated: 0, test: 0 };

export function freshLayer(now: UpstreamInstant): LayerStatus {
  return {
    layer: 'rid',
    on: true,
    state: 'fresh',
    reason: undefined,
    fetchedAt: addMs(now, -3000),
    failingSince: undefined,
    until: undefined,
    partial: false,
    unreadable: 0,
    reception: undefined,
    counts: { current: NONE, expired: NONE },
  };
}
