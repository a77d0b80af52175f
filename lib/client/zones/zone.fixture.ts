import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { newRule } from './zone-draft.ts';

/** A circle of an operator's own, with one rule. */
export function zoneOf(number: number, changed: Partial<Zone> = {}): Zone {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return {
    id,
    revision: 3,
    name: `Site ${number}`,
    shared: false,
    mine: true,
    owner: null,
    changed_at: '2026-11-27T08:00:00Z',
    removed_at: null,
    shape: { type: 'Circle', centre: [8.2, 46.9], radius_m: 2000 },
    landmark: null,
    vertical: null,
    hours: null,
    source: null,
    history_requests_a_day: 0,
    rules: [{ ...newRule('entered'), id, hold_s: 20, layers: ['rid'] }],
    ...changed,
  };
}

/** A zone of a list, with a service that counts no requests. */
export function pricedZone(zone: Zone, watched: PricedZone['watched'] = null): PricedZone {
  return { zone, price: { requests_a_day: null, affordable_a_day: null, every_s: null }, watched, suspended: [] };
}
