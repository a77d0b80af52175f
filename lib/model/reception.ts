import type { UpstreamInstant } from '../time/instant.ts';

/** As the upstream reports it; one that reports none is neither good nor bad. */
export interface Reception {
  readonly state: 'ok' | 'partly' | 'lost' | 'none';
  readonly since: UpstreamInstant | undefined;
  /** How many receivers could deliver the layer. */
  readonly receivers: number;
  /** How many receivers deliver now. */
  readonly receiving: number;
}

/** From `from` up to and without `to`. */
export interface ReceptionStretch {
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: Reception['state'];
}
