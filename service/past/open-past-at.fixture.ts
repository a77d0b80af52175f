import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresTarget } from '../postgres/postgres-target.ts';
import { EmbeddedPast } from './files/embedded-past.ts';
import type { OpenOptions, RecordingPast } from './past-suite.fixture.ts';

/** A folder, or a database. */
export type PastAddress = string | PostgresTarget;

/** Opens the past there, as the one that records: as soon as who recorded before is known to be gone. */
export async function openPastAt(address: PastAddress, options: OpenOptions): Promise<RecordingPast> {
  if (typeof address === 'string') return EmbeddedPast.open({ folder: address, ...options });
  // A process that is killed while it starts is to be killed in our code, not while it loads a driver that it does not use.
  const { openPostgres } = await import('../postgres/open-postgres.ts');
  const { PostgresPast } = await import('./postgres/postgres-past.ts');
  const postgres = await openPostgres(address, { makes: true, log: options.log });
  const past = await PostgresPast.open({ postgres, ...options });
  const onLost = () => options.log('another one records');
  while (!(await past.record(onLost))) await delay(10);
  return {
    append: (observations) => past.append(observations),
    flush: () => past.flush(),
    history: (...asked) => past.history(...asked),
    historyTimes: (...asked) => past.historyTimes(...asked),
    oldestAt: () => past.oldestAt(),
    keptSince: () => past.keptSince(),
    state: () => past.state(),
    maintain: () => past.maintain(),
    async close() {
      await past.close();
      await postgres.close();
    },
  };
}
