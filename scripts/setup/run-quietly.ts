import { spawn } from 'node:child_process';

const running = new AbortController();

/** Ends the programs that are running, and starts no more. */
export function endQuietRuns(): void {
  running.abort();
}

/**
 * Runs a program on this Node and hides its output.
 * @throws Error with the output if the exit code is not 0
 */
export async function runQuietly(
  root: string,
  what: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: running.signal,
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${what} failed:\n${Buffer.concat(output).toString('utf8')}`);
}
