import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { countStart } from '../../scripts/test/costs.ts';
import { startChild } from './child-process.ts';

export interface RunningApp {
  readonly url: string;
  readonly pid: number;
  stderr(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** A start takes seconds. One that takes longer than this, on any machine, will not end. */
const START_MAX_MS = 180_000;

export interface AppStart {
  /** A program with arguments that becomes the app. */
  readonly within?: readonly string[];
  /** Cuts clients that read nothing for so long. Default: half a minute. */
  readonly stallMs?: number | undefined;
  /** After how long a start is given up; three minutes otherwise. */
  readonly startMaxMs?: number;
}

/** Starts the built app on a free loopback port, or on HOST and PORT. @throws Error with its log if it exits, or is never ready */
export function startApp(settings: Readonly<Record<string, string>>, options: AppStart = {}): Promise<RunningApp> {
  return countStart('app', () => startUncounted(settings, options));
}

async function startUncounted(
  settings: Readonly<Record<string, string>>,
  { within = [], stallMs, startMaxMs = START_MAX_MS }: AppStart,
): Promise<RunningApp> {
  const port = settings.PORT === undefined ? await freePort() : Number(settings.PORT);
  const child = startChild(
    ['scripts/app-server.ts', ...(stallMs === undefined ? [] : ['--stall-ms', String(stallMs)])],
    { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...settings },
    ['ignore', 'ignore', 'pipe', 'ipc'],
    within,
  );
  // A program that cannot be run also rejects `once`.
  child.exited.catch(() => undefined);
  const ready = new AbortController();
  const { signal } = ready;
  try {
    await Promise.race([
      once(child.process, 'message', { signal }),
      once(child.process, 'exit', { signal }).then(async ([code]) => {
        // Its last lines may still be on their way. A process that it started may hold the pipe open.
        await Promise.race([child.exited, delay(1000, undefined, { signal })]);
        throw new Error(`the app ended with ${code}:\n${child.stderr()}`);
      }),
      delay(startMaxMs, undefined, { signal }).then(() => {
        child.process.kill('SIGKILL');
        throw new Error(`the app was not ready after ${startMaxMs} ms:\n${child.stderr()}`);
      }),
    ]);
  } finally {
    ready.abort();
  }
  return {
    pid: child.process.pid as number,
    url: `http://${settings.HOST ?? '127.0.0.1'}:${port}`,
    stderr: child.stderr,
    stop: child.stop,
    async kill() {
      child.process.kill('SIGKILL');
      await child.exited;
    },
  };
}
