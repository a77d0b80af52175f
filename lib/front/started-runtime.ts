// The front shares one promise on globalThis with Lookout’s server, which runs in Next’s bundles.
import type { AnswerPoll } from './live-poll.ts';
import type { PageState } from './page-cache.ts';
import type { FrontRefusal } from './refusal.ts';

export interface FrontSettings {
  readonly tls: boolean;
  /** Subdomains use https alone, too. */
  readonly hstsSubdomains: boolean;
  readonly mapStyle: { readonly origins: readonly string[] } | undefined;
  readonly trustedProxies: readonly string[];
  readonly securityContact?: string | undefined;
  readonly publicOrigin?: string | undefined;
}

/** The headers by which a session or a token is known. */
export interface Visitor {
  readonly cookies: string;
  readonly host: string;
  readonly authorization: string | undefined;
}

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
