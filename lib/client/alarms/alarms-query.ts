import { type QueryClient, queryOptions } from '@tanstack/react-query';
import {
  ALARMS_MAX,
  ALARMS_WAIT_MAX_MS,
  type Alarm,
  type AlarmsAnswer,
  ANSWERED_MAX,
  alarmsSchema,
  answeredSchema,
  type PresenceAnswer,
  presenceSchema,
  type Seen,
  seenSchema,
} from '#lib/api/watching/alarms.ts';
import { type UnwatchedAnswer, unwatchedSchema } from '#lib/api/watching/zones.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';
import { type AlarmBook, EMPTY_BOOK, mergedBook, recentBook } from './alarm-book.ts';

const ALARMS_KEY = ['alarms'] as const;

const TIMEOUT_MS = ALARMS_WAIT_MAX_MS + 8000;

/**
 * The requests about alarms, and the operator's decisions on them. This one reads the alarms of the last day, and earlier ones that have not ended. Later requests wait at the server for a change.
 */
export function alarmsQuery(now: () => number) {
  return queryOptions<AlarmBook, LookoutRequestError>({
    queryKey: ALARMS_KEY,
    queryFn: async ({ signal, client }) => {
      const before = client.getQueryData<AlarmBook>(ALARMS_KEY) ?? EMPTY_BOOK;
      const read = (query: string) =>
        requestJson<AlarmsAnswer>('GET', `/api/alarms?${query}`, alarmsSchema, { signal, timeoutMs: TIMEOUT_MS });
      if (before.next !== undefined) {
        const changed = await read(`since=${encodeURIComponent(before.next)}&wait=${ALARMS_WAIT_MAX_MS}`);
        return recentBook(mergedBook(before, changed), upstreamInstant(now() - DAY_MS));
      }
      const since = new Date(now() - DAY_MS).toISOString();
      const [open, unknown, changed] = await Promise.all([
        read('state=open'),
        read('state=unknown'),
        read(`since=${encodeURIComponent(since)}`),
      ]);
      // The changed alarms are the last: the following answers begin at their `next`.
      return [open, unknown, changed].reduce(mergedBook, before);
    },
    ...FAILS_AT_ONCE,
    // Only `useAlarmPolling` reads it again.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

/** A database far away writes 500 alarms. */
const ANSWERING_TIMEOUT_MS = 30_000;
/** Reasons that a sentence lists. */
const REASONS_MAX = 3;

export interface Acknowledging {
  /** RFC 3339, or null for as long as the alarm lasts. */
  readonly until: string | null;
  readonly comment: string;
}

/** @throws LookoutRequestError as `answerAlarms` */
export function acknowledgeAlarms(alarms: readonly Alarm[], body: Acknowledging): Promise<void> {
  return answerAlarms('acknowledge', alarms, body);
}

export interface Closing {
  readonly as: NonNullable<Alarm['closed']>['as'];
  readonly comment: string;
}

/** @throws LookoutRequestError as `answerAlarms` */
export function closeAlarms(alarms: readonly Alarm[], body: Closing): Promise<void> {
  return answerAlarms('close', alarms, body);
}

const DONE_TEXT = { acknowledge: 'acknowledged', close: 'closed' } as const;

/**
 * Answers alarms, up to 500 of them in one request that is stored whole or not at all.
 * @throws LookoutRequestError if a request stored nothing, or, with the reason, if some were answered by others before
 */
async function answerAlarms(verb: keyof typeof DONE_TEXT, alarms: readonly Alarm[], body: object): Promise<void> {
  const [first, ...others] = alarms.map(({ id, revision }) => ({ id, revision }));
  if (!first) return;
  if (others.length === 0)
    return sendToLookout('POST', `/api/alarms/${first.id}/${verb}`, { ...body, revision: first.revision });
  const refused: string[] = [];
  // Only a flood has more than the server takes at once. Requests before a failed one are stored.
  for (let from = 0; from < alarms.length; from += ANSWERED_MAX) {
    const part = [first, ...others].slice(from, from + ANSWERED_MAX);
    const { answers } = await requestJson('POST', `/api/alarms/${verb}`, answeredSchema, {
      body: { ...body, alarms: part },
      timeoutMs: ANSWERING_TIMEOUT_MS,
    });
    refused.push(...answers.flatMap(({ refusal }) => refusal?.message ?? []));
  }
  if (refused.length === 0) return;
  const count = alarms.length - refused.length;
  const reasons = [...new Set(refused)];
  const more = reasons.length > REASONS_MAX ? [`And ${reasons.length - REASONS_MAX} more.`] : [];
  throw new LookoutRequestError('refused', {
    code: 'revision_conflict',
    said: [
      `${count} of ${alarms.length} were ${DONE_TEXT[verb]}. Not the others:`,
      ...reasons.slice(0, REASONS_MAX),
      ...more,
    ].join(' '),
  });
}

/** Reads all else of a page again. The request for alarms waits for a change, and what waited for it would wait as long. */
export function readAllButAlarms(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== ALARMS_KEY[0] });
}

export function readAlarmsAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ALARMS_KEY });
}

