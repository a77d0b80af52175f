import 'server-only';
import type { Logger } from 'pino';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { SteadyClock } from '#lib/time/steady-clock.ts';
import type { Database } from '../database/database.ts';
import type { Config } from '../settings/config.ts';

/** The objects that all parts of the runtime are made with. */
export interface Ground {
  readonly config: Config;
  readonly log: Logger;
  /** A clock that is never set, for what lasts or waits: `SteadyClock`. */
  readonly now: () => LocalInstant;
  /** The wall clock, for what is kept, shown, or shared with other servers. Never compare it with `now`. */
  readonly wallNow: () => LocalInstant;
  readonly clock: Pick<SteadyClock, 'onStep' | 'steps' | 'lastStep'>;
  readonly database: Database;
}
