import type { UpstreamInstant } from '../time/instant.ts';

/** Reception as the upstream reports it. An upstream that reports none is neither good nor bad. */
export interface Reception {
  readonly state: 'ok' | 'partly' | 'lost' | 'none';
  readonly since: UpstreamInstant | undefined;
  /** How many receivers could deliver the layer. */
  readonly receivers: number;
  /** How many receivers deliver now. */
  readonly receiving: number;
}

/** A time with one state of reception, from `from` up to and without `to`. */
export interface ReceptionStretch {
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: Reception['state'];
}
