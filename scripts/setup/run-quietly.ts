import { spawn } from 'node:child_process';

const running = new AbortController();

/** Ends the running commands, and starts no more. */
export function endQuietRuns(): void {
  running.abort();
}

/**
 * On this Node, without its output.
 * @throws Error with the remedy for a full or read-only disk, else with the output
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
  if (code === 0) return;
  const text = Buffer.concat(output).toString('utf8');
  throw new Error(diskRemedy(root, text) ?? `${what} failed:\n${text}`);
}

export function diskRemedy(root: string, output: string): string | undefined {
  const [line = ''] = output
    .split('\n')
    .filter((each) =>
      /ENOSPC|EDQUOT|EROFS|No space left on device|Read-only file system|os error (28|30)\b/.test(each),
    );
  if (line === '') return undefined;
  return /EROFS|Read-only|os error 30/.test(line)
    ? `${root} is on a read-only disk, and something has to be built there first: mount it writable, or run a release (${line.trim()}).`
    : `The disk of ${root} is full, and something has to be built there first: make room on it, 200 MB at least, and start again (${line.trim()}).`;
}
