import type { FrontSettings } from './front-settings.ts';
import type { AnswerPoll } from './live-poll.ts';
import type { PageState } from './page-cache.ts';
import type { FrontRefusal } from './refusal.ts';
import type { Visitor } from './visitor.ts';

interface StartedRuntime {
  readonly config: FrontSettings;
  readonly counts: { readonly answers: Record<'4xx', number>; readonly refusals: Record<FrontRefusal['code'], number> };
  readonly log: Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', (details: object, message: string) => void>;
  readonly sessions: object | undefined;
  upstreamChanged(layer: 'rid' | 'adsb'): void;
  serveMetrics(): Promise<void>;
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface Started {
  readonly runtime: StartedRuntime;
  readonly answerPoll: AnswerPoll;
  readonly knownSession: (visitor: Visitor) => string | undefined;
  readonly signInState: (visitor: Visitor, query: URLSearchParams) => Promise<PageState | undefined>;
}

/** To be called when Next is prepared. @throws Error that prevented the runtime */
export async function startedRuntime(): Promise<Started> {
  const { [Symbol.for('lookout.started')]: started } = globalThis as { [key: symbol]: Promise<Started> | undefined };
  if (!started) throw new Error('Lookout was not started: Next is not prepared');
  return started;
}
