import { expect, test } from 'vitest';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '../../conformance/listed-source.ts';
import { trackKey } from '../arbitrary-observation.fixture.ts';
import { Rows } from '../rows.ts';
import { storeObservation } from '../stored-observation.ts';
import { latestOfTracks } from './latest-of-tracks.ts';

const PERIOD = { layer: 'adsb', start: upstreamInstant(Date.UTC(2026, 10, 23, 3, 20)) } as const;

test('of each track the latest observation, in whatever order they came; of two at the same time the one that came later', () => {
  const rows = new Rows();
  const heard = [
    { track: 1, second: 5, altitudeM: 100 },
    { track: 2, second: 9, altitudeM: 200 },
    { track: 1, second: 3, altitudeM: 300 },
    { track: 2, second: 9, altitudeM: 400 },
  ];
  for (const { track, second, altitudeM } of heard)
    storeObservation(
      rows,
      observation({ sourceId: trackKey(track), observedAt: addMs(PERIOD.start, second * 1000), altitudeM }),
    );
  const latest = latestOfTracks(PERIOD, rows).map(({ observedAt, altitudeM }) => [observedAt, altitudeM]);
  expect(latest).toEqual([
    [addMs(PERIOD.start, 5000), 100],
    [addMs(PERIOD.start, 9000), 400],
  ]);
});
