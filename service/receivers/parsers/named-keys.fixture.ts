import { upstreamInstant } from '#lib/time/instant.ts';
import type { KeyOf, TrackKey } from '../fix.ts';
import { EPOCH_S } from './readsb-row.fixture.ts';

/** Keys that say what was digested, for tests that ask. */
export const namedKeyOf: KeyOf = (layer, name) => `${layer} ${name}` as TrackKey;

/** `seconds` after the moment at which the samples were received. */
export function at(seconds: number) {
  return upstreamInstant((EPOCH_S + seconds) * 1000);
}
