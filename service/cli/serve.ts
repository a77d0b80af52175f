import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { startFailure } from '../data-dir/start-failure.ts';
import { type ServiceOptions, startService } from '../server/start-service.ts';
import { machineClock, serviceNow } from '../service-now.ts';
import type { Source } from '../sources/observation.ts';
import { openSource, type SourceChoice } from '../sources/open-source.ts';
import { openServedReceivers, type ServedReceivers } from './open-served-receivers.ts';
import { callersOfOneKey, openServiceData } from './open-service-data.ts';
import type { ServeOptions } from './read-serve-options.ts';
import { userPath } from './user-path.ts';

/** Of one address of a name, before the next is tried. Node's default of 250 ms fails every address behind a satellite. */
const ADDRESS_MS = SECOND_MS;

/**
 * Runs until SIGTERM or SIGINT, or, with `exitWithParent`, until standard input closes. Writes one line of JSON to
 * standard output when ready. Rejects if it can't start.
 */
export async function serve(options: ServeOptions): Promise<void> {
  setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);
  const watch = watchClock();
  const path = options.dataDir === undefined ? undefined : userPath(options.dataDir);
  const orExplained = (failure: unknown) => {
    throw path === undefined ? failure : startFailure(path, failure);
  };
  const kept = path === undefined ? undefined : await openServiceData(path, options, log).catch(orExplained);
  try {
    const receivers =
      options.receivers && (await openServedReceivers(options.receivers, kept, options, log).catch(orExplained));
    try {
      await serveOver(options, receivers, kept?.served ?? callersOfOneKey(options));
    } finally {
      await receivers?.close();
    }
  } finally {
    await kept?.close();
    watch.close();
  }
}

function watchClock() {
  const end = machineClock.onStep(({ ms, wallMs }) => {
    const by = `${ms < 0 ? 'back' : 'forward'} by ${(Math.abs(ms) / SECOND_MS).toFixed(1)} s`;
    log(`The clock of this machine was set ${by}, to ${new Date(wallMs).toISOString()}.`);
  });
  const timer = setInterval(serviceNow, SECOND_MS).unref();
  return {
    close() {
      clearInterval(timer);
      end();
    },
  };
}

async function serveOver(
  options: ServeOptions,
  received: ServedReceivers | undefined,
  callers: Partial<ServiceOptions>,
): Promise<void> {
  const source = received?.source ?? (await openSource(withUserPaths(options.source), serviceNow(), log));
  const service = await startService({
    source,
    host: options.host,
    port: options.port,
    prefix: options.prefix,
    control: options.control,
    log,
    ...callers,
  });

  const stopped = stopRequested(options.exitWithParent);
  const ready = {
    base_url: service.baseUrl,
    ...(callers.access === undefined ? { api_key: service.apiKey } : {}),
    ...(received?.pushUrl === undefined ? {} : { push_url: received.pushUrl }),
    ...(service.controlUrl === undefined ? {} : { control_url: service.controlUrl }),
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  if (options.announce) announceChanges(source);
  log(`stopping: ${await stopped}`);
  await service.close();
}

function withUserPaths(choice: SourceChoice): SourceChoice {
  return choice.kind === 'recording' ? { ...choice, files: choice.files.map(userPath) } : choice;
}

/** A computed source observes each track about once a second. */
const COMPUTED_EVERY_MS = SECOND_MS;

/** One line for each change. */
function announceChanges(source: Source): void {
  const announce = (layer: Layer) => process.stdout.write(`${layer}\n`);
  if (source.onChange) source.onChange(announce);
  else setInterval(() => LAYERS.forEach(announce), COMPUTED_EVERY_MS).unref();
}

/** Resolves with the reason. A second signal ends the process at once. */
function stopRequested(withParent: boolean): Promise<string> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
    if (!withParent) return;
    process.stdin.once('close', () => resolve('standard input closed'));
    process.stdin.once('error', () => resolve('standard input failed'));
    process.stdin.resume();
  });
}

function log(entry: string): void {
  process.stderr.write(`${entry}\n`);
}
