import 'server-only';
import { LRUCache } from 'lru-cache';
import { Histogram } from 'prom-client';
import { API_ERRORS, type ApiErrorCode } from '#lib/api/error-code.ts';
import { PAGE_ERROR_KINDS } from '#lib/api/page-error.ts';
import type { Role } from '#lib/api/people/permission.ts';
import type { Spending } from './ledger.ts';
import { SpentToday } from './spent-today.ts';

const PURPOSES = ['scheduled', 'first-view', 'history'] as const satisfies readonly Spending[];
/** `all`: the paced refreshes, which viewers share. */
const SPENDERS = ['all', 'viewer', 'operator', 'admin'] as const;
type Spender = (typeof SPENDERS)[number];
const REFRESH_RESULTS = ['complete', 'partial', 'unread'] as const;
/** `joined`: from another load's request; `shared`: from another server. */
const PART_SOURCES = ['cache', 'joined', 'shared', 'upstream'] as const;
const LOAD_OUTCOMES = ['complete', 'with_gaps', 'left', 'failed'] as const;
const SIGN_IN_METHODS = ['password', 'passkey', 'single-sign-on'] as const;
const SIGN_IN_RESULTS = ['signed_in', 'not_accepted', 'too_many_attempts', 'not_allowed', 'cancelled'] as const;
/** `repeated`: logged in the same minute; `dropped`: over a limit of the log. */
const PAGE_ERROR_OUTCOMES = ['logged', 'repeated', 'dropped'] as const;
const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
/** Other statuses are counted together, since an upstream could make up any. */
const STATUSES = [200, 301, 302, 307, 308, 400, 401, 403, 404, 408, 413, 414, 429, 500, 502, 503, 504];

/** Counters since the start. Labels are closed sets, so clients cannot make them grow. */
function makeCounts() {
  return {
    answers: zeroes(STATUS_CLASSES),
    refusals: zeroes(Object.keys(API_ERRORS) as ApiErrorCode[]),
    liveReads: 0,
    refreshes: zeroes(REFRESH_RESULTS),
    parts: zeroes(PART_SOURCES),
    loads: zeroes(LOAD_OUTCOMES),
    signIns: byEach(SIGN_IN_METHODS, SIGN_IN_RESULTS),
    pageErrors: byEach(PAGE_ERROR_KINDS, PAGE_ERROR_OUTCOMES),
    /** It is replaced at the start by one in the database. */
    today: new SpentToday(),
    roles: new LRUCache<string, Role>({ max: 10_000 }),
    spent: byEach(PURPOSES, SPENDERS),
    upstreamSeconds: new Histogram({
      name: 'lookout_upstream_answer_seconds',
      help: 'Time until an answer of the upstream was read whole, by its status, or by why there was none.',
      labelNames: ['mode', 'answer'] as const,
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers: [],
    }),
  };
}

export type Counts = ReturnType<typeof makeCounts>;

const holder = globalThis as { [countsSymbol]?: Counts };
const countsSymbol = Symbol.for('lookout.counts');

/** The counts of the process: each module graph (instrumentation, route handlers) has its own copy of this module. */
export function counts(): Counts {
  holder[countsSymbol] ??= makeCounts();
  return holder[countsSymbol];
}

export function spendsAs(operator: string, role: Role): void {
  counts().roles.set(operator, role);
}

export function spenderOf(operator: string | undefined): Spender {
  return operator === undefined ? 'all' : (counts().roles.get(operator) ?? 'all');
}

export function countedAnswer(status: number): string {
  return STATUSES.includes(status) ? String(status) : 'other';
}

/** It runs for each poll, and allocates nothing. */
export function countAnswer(status: number): void {
  const { answers } = counts();
  if (status < 300) answers['2xx']++;
  else if (status < 400) answers['3xx']++;
  else if (status < 500) answers['4xx']++;
  else answers['5xx']++;
}

function zeroes<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

function byEach<One extends string, Other extends string>(ones: readonly One[], others: readonly Other[]) {
  return Object.fromEntries(ones.map((one) => [one, zeroes(others)])) as Record<One, Record<Other, number>>;
}
