// Costs and starts of tests, as lines of JSON that their processes append to one file.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const costSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    what: z.enum(['app', 'service', 'database', 'browser']),
    seconds: z.number(),
  }),
  /** A PostgreSQL that ended: it is no child of a test's process. */
  z.object({ kind: z.literal('database'), processorSeconds: z.number() }),
  z.object({
    kind: z.literal('test'),
    /** The path from the root. */
    file: z.string(),
    title: z.string(),
    seconds: z.number(),
    processorSeconds: z.number(),
    failed: z.boolean(),
  }),
  /** A file may have several, of several processes. */
  z.object({ kind: z.literal('file'), file: z.string(), seconds: z.number(), processorSeconds: z.number() }),
]);

export type Cost = z.infer<typeof costSchema>;
type StartKind = Extract<Cost, { kind: 'start' }>['what'];

/** Nothing is noted unless TEST_COSTS names a file. */
export function noteCost(cost: Cost): void {
  const file = process.env.TEST_COSTS;
  // A short line is appended whole.
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(cost)}\n`);
}

/** Notes how long a start took, also of one that failed. */
export function countStart<Started>(what: StartKind, start: () => Started): Started {
  const startedMs = performance.now();
  const note = () => noteCost({ kind: 'start', what, seconds: (performance.now() - startedMs) / 1000 });
  let started: Started;
  try {
    started = start();
  } catch (error) {
    note();
    throw error;
  }
  if (started instanceof Promise) started.then(note, note);
  else note();
  return started;
}

/** The costs so far; a process that was killed may leave half a line. */
export function readCosts(file: string): readonly Cost[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.flatMap((line) => {
    try {
      return [costSchema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}
