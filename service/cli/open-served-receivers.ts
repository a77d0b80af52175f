import { join } from 'node:path';
import { confirmedDeletion } from '../data-dir/confirmed-deletion.ts';
import { EmbeddedPast } from '../past/files/embedded-past.ts';
import { MemoryPast } from '../past/memory-past.ts';
import type { ReceiversChoice } from '../receivers/open-feeds.ts';
import { openReceivers } from '../receivers/open-receivers.ts';
import { pastClocks } from '../service-now.ts';
import { type Listening, listenToReceivers, type ServedReceivers } from './listen-to-receivers.ts';
import type { Kept } from './open-kept.ts';
import type { ServeOptions } from './read-serve-options.ts';

/**
 * Listens to receivers for a service of its own: with a data directory their past is kept there; without one the past
 * hour is in memory.
 * @throws Error that says what to do
 */
export async function openServedReceivers(
  choice: ReceiversChoice,
  kept: Pick<Kept, 'path' | 'referenceSecret'> | undefined,
  options: Pick<ServeOptions, 'host' | 'pushPort' | 'proxies' | 'keepDays' | 'keepBytes'>,
  log: (entry: string) => void,
): Promise<ServedReceivers> {
  if (!kept) {
    const past = new MemoryPast();
    return listenToReceivers(choice, (listening) => openReceivers({ ...listening, past }), kept, options, log);
  }
  const past = await EmbeddedPast.open({
    folder: join(kept.path, 'past'),
    ...pastClocks,
    confirmed: () => confirmedDeletion(kept.path),
    log,
    ...howMuchIsKept(options),
  });
  try {
    const open = (listening: Listening) => openReceivers({ ...listening, past, pastState: () => past.state() });
    const receivers = await listenToReceivers(choice, open, kept, options, log);
    const close = async () => {
      await receivers.close();
      await past.close();
    };
    return { ...receivers, close };
  } catch (error) {
    await past.close();
    throw error;
  }
}

/** As a past takes it. */
export function howMuchIsKept({ keepDays, keepBytes }: Pick<ServeOptions, 'keepDays' | 'keepBytes'>) {
  return {
    ...(keepDays === undefined ? {} : { days: keepDays }),
    ...(keepBytes === undefined ? {} : { maxBytes: keepBytes }),
  };
}
