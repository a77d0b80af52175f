import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EmbeddedPast } from '../past/embedded-past.ts';
import { MemoryPast } from '../past/memory-past.ts';
import { machineSurroundings } from '../receivers/feeds/machine-surroundings.ts';
import { makePushDesk } from '../receivers/feeds/push-desk.ts';
import { openReceivers, type ReceiversChoice } from '../receivers/open-receivers.ts';
import { startPushListener } from '../receivers/start-push-listener.ts';
import { serveStatus, statusSocketPath } from '../receivers/status-socket.ts';
import { serviceNow } from '../server/start-service.ts';
import type { Source } from '../sources/observation.ts';
import type { Kept } from './open-kept.ts';
import type { ServeOptions } from './read-serve-options.ts';
import { userPath } from './user-path.ts';

interface ServedReceivers {
  readonly source: Source;
  /** Where stations send to, if something listens for them. */
  readonly pushUrl: string | undefined;
  close(): Promise<void>;
}

/**
 * Listens to receivers for a service: with a data directory their past is kept there, and there it is told how they
 * stand; without one the past hour is in memory.
 * @throws Error that says what to do
 */
export async function openServedReceivers(
  choice: ReceiversChoice,
  kept: Pick<Kept, 'path' | 'referenceSecret'> | undefined,
  {
    host,
    pushPort,
    proxies,
    keepDays,
    keepBytes,
  }: Pick<ServeOptions, 'host' | 'pushPort' | 'proxies' | 'keepDays' | 'keepBytes'>,
  log: (entry: string) => void,
): Promise<ServedReceivers> {
  const past =
    kept &&
    (await EmbeddedPast.open({
      folder: join(kept.path, 'past'),
      now: serviceNow,
      log,
      ...(keepDays === undefined ? {} : { days: keepDays }),
      ...(keepBytes === undefined ? {} : { maxBytes: keepBytes }),
    }));
  // What was opened last is closed first.
  const closing: (() => Promise<void>)[] = past ? [() => past.close()] : [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  const pushDesk = pushPort === undefined ? undefined : makePushDesk();
  try {
    const receivers = await openReceivers({
      choice: choice.kind === 'file' ? { kind: 'file', path: userPath(choice.path) } : choice,
      secret: kept?.referenceSecret ?? randomBytes(32),
      past: past ?? new MemoryPast(),
      pastState: past && (() => past.state()),
      pushDesk,
      surroundings: machineSurroundings,
      log,
    });
    closing.push(receivers.close);
    if (kept) {
      try {
        const status = await serveStatus(kept.path, receivers.status);
        closing.push(status.close);
      } catch (error) {
        // What is received is worth more than a word about it.
        log(`How the receivers stand is not told at ${statusSocketPath(kept.path)}: ${(error as Error).message}`);
      }
    }
    const { written, feedState } = receivers.received;
    const listener =
      pushDesk &&
      (await startPushListener({
        stations: pushDesk,
        written,
        countsOf: (station) => feedState(station)?.counts,
        now: serviceNow,
        host,
        port: pushPort,
        proxies,
        log,
      }));
    if (listener) closing.push(listener.close);
    return { source: receivers.source, pushUrl: listener?.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
