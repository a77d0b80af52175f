import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from './ledger.ts';

export interface Spent {
  /** Requests for the past. */
  readonly past: number;
  /** Requests for places that nobody had looked at. */
  readonly firstViews: number;
}

/** What each operator alone has caused to be spent of the day's allowance, since midnight UTC. */
export interface SpentToday {
  /** Whether all of today is counted, or only what was spent since this process began. */
  readonly isWhole: boolean;
  /** One request more; it may take a second until all servers know it. */
  add(operator: string, spending: Spending, at: UpstreamInstant): void;
  /** By all servers. @throws SharedStoreFailure */
  read(at: UpstreamInstant): Promise<(operator: string) => Spent>;
}
