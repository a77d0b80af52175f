import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Trail } from '#lib/picture/trail.ts';
import { addToTrail } from './add-to-trail.ts';
import {
  anyMoment,
  anyParts,
  observationColumns,
  observationsByRef,
  RECORDS_WINDOW,
} from './observation-columns.fixture.ts';
import { ReplayStore } from './replay-store.ts';

test('a trail contains exactly the positions received within its span up to the cursor', () => {
  fc.assert(
    fc.property(anyParts, anyMoment, fc.nat(60_000), (parts, toMs, spanMs) => {
      const store = new ReplayStore({ window: RECORDS_WINDOW });
      for (const part of parts) store.add(observationColumns(part));
      const trail = new Trail();
      const expected: number[] = [];
      for (const [ref, records] of observationsByRef(parts)) {
        addToTrail(trail, store, store.trackOf(ref) as number, { afterMs: toMs - spanMs, toMs });
        const times = records.map(({ observed_at }) => Date.parse(observed_at));
        expected.push(...times.filter((atMs) => atMs > toMs - spanMs && atMs <= toMs));
      }
      expect([...trail.observedAtMs.subarray(0, trail.pointCount)]).toEqual(expected);
    }),
  );
});
