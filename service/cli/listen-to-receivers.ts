import { randomBytes } from 'node:crypto';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Past, PastState } from '../past/past.ts';
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

export interface ServedReceivers {
  readonly source: Source;
  /** Where stations send to, if something listens for them. */
  readonly pushUrl: string | undefined;
  close(): Promise<void>;
}

interface Recorded {
  readonly past: Past;
  /** How it stands, if it outlives the service. */
  readonly pastState: (() => PastState) | undefined;
  /** Default: now. */
  readonly notBefore?: UpstreamInstant;
}

/**
 * Listens to receivers and records what they receive. How they stand is told in the data directory, if there is one.
 * @throws Error that says what to do
 */
export async function listenToReceivers(
  choice: ReceiversChoice,
  { past, pastState, notBefore }: Recorded,
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
    const receivers = await openReceivers({
      choice: withUserPath(choice),
      secret: kept?.referenceSecret ?? randomBytes(32),
      past,
      pastState,
      notBefore,
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

/** Where the file of feeds is, if there is one. */
export function withUserPath(choice: ReceiversChoice): ReceiversChoice {
  return choice.kind === 'file' ? { kind: 'file', path: userPath(choice.path) } : choice;
}
