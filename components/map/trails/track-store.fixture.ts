import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import { observationColumns } from '#lib/client/replay/store/observation-columns.fixture.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

const START_MS = Date.UTC(2026, 10, 21, 10);
export const HOUR = { start: upstreamInstant(START_MS), end: upstreamInstant(START_MS + HOUR_MS) };

export interface StoredTrack {
  readonly ref: string;
  readonly atSeconds: readonly number[];
  readonly altitudeM?: number;
}

export function storeWith(tracks: readonly StoredTrack[], store = new ReplayStore({ window: HOUR })): ReplayStore {
  const records = tracks.flatMap(({ ref, atSeconds, altitudeM = 1000 }) =>
    atSeconds.map((second, index) => ({
      ...plainRecord,
      public_track_id: ref,
      observed_at: formatInstant(addMs(HOUR.start, second * 1000)),
      latitude: index / 100,
      altitude_m: altitudeM,
    })),
  );
  store.add(observationColumns(records));
  return store;
}
