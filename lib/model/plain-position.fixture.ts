import { makePosition, type Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';

export const plainPosition: Position = makePosition(
  {
    ref: 'RX-A-0000000000000001',
    kind: 'aircraft',
    observedAt: upstreamInstant(Date.UTC(2026, 10, 21, 12)),
    staleAfter: undefined,
    lon: 8.5,
    lat: 47.5,
  },
  { measure: () => undefined, label: () => undefined, flag: () => false },
);
