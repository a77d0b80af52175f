import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { wireRecord } from '#lib/contract/wire-position.fixture.ts';
import { instantOf } from '#lib/time/instant.ts';
import type { Notice } from './notice.ts';

export const SENT_AT = instantOf('2026-11-27T12:03:00Z');

export function recordOf(changed: Partial<LiveRecord> = {}): LiveRecord {
  return { ...wireRecord, public_track_id: alarmOf(1).track ?? '', track_kind: 'drone', ...changed };
}

/** A notice of one alarm that was raised at 47.4, 8.5 in a height of 62.5 m above ground. */
export function noticeOf(changed: Partial<Notice> = {}, alarm: Partial<Alarm> = {}): Notice {
  const evidence = [recordOf({ observed_at: '2026-11-27T12:00:00Z', height_agl_m: 62.5, speed_mps: 12 })];
  return {
    id: '1f0c2a7a-3c6e-4b6e-9d64-6f1d1f8e0001',
    type: 'opened',
    at: instantOf('2026-11-27T12:00:01Z'),
    alarms: [alarmOf(1, { evidence, ...alarm })],
    more: 0,
    zones: 1,
    places: new Map(),
    zoneCentres: new Map(),
    link: 'https://lookout.example/replay?at=1',
    units: 'metric',
    timeZone: 'Europe/Zurich',
    ...changed,
  };
}
