import { randomBytes } from 'node:crypto';
import { machineSurroundings } from '../receivers/feeds/machine-surroundings.ts';
import { makePushDesk } from '../receivers/feeds/push-desk.ts';
import type { OpenFeedsOptions, ReceiversChoice } from '../receivers/open-feeds.ts';
import type { OpenReceivers } from '../receivers/open-receivers.ts';
import { startPushListener } from '../receivers/start-push-listener.ts';
import { serveStatus, statusSocketPath } from '../receivers/status-socket.ts';
import type { Source } from '../sources/observation.ts';
import type { Kept } from './open-kept.ts';
import type { ServeOptions } from './read-serve-options.ts';
import { userPath } from './user-path.ts';

export interface ServedReceivers {
  readonly source: Source;
  /** Where stations send to, if something listens for them. */
  readonly pushUrl: string | undefined;
  close(): Promise<void>;
}

/** What is given to whoever opens receivers. */
export type Listening = Pick<OpenFeedsOptions, 'choice' | 'secret' | 'pushDesk' | 'surroundings' | 'log'>;

/**
 * Listens to receivers, and to stations that push. How they stand is reported in the data directory, if there is one.
 * @throws Error that says what to do
 */
export async function listenToReceivers(
  choice: ReceiversChoice,
  open: (listening: Listening) => Promise<OpenReceivers>,
  kept: Pick<Kept, 'path' | 'referenceSecret'> | undefined,
  { host, pushPort, proxies }: Pick<ServeOptions, 'host' | 'pushPort' | 'proxies'>,
  log: (entry: string) => void,
): Promise<ServedReceivers> {
  // What was opened last is closed first.
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  const pushDesk = pushPort === undefined ? undefined : makePushDesk();
  try {
    const receivers = await open({
      choice: withUserPath(choice),
      secret: kept?.referenceSecret ?? randomBytes(32),
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
        log(`How the receivers stand is not reported at ${statusSocketPath(kept.path)}: ${(error as Error).message}`);
      }
    }
    const { written, countsOf } = receivers;
    const listener =
      pushDesk &&
      (await startPushListener({
        stations: pushDesk,
        written,
        countsOf,
        now: machineSurroundings.now,
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

/** Where the file of feeds is, if there is one. */
function withUserPath(choice: ReceiversChoice): ReceiversChoice {
  return choice.kind === 'file' ? { kind: 'file', path: userPath(choice.path) } : choice;
}
