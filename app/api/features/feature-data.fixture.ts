import type { NewZone } from '#lib/api/watching/zones.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { AlarmStore } from '#lib/server/zones/alarms/alarm-store.ts';
import { transition } from '#lib/server/zones/alarms/transition.fixture.ts';
import { newZone } from '#lib/server/zones/new-zone.fixture.ts';
import { addMs } from '#lib/time/instant.ts';
import type { Transition } from '#lib/zones/evaluation/transition.ts';
import { OUTPUTS_AT, type servedOutputs } from '#testing/served-outputs.ts';

export const ALPS: Bbox = { west: 5, south: 44, east: 15, north: 48 };
export const AL = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
export const CORRIDOR: NewZone['shape'] = {
  type: 'Corridor',
  line: [
    [179.9, 10],
    [-179.9, 10.1],
  ],
  half_width_m: 500,
};

type Outputs = Awaited<ReturnType<typeof servedOutputs>>;

export const itemsPath = (collection: string, query = '') => `/api/features/collections/${collection}/items${query}`;
export const addZone = (outputs: Outputs, change: Partial<NewZone> = {}) =>
  outputs.zones.add(AL, newZone({ shared: true, ...change }));
export const alarm = (zoneId: string, number: number, change: Partial<Transition> = {}) =>
  transition(zoneId, {
    key: `${zoneId} ${number}`,
    ref: `ref ${number}`,
    at: addMs(OUTPUTS_AT, 1000 * number),
    ...change,
  });
export const raise = (outputs: Outputs, transitions: Transition[]) =>
  new AlarmStore(outputs.database).commit({ rows: [], transitions, stretches: [], madeUp: [], at: OUTPUTS_AT }, 0);
