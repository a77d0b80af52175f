import 'server-only';
import type { Logger } from 'pino';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { SteadyClock } from '#lib/time/steady-clock.ts';
import type { Database } from '../database/database.ts';
import type { Config } from '../settings/config.ts';
import type { Supervisor } from '../supervision/supervisor.ts';

/** The base of all parts of the process. `compose.ts` makes it before them. */
export interface ProcessBase {
  readonly config: Config;
  readonly log: Logger;
  /** A clock that is never set, for durations: `SteadyClock`. */
  readonly now: () => LocalInstant;
  /** For times that are kept, shown or shared. Never compare it with `now`. */
  readonly wallNow: () => LocalInstant;
  readonly clock: Pick<SteadyClock, 'onStep' | 'steps' | 'lastStep'>;
  readonly database: Database;
  readonly supervisor: Supervisor;
}
