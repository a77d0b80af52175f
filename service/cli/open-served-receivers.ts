import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { confirmedDeletions } from '../data-dir/confirmed-deletion.ts';
import { EmbeddedPast } from '../past/files/embedded-past.ts';
import { MemoryPast } from '../past/memory-past.ts';
import type { ReceiversChoice } from '../receivers/feeds/open-feeds.ts';
import { makePushDesk } from '../receivers/feeds/push-desk.ts';
import { RequestCounts } from '../receivers/feeds/request-counts.ts';
import { openReceivers } from '../receivers/open-receivers.ts';
import { ReceptionRecord } from '../receivers/reception/reception-record.ts';
import { startPushListener } from '../receivers/start-push-listener.ts';
import { StationRecord } from '../receivers/stations/station-record.ts';
import { UsualReach } from '../receivers/stations/usual-reach.ts';
import { serveStatus, statusSocketPath } from '../receivers/status-socket.ts';
import { serviceIdOf } from '../references/public-reference.ts';
import { machineSurroundings, serviceNow, steadyNow } from '../service-now.ts';
import type { Source } from '../sources/observation.ts';
import { userPath } from './read-arguments.ts';
import type { ServeOptions } from './read-serve-options.ts';

export interface ServedReceivers {
  readonly source: Source;
  readonly pushUrl: string | undefined;
  close(): Promise<void>;
}

/**
 * Opens all that receives: feeds, the listener for stations that push, the records, and the past, in memory without a
 * data directory.
 * @throws Error that says what to do
 */
export async function openServedReceivers(
  choice: ReceiversChoice,
  kept: { readonly path: string; readonly referenceSecret: Uint8Array } | undefined,
  options: Pick<ServeOptions, 'host' | 'pushPort' | 'proxies' | 'keepDays' | 'keepBytes'>,
  log: (entry: string) => void,
  secret = kept?.referenceSecret ?? randomBytes(32),
): Promise<ServedReceivers> {
  const { host, pushPort, proxies } = options;
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  const pushDesk = pushPort === undefined ? undefined : makePushDesk();
  try {
    const keptPast = kept && (await openPast(kept.path, options, log));
    if (keptPast) closing.push(() => keptPast.close());
    const requests = kept ? await RequestCounts.open(join(kept.path, 'requests.json'), log) : RequestCounts.inMemory();
    const receivers = await openReceivers({
      choice: choice.kind === 'file' ? { kind: 'file', path: userPath(choice.path) } : choice,
      secret,
      past: keptPast ?? new MemoryPast(),
      pastState: keptPast && (() => keptPast.state()),
      stations: kept && (await StationRecord.open(join(kept.path, 'stations'), log)),
      usualReach: kept && (await UsualReach.open(join(kept.path, 'reach'), log)),
      receptionRecord: kept && (await ReceptionRecord.open(join(kept.path, 'reception'), log)),
      home: { pushDesk, requests, serviceId: serviceIdOf(secret) },
      surroundings: machineSurroundings,
      log,
    });
    closing.push(receivers.close);
    if (kept) {
      try {
        const status = await serveStatus(kept.path, receivers);
        closing.push(status.close);
      } catch (error) {
        // The failure is only logged, since receiving is worth more than the status.
        log(
          `The state of the receivers is not reported at ${statusSocketPath(kept.path)}: ${(error as Error).message}`,
        );
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

function openPast(
  path: string,
  { keepDays, keepBytes }: Pick<ServeOptions, 'keepDays' | 'keepBytes'>,
  log: (entry: string) => void,
): Promise<EmbeddedPast> {
  return EmbeddedPast.open({
    folder: join(path, 'past'),
    now: serviceNow,
    steadyNow,
    confirmed: confirmedDeletions(path, log),
    log,
    ...(keepDays === undefined ? {} : { days: keepDays }),
    ...(keepBytes === undefined ? {} : { maxBytes: keepBytes }),
  });
}
