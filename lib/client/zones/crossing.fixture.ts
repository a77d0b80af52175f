import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import { instantOf } from '#lib/time/instant.ts';
import { observationColumns } from '../replay/store/observation-columns.fixture.ts';
import { ReplayStore } from '../replay/store/replay-store.ts';

export const WINDOW = { start: instantOf('2026-11-27T12:00:00Z'), end: instantOf('2026-11-27T12:10:00Z') };

/** Each 10 s, from 5 km west of 47.4, 8.5 to 5 km east. */
export function crossing(simulated: boolean) {
  return Array.from({ length: 41 }, (_, step) => ({
    ...plainRecord,
    observed_at: new Date(Date.parse('2026-11-27T12:01:00Z') + step * 10_000).toISOString(),
    longitude: 8.4335 + step * 0.003325,
    latitude: 47.4,
    simulated,
  }));
}

export function pastOf(records: ReturnType<typeof crossing>): ReplayStore {
  const store = new ReplayStore({ window: WINDOW });
  store.add(observationColumns(records));
  return store;
}
