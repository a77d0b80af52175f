import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { readServeOptions } from '#service/cli/read-serve-options.ts';

const readySchema = z.object({ base_url: z.string(), api_key: z.string() });

export interface EmbeddedService {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The arguments that select what the embedded service plays, from the EMBEDDED_… settings. */
export function embeddedSource(environment: NodeJS.ProcessEnv): readonly string[] {
  const source = environment.EMBEDDED_SOURCE?.trim() || 'simulator';
  const tracks = environment.EMBEDDED_TRACKS?.trim();
  const seed = environment.EMBEDDED_SEED?.trim();
  return ['--source', source, ...(tracks ? ['--tracks', tracks] : []), ...(seed ? ['--seed', seed] : [])];
}

/** The problems with those settings, each with what to write instead. */
export function embeddedProblems(environment: NodeJS.ProcessEnv): readonly string[] {
  const read = readServeOptions(embeddedSource(environment), environment);
  if (read.ok) return [];
  return read.problems.map((problem) =>
    problem.replace(/--(source|tracks|seed)\b/g, (_, option: string) => `EMBEDDED_${option.toUpperCase()}`),
  );
}

/**
 * Starts the service on a free loopback port, with a key that it generates.
 * @throws Error if it exits before it is ready; its own message is on standard error
 */
export async function startEmbeddedService(root: string, source: readonly string[]): Promise<EmbeddedService> {
  const child = spawn(
    process.execPath,
    [join(root, 'service/cli.ts'), 'serve', '--port', '0', '--exit-with-parent', ...source],
    { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the embedded service exited with ${code}`)));
  });
  const { base_url, api_key } = readySchema.parse(JSON.parse(await ready));
  return { process: child, baseUrl: base_url, apiKey: api_key };
}
