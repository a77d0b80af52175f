import 'server-only';
import type { AreaReads } from '../live/area-reads.ts';
import { OverviewAnswers } from '../overview/overview-answers.ts';
import { OverviewStore } from '../overview/overview-store.ts';
import { OverviewTally } from '../overview/overview-tally.ts';
import type { ProcessBase } from './process-base.ts';
import type { UpstreamRuntime } from './upstream-runtime.ts';

/** Received positions and watched time, by place and hour. */
export interface OverviewRuntime {
  readonly overview: OverviewAnswers;
  /** Writes what was counted. To be called before the database closes. */
  close(): Promise<void>;
}

export function overviewRuntime(
  { database, supervisor }: Pick<ProcessBase, 'database' | 'supervisor'>,
  reads: AreaReads,
  { clock, lease }: UpstreamRuntime,
): OverviewRuntime {
  const now = () => clock.now();
  const store = new OverviewStore(database);
  const tally = new OverviewTally({ store, lease, reads, now, part: supervisor.part('overview') });
  return { overview: new OverviewAnswers(store, now), close: () => tally.close() };
}
