import { once } from 'node:events';
import { freePort } from '#testing/free-port.ts';
import { startChild } from './child-process.ts';

export interface RunningApp {
  readonly url: string;
  readonly pid: number;
  stderr(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface AppStart {
  /** A program with arguments that becomes the app. */
  readonly within?: readonly string[];
  /** Cuts clients that read nothing for so long. Default: half a minute. */
  readonly stallMs?: number | undefined;
}

/** On a free loopback port, or on HOST and PORT. @throws Error with its log if it exits */
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
