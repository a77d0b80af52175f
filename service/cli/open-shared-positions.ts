import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { confirmedDeletion } from '../data-dir/confirmed-deletion.ts';
import { PostgresPast } from '../past/postgres/postgres-past.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { requireSameClock } from '../postgres/same-clock.ts';
import { machineSurroundings } from '../receivers/feeds/machine-surroundings.ts';
import { PostgresInbox } from '../receivers/inbox/postgres-inbox.ts';
import { LatestObservations } from '../receivers/latest-observations.ts';
import type { ReceiversChoice } from '../receivers/open-feeds.ts';
import { openSharedReceivers } from '../receivers/open-shared-receivers.ts';
import { makeSharedSource } from '../receivers/shared-source.ts';
import { pastClocks, serviceNow } from '../service-now.ts';
import { type Listening, listenToReceivers, type ServedReceivers } from './listen-to-receivers.ts';
import type { Kept } from './open-kept.ts';
import { howMuchIsKept } from './open-served-receivers.ts';
import type { ServeOptions } from './read-serve-options.ts';

/**
 * Positions that several services share: those with receivers send what they hear to one of them, which records; all serve what it records.
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
  if (existsSync(join(kept.path, 'past'))) {
    log(`${join(kept.path, 'past')} is not served: with --store the past is in the database.`);
  }
  const latest = new LatestObservations();
  const past = await PostgresPast.open({
    postgres,
    ...pastClocks,
    confirmed: () => confirmedDeletion(kept.path),
    log,
    onRecorded: (observations) => latest.add(observations, serviceNow()),
    ...howMuchIsKept(options),
  });
  try {
    const served = choice
      ? await listen(choice, { past, latest }, kept, options, log)
      : await serveOnly({ past, latest }, log);
    return {
      ...served,
      async close() {
        await served.close();
        await past.close();
      },
    };
  } catch (error) {
    await past.close();
    throw error;
  }
}

interface Shared {
  readonly past: PostgresPast;
  readonly latest: LatestObservations;
}

async function listen(
  choice: ReceiversChoice,
  { past, latest }: Shared,
  kept: Kept & { readonly postgres: Postgres },
  options: Pick<ServeOptions, 'host' | 'pushPort' | 'proxies'>,
  log: (entry: string) => void,
): Promise<ServedReceivers> {
  let unfused = 0;
  const inbox = new PostgresInbox({
    postgres: kept.postgres,
    onDropped(fixes) {
      if (unfused === 0)
        log(`Nobody has recorded what was received for half a minute: ${fixes} positions are dropped.`);
      unfused += fixes;
    },
  });
  const open = (listening: Listening) =>
    openSharedReceivers({
      ...listening,
      past,
      latest,
      inbox,
      service: `${hostname()}:${process.pid}`,
      unfused: () => unfused,
    });
  const receivers = await listenToReceivers(choice, open, kept, options, log);
  if (receivers.pushUrl !== undefined) log(`Stations push to ${receivers.pushUrl}.`);
  return receivers;
}

async function serveOnly({ past, latest }: Shared, log: (entry: string) => void): Promise<ServedReceivers> {
  const source = makeSharedSource({ past, latest, fuse: undefined, surroundings: machineSurroundings, log });
  await source.start();
  if (!past.isCurrent) {
    log(
      'Nobody records in this database at present: nothing is live until a service with --feeds or --receivers does.',
    );
  }
  return { source, pushUrl: undefined, close: source.close };
}
