import 'server-only';
import { type PageError, strippedMessage } from '#lib/api/page-error.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { counts } from '../allowance/counts.ts';
import { browserEngine } from '../sign-in/browser-name.ts';

/** The log has at most so many lines. Further reports are only counted: many pages may fail at once. */
export const PAGE_ERROR_LIMITS = { perSessionAMinute: 5, perMinute: 20, perDay: 500 } as const;
const MINUTES_A_DAY = 1440;

type Warn = (details: object, message: string) => void;

export interface PageErrorSender {
  /** `undefined` where no sign-in is needed. */
  readonly session: string | undefined;
  readonly operator: string;
  readonly userAgent: string | null;
}

/** Logs the errors in their own code that pages report, and counts all reports. */
export class PageErrorLog {
  readonly #warn: Warn;
  readonly #monotonicMs: () => number;
  #minute = -1;
  #day = -1;
  #ofMinute = 0;
  #ofDay = 0;
  #dropped = 0;
  readonly #bySession = new Map<string, number>();
  readonly #known = new Set<string>();

  constructor(warn: Warn, monotonicMs: () => number) {
    this.#warn = warn;
    this.#monotonicMs = monotonicMs;
  }

  report({ kind, message, at }: PageError, { session, operator, userAgent }: PageErrorSender): void {
    this.#advance();
    const text = strippedMessage(message);
    const key = `${kind} ${text} ${at}`;
    const ofSession = session === undefined ? 0 : (this.#bySession.get(session) ?? 0);
    const outcome = this.#known.has(key)
      ? 'repeated'
      : ofSession >= PAGE_ERROR_LIMITS.perSessionAMinute ||
          this.#ofMinute >= PAGE_ERROR_LIMITS.perMinute ||
          this.#ofDay >= PAGE_ERROR_LIMITS.perDay
        ? 'dropped'
        : 'logged';
    counts().pageErrors[kind][outcome]++;
    if (outcome === 'dropped') this.#dropped++;
    if (outcome !== 'logged') return;
    this.#known.add(key);
    this.#ofMinute++;
    this.#ofDay++;
    if (session !== undefined) this.#bySession.set(session, ofSession + 1);
    this.#warn(
      { kind, error: text, at, operator, engine: browserEngine(userAgent) },
      'a page reported an error of its own',
    );
  }

  #advance(): void {
    const minute = Math.floor(this.#monotonicMs() / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#ofMinute = 0;
    this.#bySession.clear();
    this.#known.clear();
    if (this.#dropped > 0) this.#warn({ dropped: this.#dropped }, 'further errors of pages were counted, not logged');
    this.#dropped = 0;
    const day = Math.floor(minute / MINUTES_A_DAY);
    if (day === this.#day) return;
    this.#day = day;
    this.#ofDay = 0;
  }
}
