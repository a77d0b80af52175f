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

/** Starts the built app on a free loopback port, or on HOST and PORT. @throws Error with its log if it exits instead */
export async function startApp(
  settings: Readonly<Record<string, string>>,
  within: readonly string[] = [],
): Promise<RunningApp> {
  const port = settings.PORT === undefined ? await freePort() : Number(settings.PORT);
  const child = startChild(
    ['scripts/app-server.ts'],
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
