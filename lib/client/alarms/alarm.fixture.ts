import type { Alarm } from '#lib/api/watching/alarms.ts';

export const ZONE_ID = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a01';
const RULE_ID = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7b01';

/** @param number makes its id and reference */
export function alarmOf(number: number, changed: Partial<Alarm> = {}): Alarm {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    revision: 0,
    zone: { id: ZONE_ID, name: 'Runway 14/32', revision: 1 },
    rule: { id: RULE_ID, kind: 'entered' },
    layer: 'rid',
    track: `rid-0-${String(number).padStart(16, '0')}`,
    other: null,
    kind: 'entered',
    opened_at: '2026-11-27T12:00:00Z',
    decided_at: new Date(Date.parse('2026-11-27T12:00:01Z') + number * 1000).toISOString(),
    state: 'open',
    unknown_since: null,
    ended_at: null,
    ended: null,
    count: 1,
    found_later: null,
    height_unknown: false,
    simulated: false,
    test: false,
    perhaps_same_as: null,
    expected: false,
    permit: null,
    watched: null,
    acknowledged: null,
    closed: null,
    notes: [],
    evidence: [],
    ...changed,
  };
}
