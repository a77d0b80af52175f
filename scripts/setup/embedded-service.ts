import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { statusSocketPath } from '#service/receivers/status-socket.ts';

const readySchema = z.object({ base_url: z.string(), api_key: z.string() });

export interface EmbeddedService {
  readonly baseUrl: string;
  readonly apiKey: string;
  onChange(listener: (layer: Layer) => void): void;
  /** Kills the service if stopping takes more than a second. */
  stop(): Promise<void>;
}

const STOP_MS = 1000;

const ofSource = ['EMBEDDED_SOURCE', 'EMBEDDED_TRACKS', 'EMBEDDED_SEED'] as const;

/** For the receivers, or for the source that EMBEDDED_… selects. */
export function embeddedSource(environment: NodeJS.ProcessEnv): readonly string[] {
  const receivers = environment.RECEIVERS?.trim();
  if (receivers) {
    const feeds = /^[^,:]+\.json$/.test(receivers) ? '--feeds' : '--receivers';
    return [feeds, receivers, '--data', receiversDir(environment), '--one-key'];
  }
  const source = environment.EMBEDDED_SOURCE?.trim() || 'simulator';
  const tracks = environment.EMBEDDED_TRACKS?.trim();
  const seed = environment.EMBEDDED_SEED?.trim();
  return ['--source', source, ...(tracks ? ['--tracks', tracks] : []), ...(seed ? ['--seed', seed] : [])];
}

export function isRecording(environment: NodeJS.ProcessEnv): boolean {
  return embeddedReceivers(environment) === undefined && /^\s*recording:/.test(environment.EMBEDDED_SOURCE ?? '');
}

export function embeddedReceivers(environment: NodeJS.ProcessEnv): string | undefined {
  return environment.RECEIVERS?.trim() || undefined;
}

function receiversDir(environment: NodeJS.ProcessEnv): string {
  return resolve(environment.DATA_DIR?.trim() || 'data', 'receivers');
}

export function receiversSocket(environment: NodeJS.ProcessEnv): string {
  return statusSocketPath(receiversDir(environment));
}

export function embeddedProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const receivers = embeddedReceivers(environment);
  const unused = receivers === undefined ? [] : ofSource.filter((name) => environment[name]?.trim());
  const read = readServeOptions(embeddedSource(environment), environment);
  return [
    ...unused.map((name) => `${name} has no effect with RECEIVERS: leave out one of them`),
    ...(read.ok ? [] : read.problems).map((problem) =>
      problem
        .replace(/--(source|tracks|seed)\b/g, (_, option: string) => `EMBEDDED_${option.toUpperCase()}`)
        .replace(/^--(receivers|feeds)\b/, 'RECEIVERS'),
    ),
  ];
}

/**
 * On a free loopback port, without an allowance, with a new key. Its own process group lets it finish its answers at
 * our signal.
 * @param program runs on this Node
 * @param died called if it ends by itself after it was ready
 * @throws Error if it exits before it is ready
 */
export async function startEmbeddedService(
  program: string,
  cwd: string,
  source: readonly string[],
  died: (exitCode: number | null) => void,
): Promise<EmbeddedService> {
  const child = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--exit-with-parent', '--allowance', 'none', '--announce', ...source],
    { cwd, stdio: ['pipe', 'pipe', 'inherit'], detached: true, windowsHide: true },
  );
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the embedded service exited with ${code}`)));
  });
  const { base_url, api_key } = readySchema.parse(JSON.parse(await ready));
  child.once('exit', died);
  return {
    baseUrl: base_url,
    apiKey: api_key,
    onChange: (listener) => lines.on('line', (line) => LAYERS.includes(line as Layer) && listener(line as Layer)),
    async stop() {
      child.off('exit', died);
      child.kill('SIGTERM');
      const timer = setTimeout(kill, STOP_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
