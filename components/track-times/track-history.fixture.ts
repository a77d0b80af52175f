import fc from 'fast-check';
import type { TrackHistory } from '#lib/client/replay/store/replay-store.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { byName, NUMBER_NAMES } from '#lib/model/record-fields.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';

interface Observation {
  readonly atMs: number;
  readonly altitudeM?: number;
  readonly heightAglM?: number;
  readonly speedMps?: number;
}

export function historyOf(kind: TrackKind, observations: readonly Observation[]): TrackHistory {
  const column = (read: (observation: Observation) => number | undefined) =>
    Float64Array.from(observations, (observation) => read(observation) ?? Number.NaN);
  return {
    ref: 'trk_1',
    kind,
    count: observations.length,
    ...byName(NUMBER_NAMES, () => column(() => undefined)),
    observedAtMs: column(({ atMs }) => atMs),
    lon: column(() => 8),
    lat: column(() => 47),
    altitudeM: column(({ altitudeM }) => altitudeM),
    heightAglM: column(({ heightAglM }) => heightAglM),
    speedMps: column(({ speedMps }) => speedMps),
  };
}

const reading = fc.option(fc.double({ min: -100, max: 12_000, noNaN: true }), { nil: Number.NaN });

export const anyHistory: fc.Arbitrary<TrackHistory> = fc
  .record({
    kind: fc.constantFrom<TrackKind>('aircraft', 'drone'),
    observations: fc.uniqueArray(
      fc.record({ atMs: fc.nat(HOUR_MS), altitudeM: reading, heightAglM: reading, speedMps: reading }),
      { selector: ({ atMs }) => atMs, minLength: 1, maxLength: 60 },
    ),
  })
  .map(({ kind, observations }) =>
    historyOf(
      kind,
      observations.toSorted((a, b) => a.atMs - b.atMs),
    ),
  );
