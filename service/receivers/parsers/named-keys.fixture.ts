import { upstreamInstant } from '#lib/time/instant.ts';
import type { KeyOf, TrackKey } from '../fix.ts';
import { EPOCH_S } from './readsb-row.fixture.ts';

export const namedKeyOf: KeyOf = (layer, name) => `${layer} ${name}` as TrackKey;

export function at(seconds: number) {
  return upstreamInstant((EPOCH_S + seconds) * 1000);
}
