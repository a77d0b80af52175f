import type { FrontSettings } from './front-settings.ts';
import type { FrontRefusal } from './refusal.ts';

/** What the front uses of the runtime that lib/server/runtime.ts keeps. */
interface StartedRuntime {
  readonly config: FrontSettings;
  readonly counts: { readonly answers: Record<'4xx', number>; readonly refusals: Record<FrontRefusal['code'], number> };
  readonly log: Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', (details: object, message: string) => void>;
  serveMetrics(): Promise<void>;
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** The runtime, which Next's instrumentation makes while Next is prepared. @throws Error before that, or what kept it from being made */
export function startedRuntime(): StartedRuntime {
  const { [Symbol.for('lookout.runtime')]: started, [Symbol.for('lookout.start-problem')]: problem } = globalThis as {
    [key: symbol]: StartedRuntime | undefined;
  };
  if (problem) throw problem;
  if (!started) throw new Error('Lookout was not started: Next is not prepared');
  return started;
}
