import type { UpstreamInstant } from '../time/instant.ts';

/** As the upstream reports it; one that reports none is neither good nor bad. */
export interface Reception {
  readonly state: 'ok' | 'partly' | 'lost' | 'none';
  readonly since: UpstreamInstant | undefined;
  /** That could deliver. */
  readonly receivers: number;
  /** That deliver now. */
  readonly receiving: number;
}

/** Half-open. */
export interface ReceptionStretch {
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: Reception['state'];
}
