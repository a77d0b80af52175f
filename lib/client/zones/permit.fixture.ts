import type { Permit } from '#lib/api/watching/permits.ts';

/** A current permit of a whole zone, for low drones. */
export function permitOf(change: Partial<Permit> = {}): Permit {
  return {
    id: '00000000-0000-4000-8000-00000000000a',
    revision: 1,
    zone: { id: '00000000-0000-4000-8000-00000000000b', name: 'Runway 14/32' },
    name: 'Survey flight, police',
    layers: ['rid'],
    track: null,
    shape: null,
    vertical: { field: 'height_agl_m', floor_m: null, ceiling_m: 120 },
    start: '2026-11-29T14:00:00Z',
    end: '2026-11-29T16:00:00Z',
    state: 'current',
    made_by: 'Anna',
    made_at: '2026-11-29T13:58:00Z',
    changed: null,
    ended: null,
    intent: null,
    flight: null,
    ...change,
  };
}