/** Reads all alarms of the page again, after the visible zones changed. @param drops what was read before */
export async function readAllAlarms(queries: QueryClient, drops: boolean): Promise<void> {
  await queries.cancelQueries({ queryKey: ALARMS_KEY });
  queries.setQueryData<AlarmBook>(ALARMS_KEY, (book = EMPTY_BOOK) =>
    drops ? EMPTY_BOOK : { ...book, next: undefined },
  );
  await queries.invalidateQueries({ queryKey: ALARMS_KEY });
}

export interface LogQuestion {
  /** RFC 3339 in UTC, like `end`. */
  readonly start: string;
  readonly end: string;
  readonly text: string;
  readonly zone: string | undefined;
  /** Whether the answer says how long each zone was watched. */
  readonly sums?: boolean;
}

export interface AlarmLog {
  readonly alarms: readonly Alarm[];
  readonly isCut: boolean;
  /** `undefined` for a question with a text to find. */
  readonly watching: UnwatchedAnswer | undefined;
}

/** A question about the log reads so many answers at most, and is then cut. */
const ANSWERS_MAX = 10;

/** Alarms that opened in the window, and what was not watched. */
export function alarmLogQuery(question: LogQuestion) {
  const { start, end, text, zone, sums } = question;
  return queryOptions<AlarmLog, LookoutRequestError>({
    queryKey: ['alarm-log', question],
    queryFn: async ({ signal }) => {
      const window = new URLSearchParams({ start, end });
      if (zone !== undefined) window.set('zone', zone);
      const query = new URLSearchParams(window);
      if (text !== '') query.set('text', text);
      const alarms: Alarm[] = [];
      let isCut = true;
      for (let answers = 0; isCut && answers < ANSWERS_MAX; answers++) {
        const answer = await requestJson<AlarmsAnswer>('GET', `/api/alarms?${query}`, alarmsSchema, { signal });
        alarms.push(...answer.alarms);
        isCut = answer.alarms.length === ALARMS_MAX;
        query.set('since', answer.next);
      }
      if (sums) window.set('sums', 'true');
      const watching =
        text === ''
          ? await requestJson('GET', `/api/zones/unwatched?${window}`, unwatchedSchema, { signal })
          : undefined;
      return { alarms, isCut, watching };
    },
    ...FAILS_AT_ONCE,
    staleTime: 10_000,
  });
}

export function presenceQuery({ start, end }: Pick<LogQuestion, 'start' | 'end'>) {
  return queryOptions<PresenceAnswer, LookoutRequestError>({
    queryKey: ['presence', start, end],
    queryFn: ({ signal }) =>
      requestJson('GET', `/api/alarms/presence?${new URLSearchParams({ start, end })}`, presenceSchema, { signal }),
    ...FAILS_AT_ONCE,
    staleTime: 10_000,
  });
}

export function seenQuery() {
  return queryOptions<Seen, LookoutRequestError>({
    queryKey: ['alarms-seen'],
    queryFn: ({ signal }) => requestJson('GET', '/api/alarms/seen', seenSchema, { signal }),
    ...FAILS_AT_ONCE,
  });
}

/** @throws LookoutRequestError if it was not stored */
export function markSeen(until: string): Promise<void> {
  return sendToLookout('PUT', '/api/alarms/seen', { until });
}
