import { queryOptions } from '@tanstack/react-query';
import {
  ALARMS_MAX,
  type Alarm,
  type AlarmsAnswer,
  alarmsSchema,
  type PresenceAnswer,
  presenceSchema,
  type Seen,
  seenSchema,
} from '#lib/api/watching/alarms.ts';
import { type UnwatchedAnswer, unwatchedSchema } from '#lib/api/watching/zones.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const SEEN_KEY = ['alarms-seen'] as const;

export interface LogQuestion {
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
  readonly text: string;
  readonly zone: string | undefined;
}

export interface AlarmLog {
  readonly alarms: readonly Alarm[];
  readonly isCut: boolean;
  /** `undefined` with a text to find. */
  readonly watching: UnwatchedAnswer | undefined;
}

const ANSWERS_MAX = 10;

/** Alarms that opened in the window, and what was not watched. */
export function alarmLogQuery(question: LogQuestion) {
  const { start, end, text, zone } = question;
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
    queryKey: SEEN_KEY,
    queryFn: ({ signal }) => requestJson('GET', '/api/alarms/seen', seenSchema, { signal }),
    ...FAILS_AT_ONCE,
  });
}

/** @throws LookoutRequestError if it was not stored */
export function markSeen(until: string): Promise<void> {
  return sendToLookout('PUT', '/api/alarms/seen', { until });
}
