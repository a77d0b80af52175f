import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { COMPILE_CACHE, ROOT } from './child-process.ts';

/** In its own process group, as in a terminal. */
export interface StartedCommand {
  readonly pid: number;
  readonly url: string;
  readonly processes: readonly StartedProcess[];
  /** Of the first process: the exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  output(): string;
}

export interface StartedProcess {
  readonly pid: number;
  readonly command: string;
}

/** Waits until it answers. @throws Error with its output if it ends */
export async function startCommand(command: readonly [string, ...string[]]): Promise<StartedCommand> {
  const port = await freePort();
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'lookout-command-')),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString('utf8');
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  await Promise.race([
    new Promise<void>((resolve) => {
      const check = () => output().includes('Lookout is at') && resolve();
      child.stdout.on('data', check);
    }),
    exited.then((code) => Promise.reject(new Error(`it ended with ${code}:\n${output()}`))),
  ]);
  const pid = child.pid as number;
  return { pid, url: `http://127.0.0.1:${port}`, processes: processesFrom(pid), exited, output };
}

export function isRunning({ pid, command }: StartedProcess): boolean {
  return commandOf(pid) === command;
}

function processesFrom(first: number): readonly StartedProcess[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : undefined;
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const found = [first];
  for (const parent of found) for (const [pid, itsParent] of parents) if (itsParent === parent) found.push(pid);
  return found.map((pid) => ({ pid, command: commandOf(pid) }));
}

function parentOf(pid: number): number | undefined {
  // The second field is a name in brackets, which may contain anything.
  const [, fields = ''] = read(`/proc/${pid}/stat`).split(/\) (?!.*\) )/);
  return fields === '' ? undefined : Number(fields.split(' ')[1]);
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
