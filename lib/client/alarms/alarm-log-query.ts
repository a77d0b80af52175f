import { queryOptions } from '@tanstack/react-query';
import {
  ALARMS_MAX,
  type Alarm,
  type AlarmsAnswer,
  alarmsSchema,
  type Seen,
  seenSchema,
} from '#lib/api/watching/alarms.ts';
import { type WatchedAnswer, watchedSchema, type Zone } from '#lib/api/watching/zones.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';
import { type LostLayer, type UnwatchedStretch, withoutLostLayers, type ZoneLedger } from './lost-layers.ts';

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
  /** Without the layers in `lost`. */
  readonly unwatched: readonly UnwatchedStretch[];
  /** Empty unless all zones were read. */
  readonly lost: readonly LostLayer[];
  readonly isCut: boolean;
}

const ANSWERS_MAX = 10;
const LEDGERS_MAX = 50;

/** Alarms that opened in the window, and what was not watched. */
export function alarmLogQuery(question: LogQuestion, zones: readonly Zone[]) {
  const { start, end, text, zone } = question;
  return queryOptions<AlarmLog, LookoutRequestError>({
    queryKey: ['alarm-log', question, zones.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ start, end });
      if (text !== '') query.set('text', text);
      if (zone !== undefined) query.set('zone', zone);
      const alarms: Alarm[] = [];
      let isCut = true;
      for (let answers = 0; isCut && answers < ANSWERS_MAX; answers++) {
        const answer = await requestJson<AlarmsAnswer>('GET', `/api/alarms?${query}`, alarmsSchema, { signal });
        alarms.push(...answer.alarms);
        isCut = answer.alarms.length === ALARMS_MAX;
        query.set('since', answer.next);
      }
      const asked = zones.filter(({ id }) => zone === undefined || id === zone).slice(0, LEDGERS_MAX);
      const window = new URLSearchParams({ start, end });
      const ledgers: ZoneLedger[] = [];
      const unwatched: UnwatchedStretch[] = [];
      for (const each of text === '' ? asked : []) {
        const address = `/api/zones/${each.id}/watched?${window}`;
        const { stretches, layers } = await requestJson<WatchedAnswer>('GET', address, watchedSchema, { signal });
        for (const stretch of stretches) if (stretch.state !== 'watched') unwatched.push({ ...stretch, zone: each });
        ledgers.push({ zone: each, layers });
      }
      const merged = ledgers.length === zones.length ? withoutLostLayers(ledgers) : { lost: [], unwatched };
      return { alarms, ...merged, isCut };
    },
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
