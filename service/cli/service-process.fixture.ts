import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url));

const running: ChildProcess[] = [];

/**
 * `ready` is the ready line of `serve`.
 * @param within the start of a command line that runs the rest of it
 */
export function run(args: readonly string[], environment: Record<string, string> = {}, within: readonly string[] = []) {
  const [program = '', ...rest] = [...within, process.execPath, CLI, ...args];
  const child = spawn(program, rest, {
    stdio: 'pipe',
    env: { ...process.env, SERVICE_API_KEY: '', ...environment },
  });
  running.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code, ...output }));
  const firstLine = once(createInterface(child.stdout), 'line');
  return {
    child,
    output,
    ended,
    get ready() {
      return firstLine.then(([line]) => JSON.parse(line));
    },
  };
}

export function endProcesses(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}
