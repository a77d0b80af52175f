import type { Incident, IncidentEntry } from '#lib/api/watching/incidents.ts';

/** An open incident that runs. @param number of the year 2026 */
export function incidentOf(number: number, changed: Partial<Incident> = {}): Incident {
  return {
    id: `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`,
    number: `2026-${String(number).padStart(3, '0')}`,
    revision: 1,
    title: 'Drone near 14',
    state: 'open',
    from: '2026-11-27T12:00:00Z',
    to: null,
    zone: null,
    shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 },
    layers: ['rid', 'adsb'],
    opened: { by: 'bea', at: '2026-11-27T12:05:00Z' },
    closed: null,
    sealed: null,
    kept: null,
    notes: 2,
    ...changed,
  };
}

export function noteOf(number: number, changed: Partial<IncidentEntry> = {}): IncidentEntry {
  return {
    id: `00000000-0000-4000-9001-${String(number).padStart(12, '0')}`,
    kind: 'decision',
    text: 'Runway closed',
    at: '2026-11-27T12:06:00.000Z',
    place: null,
    corrects: null,
    by: 'bea',
    written_at: '2026-11-27T12:06:00.000Z',
    sighting: null,
    check: null,
    ...changed,
  };
}
