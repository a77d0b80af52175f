import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { PostgresPast } from '../past/postgres/postgres-past.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { requireSameClock } from '../postgres/same-clock.ts';
import { machineSurroundings } from '../receivers/feeds/machine-surroundings.ts';
import { CLOCKS_DIFFER_MS, LatestObservations } from '../receivers/latest-observations.ts';
import { type ReceiversChoice, requireFeeds } from '../receivers/open-receivers.ts';
import { makeSharedSource } from '../receivers/shared-source.ts';
import { serviceNow } from '../server/start-service.ts';
import { listenToReceivers, type ServedReceivers, withUserPath } from './listen-to-receivers.ts';
import type { Kept } from './open-kept.ts';
import { howMuchIsKept } from './open-served-receivers.ts';
import type { ServeOptions } from './read-serve-options.ts';

/**
 * Positions that several services share: one of those with receivers listens to its own and records, all others serve what it records.
 * @param choice undefined: this service only serves
 * @throws Error that says what to do
 */
export async function openSharedPositions(
  choice: ReceiversChoice | undefined,
  kept: Kept & { readonly postgres: Postgres },
  options: Pick<ServeOptions, 'host' | 'pushPort' | 'proxies' | 'keepDays' | 'keepBytes'>,
  log: (entry: string) => void,
): Promise<ServedReceivers> {
  const { postgres } = kept;
  await requireSameClock(postgres, serviceNow);
  // Also of one that waits: it must not be found out when it is needed.
  if (choice) await requireFeeds(withUserPath(choice));
  if (existsSync(join(kept.path, 'past'))) {
    log(`${join(kept.path, 'past')} is not served: with --store the past is in the database.`);
  }
  const latest = new LatestObservations();
  const past = await PostgresPast.open({
    postgres,
    now: serviceNow,
    log,
    onRecorded: (observations) => latest.add(observations, serviceNow()),
    ...howMuchIsKept(options),
  });
  let pushUrl: string | undefined;
  const source = makeSharedSource({
    past,
    latest,
    listen:
      choice &&
      (async () => {
        const recorded = { past, pastState: () => past.state(), notBefore: afterWhatIsRecorded(latest) };
        const receivers = await listenToReceivers(choice, recorded, kept, options, log);
        pushUrl = receivers.pushUrl;
        log(`This service records${pushUrl === undefined ? '' : `, and stations push to ${pushUrl}`}.`);
        return receivers;
      }),
    surroundings: machineSurroundings,
    log,
  });
  const close = async () => {
    await source.close();
    await past.close();
  };
  try {
    await source.start();
  } catch (error) {
    await close();
    throw error;
  }
  if (choice === undefined && !past.isCurrent) {
    log(
      'Nobody records in this database at present: nothing is live until a service with --feeds or --receivers does.',
    );
  }
  return { source, pushUrl, close };
}

/** What another service has recorded already is not to be recorded again. */
function afterWhatIsRecorded({ latestAt }: LatestObservations): UpstreamInstant {
  const now = serviceNow();
  if (latestAt === undefined || latestAt < now) return now;
  return latestAt < addMs(now, CLOCKS_DIFFER_MS) ? addMs(latestAt, 1) : now;
}
