import { once } from 'node:events';
import { freePort } from '#testing/free-port.ts';
import { startChild } from './child-process.ts';

export interface RunningApp {
  /** Without a trailing slash. */
  readonly url: string;
  /** Everything it has logged so far. */
  stderr(): string;
  stop(): Promise<void>;
}

/** Starts the built app on a free loopback port. @throws Error with its log if it exits instead */
export async function startApp(settings: Readonly<Record<string, string>>): Promise<RunningApp> {
  const port = await freePort();
  const child = startChild(
    ['scripts/app-server.ts'],
    { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'warn', ...settings },
    ['ignore', 'ignore', 'pipe', 'ipc'],
  );
  await Promise.race([
    once(child.process, 'message'),
    child.exited.then((code) => Promise.reject(new Error(`the app ended with ${code}:\n${child.stderr()}`))),
  ]);
  return { url: `http://127.0.0.1:${port}`, stderr: child.stderr, stop: child.stop };
}
