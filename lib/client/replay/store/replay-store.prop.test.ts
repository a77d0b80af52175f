import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import { LAYERS } from '#lib/model/position.ts';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { anyParts, observationColumns, observationsByRef, RECORDS_WINDOW } from './observation-columns.fixture.ts';
import { ReplayStore, trackHistory } from './replay-store.ts';

function storeOf(parts: readonly (readonly LiveRecord[])[]): ReplayStore {
  const store = new ReplayStore({ window: RECORDS_WINDOW });
  for (const part of parts) store.add(observationColumns(part));
  return store;
}

const timesOf = (records: readonly LiveRecord[]) => records.map(({ observed_at }) => Date.parse(observed_at));
const layerOf = ({ track_kind }: LiveRecord) => (track_kind === 'drone' ? 'rid' : 'adsb');
const nanWhenNull = (value: number | null) => value ?? Number.NaN;

describe('ReplayStore', () => {
  test('contains every observation exactly once, in order of time, whatever the order and number of arrivals', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const store = storeOf(parts);
        const expected = observationsByRef(parts);
        expect(store.count).toBe([...expected.values()].flat().length);
        expect(store.trackCount).toBe(expected.size);
        for (const [ref, records] of expected) {
          const history = trackHistory(store, store.trackOf(ref) as number);
          expect(history.ref).toBe(ref);
          expect([...history.observedAtMs]).toEqual(timesOf(records));
          expect([...history.lon]).toEqual(records.map(({ longitude }) => longitude));
          expect([...history.lat]).toEqual(records.map(({ latitude }) => latitude));
          expect([...history.altitudeM]).toEqual(records.map(({ altitude_m }) => nanWhenNull(altitude_m)));
          expect([...history.heightAglM]).toEqual(records.map(({ height_agl_m }) => nanWhenNull(height_agl_m)));
          expect([...history.speedMps]).toEqual(records.map(({ speed_mps }) => nanWhenNull(speed_mps)));
        }
      }),
    );
  });

  test('adding a part in slices is the same as adding it at once', () => {
    fc.assert(
      fc.property(anyParts, fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const store = new ReplayStore({ window: RECORDS_WINDOW });
        for (const part of parts.map(observationColumns)) {
          for (let first = 0; first < part.count; first += size) {
            store.add(part, first, Math.min(first + size, part.count));
          }
        }
        const whole = storeOf(parts);
        expect(store.count).toBe(whole.count);
        for (let track = 0; track < whole.trackCount; track++) {
          const sliced = store.trackOf(whole.refOf(track)) as number;
          expect(trackHistory(store, sliced)).toEqual(trackHistory(whole, track));
        }
        expect(store.histogram).toEqual(whole.histogram);
      }),
    );
  });

  test('every added observation is counted once, and a slice that does not fit is rejected as a whole', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(40), (parts, maxObservations) => {
        const window = { start: RECORDS_WINDOW.start, end: addMs(RECORDS_WINDOW.start, 60_000) };
        const store = new ReplayStore({ window, maxObservations });
        for (const part of parts) {
          const before = { count: store.count, tracks: store.trackCount, revision: store.revision };
          const result = store.add(observationColumns(part));
          expect(result.added + result.repeated + result.outside + result.refused).toBe(part.length);
          expect(result.outside).toBe(timesOf(part).filter((atMs) => atMs >= epochMs(window.end)).length);
          expect(store.count).toBe(before.count + result.added);
          expect(store.count).toBeLessThanOrEqual(maxObservations);
          expect(store.revision !== before.revision).toBe(result.added > 0);
          if (result.refused > 0) {
            expect(before.count + result.refused).toBeGreaterThan(maxObservations);
            expect({ count: store.count, tracks: store.trackCount, revision: store.revision }).toEqual(before);
          }
        }
      }),
    );
  });

  test('the histogram counts each observation in its layer and bin', () => {
    fc.assert(
      fc.property(anyParts, fc.constantFrom(1000, 7000, 500_000), (parts, binMs) => {
        const store = new ReplayStore({ window: RECORDS_WINDOW, binMs });
        for (const part of parts) store.add(observationColumns(part));
        const stored = [...observationsByRef(parts).values()].flat();
        for (const layer of LAYERS) {
          const bins = new Array<number>(store.histogram.counts[layer].length).fill(0);
          for (const record of stored.filter((each) => layerOf(each) === layer)) {
            const bin = Math.floor((Date.parse(record.observed_at) - epochMs(RECORDS_WINDOW.start)) / binMs);
            bins[bin] = (bins[bin] as number) + 1;
          }
          expect([...store.histogram.counts[layer]]).toEqual(bins);
        }
      }),
    );
  });
});
