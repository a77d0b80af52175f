import { type NewZone, newZoneSchema } from '#lib/api/watching/zones.ts';

/** Two kilometres around 8.5 E 47.4 N. */
export function newZone(change: Partial<NewZone> = {}): NewZone {
  return newZoneSchema.parse({
    name: 'Runway 14/32',
    shared: false,
    shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 },
    vertical: null,
    hours: null,
    rules: [{ kind: 'entered', layers: ['rid', 'adsb'] }],
    ...change,
  });
}
