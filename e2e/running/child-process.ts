import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const STOP_MS = 12_000;

/** As scripts/bootstrap.mjs sets it. */
export const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/node-compile');

export interface RunningChild {
  readonly process: ChildProcess;
  stderr(): string;
  /** `null` if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** SIGTERM, and SIGKILL after 12 s. */
  stop(): Promise<void>;
}

/**
 * Inherits only PATH and HOME.
 * @param within a program with arguments that becomes the named one
 */
export function startChild(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdio: SpawnOptions['stdio'],
  within: readonly string[] = [],
): RunningChild {
  const [program = process.execPath, ...all] = [...within, process.execPath, ...args];
  const child = spawn(program, all, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...environment,
    },
    stdio,
  });
  const chunks: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return {
    process: child,
    stderr: () => Buffer.concat(chunks).toString('utf8'),
    exited,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(killTimer);
    },
  };
}
