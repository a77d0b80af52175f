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

const PLACE = { distance_m: 2440, bearing_deg: 135, from: 'landmark', name: '14/32', inside: true } as const;

/** A permit that covers that alarm, and the first lines of each notice about both. */
export const PERMITTED: Partial<Alarm> = {
  expected: true,
  permit: { name: 'Survey flight, police', until: '2026-11-27T15:00:00Z' },
};
export const PERMITTED_LINES =
  'Permitted: Survey flight, police, until 2026-11-27 16:00:00 Europe/Zurich (15:00:00Z)\n' +
  'Drone entered · 63 m above ground · 2.4 km SE of 14/32 (135° true)';

/** A notice of one alarm that was raised at 47.4, 8.5 in a height of 62.5 m above ground, 2.4 km from a runway. */
export function noticeOf(changed: Partial<Notice> = {}, alarm: Partial<Alarm> = {}): Notice {
  const evidence = [recordOf({ observed_at: '2026-11-27T12:00:00Z', height_agl_m: 62.5, speed_mps: 12 })];
  return {
    id: '1f0c2a7a-3c6e-4b6e-9d64-6f1d1f8e0001',
    type: 'opened',
    at: instantOf('2026-11-27T12:00:01Z'),
    alarms: [alarmOf(1, { evidence, ...alarm })],
    more: 0,
    zones: 1,
    places: new Map([[alarmOf(1).id, PLACE]]),
    zoneCentres: new Map(),
    link: 'https://lookout.example/replay?at=1',
    units: 'metric',
    timeZone: 'Europe/Zurich',
    ...changed,
  };
}
