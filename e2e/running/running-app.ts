import { once } from 'node:events';
import { freePort } from '#testing/free-port.ts';
import { startChild } from './child-process.ts';

export interface RunningApp {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** Everything it has logged so far. */
  stderr(): string;
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

export interface AppStart {
  /** A program with its first arguments that becomes the app. */
  readonly within?: readonly string[];
  /** After how long a client that takes nothing of an answer is cut; half a minute otherwise. */
  readonly stallMs?: number | undefined;
}

/** Starts the built app on a free loopback port, or on HOST and PORT. @throws Error with its log if it exits instead */
export async function startApp(
  settings: Readonly<Record<string, string>>,
  { within = [], stallMs }: AppStart = {},
): Promise<RunningApp> {
  const port = settings.PORT === undefined ? await freePort() : Number(settings.PORT);
  const child = startChild(
    ['scripts/app-server.ts', ...(stallMs === undefined ? [] : ['--stall-ms', String(stallMs)])],
    { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...settings },
    ['ignore', 'ignore', 'pipe', 'ipc'],
    within,
  );
  await Promise.race([
    once(child.process, 'message'),
    child.exited.then((code) => Promise.reject(new Error(`the app ended with ${code}:\n${child.stderr()}`))),
  ]);
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
