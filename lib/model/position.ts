import { z } from 'zod';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Instant } from '#lib/time/instant.ts';

/** `rid`: drone Remote ID. `adsb`: aircraft ADS-B. */
export { LAYERS, type Layer };

export const layerSchema = z.enum(LAYERS);

export type TrackKind = 'drone' | 'aircraft';

/**
 * One received position. `undefined` is "not reported", which is never 0. Angles are WGS84 degrees, lengths metres, speeds
 * metres per second; heading is clockwise from north.
 */
export interface Position {
  /** Public track reference: a rotating handle, not an identity. */
  readonly ref: string;
  readonly kind: TrackKind;
  readonly observedAt: Instant;
  readonly lon: number;
  readonly lat: number;
  /** Reported or normalised; its reference is not stated, and it is never mixed with `heightAglM`. */
  readonly altitudeM: number | undefined;
  /** Estimated metres above ground. */
  readonly heightAglM: number | undefined;
  readonly speedMps: number | undefined;
  readonly headingDeg: number | undefined;
  /** A quality label as the service gave it; any value may come. */
  readonly confidence: string | undefined;
  /** As the service gave it: not a probability. */
  readonly confidenceScore: number | undefined;
  readonly receiverCount: number | undefined;
  readonly simulated: boolean;
  readonly testBroadcast: boolean;
  /** As the service gave it; `unknown` is not an all-clear. */
  readonly emergencyState: string | undefined;
  /** When the live projection expires; `undefined` where the record carried none. */
  readonly staleAfter: Instant | undefined;
}
