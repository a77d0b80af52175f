import { spawn } from 'node:child_process';
import { endQuietRuns } from '../setup/run-quietly.ts';
import { descendantsOf, endedSeconds, timesOf } from './processor-time.ts';

const running = new Set<number>();
let isEnding = false;
let seenSeconds = 0;

/** Processor time of children that ended since the last call. */
export function takeEndedSeconds(): number {
  const seconds = endedSeconds();
  const taken = seconds - seenSeconds;
  seenSeconds = seconds;
  return taken;
}

export interface Ended {
  /** The exit code, or the name of the signal. */
  readonly code: number | string;
  readonly processorSeconds: number;
}

export interface NodeRun {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Default: the output of this process. */
  readonly show: ((text: string) => void) | undefined;
}

/** Runs a program on this Node. */
export async function runNode(args: readonly string[], { cwd, environment, show }: NodeRun): Promise<Ended> {
  if (isEnding) return { code: 'SIGTERM', processorSeconds: 0 };
  const output = show === undefined ? 'inherit' : 'pipe';
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', output, output], env });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => show?.(text));
  let processorSeconds = 0;
  // Before `close`, which waits for the pipes: other children may have ended by then.
  child.once('exit', () => {
    processorSeconds = takeEndedSeconds();
    if (pid !== undefined) running.delete(pid);
  });
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(status ?? signal ?? 'an unknown signal'));
  });
  return { code, processorSeconds };
}

/**
 * Ends all children and what they started, then this process.
 * @param withinMs then they are killed; Vitest and Playwright close what they started within seconds
 */
export function endOnSignals(withinMs = 15_000): void {
  const end = (code: number) => {
    if (isEnding) return;
    isEnding = true;
    endQuietRuns();
    void endChildren(withinMs).then(() => process.exit(code));
  };
  process.once('SIGINT', () => end(130));
  process.once('SIGTERM', () => end(143));
  process.once('SIGHUP', () => end(129));
  // The process that started this one was killed.
  process.once('disconnect', () => end(1));
}

/** Never rejects: a child that has ended is no failure. */
async function endChildren(withinMs: number): Promise<void> {
  const below = [...running].flatMap((pid) => [pid, ...descendantsOf(pid)]);
  const started = new Map(below.map((pid) => [pid, timesOf(pid)?.started]));
  const left = () => below.filter((pid) => timesOf(pid)?.started === started.get(pid) && timesOf(pid) !== undefined);
  for (const pid of running) signal(pid, 'SIGTERM');
  const untilMs = performance.now() + withinMs;
  while (left().length > 0 && performance.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const pid of left()) signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
