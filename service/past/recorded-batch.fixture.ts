import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '../conformance/listed-source.ts';
import type { Observation } from '../sources/observation.ts';
import { trackKey } from './arbitrary-observation.fixture.ts';
import { asStored } from './stored-observation.ts';

export const FIRST_BATCH_AT = upstreamInstant(Date.UTC(2026, 10, 23, 3, 20));
const BATCH_EVERY_MS = 5000;
const BATCH_ROWS = 20;

export function batchAt(batch: number): UpstreamInstant {
  return addMs(FIRST_BATCH_AT, batch * BATCH_EVERY_MS);
}

export function observationsOf(batch: number): Observation[] {
  return Array.from({ length: BATCH_ROWS }, (_, index) =>
    asStored(
      observation({
        sourceId: trackKey(index),
        layer: index % 4 === 0 ? 'rid' : 'adsb',
        observedAt: addMs(batchAt(batch), -index * 37),
        lon: 8 + index / 10 + batch / 1e6,
        lat: 47 + index / 10 - batch / 1e6,
        altitudeM: index % 3 === 0 ? null : batch / 100,
      }),
    ),
  );
}
