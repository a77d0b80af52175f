import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { anyPosition, anyPositions, anyTwoSnapshots } from './arbitrary-position.fixture.ts';
import { decodeFrame, encodeFrame } from './frame.ts';
import { positionsOf } from './record-columns.ts';
import { type Records, recordsOf } from './records.ts';

const observations = fc
  .array(fc.tuple(anyPosition, fc.array(fc.tuple(anyPosition, fc.nat({ max: 20 })), { maxLength: 8 })), {
    maxLength: 6,
  })
  .map((tracks) =>
    tracks.flatMap(([first, rest]): Position[] => [
      first,
      ...rest.map(([other, step]) => ({ ...other, ref: first.ref, observedAt: addMs(first.observedAt, step * 1000) })),
    ]),
  );

const snapshots = anyTwoSnapshots.map(({ before, after }) => [latest(before), latest(after)] as const);

function latest(positions: readonly Position[]): Records {
  return recordsOf(new Map(positions.map((position) => [position.ref, position])).values());
}

describe('a full frame', () => {
  test('decodes to the snapshot that it was encoded from', () => {
    fc.assert(
      fc.property(anyPositions, (positions) => {
        const records = latest(positions);
        expect(decodeFrame(encodeFrame(records)).records).toEqual(records);
      }),
    );
  });

  test('decodes to the observations that it was encoded from', () => {
    fc.assert(
      fc.property(observations, (positions) => {
        const records = recordsOf(positions);
        expect(decodeFrame(encodeFrame(records)).records).toEqual(records);
      }),
    );
  });
});

describe('a delta', () => {
  test('transforms any snapshot into any other', () => {
    fc.assert(
      fc.property(snapshots, ([before, after]) => {
        expect(decodeFrame(encodeFrame(after, before), before).records).toEqual(after);
      }),
    );
  });

  test('lists exactly the new and changed records, and the references that are gone', () => {
    fc.assert(
      fc.property(snapshots, ([before, after]) => {
        const { changed, gone } = decodeFrame(encodeFrame(after, before), before);
        expect(gone).toEqual(before.refs.filter((ref) => !after.refs.includes(ref)));
        const known = new Map(positionsOf(before).map((position) => [position.ref, JSON.stringify(position)]));
        const differing = positionsOf(after).flatMap((position, index) =>
          known.get(position.ref) === JSON.stringify(position) ? [] : [index],
        );
        expect(Array.from(changed)).toEqual(differing);
      }),
    );
  });

  test('is rejected for other records than it was made from', () => {
    fc.assert(
      fc.property(snapshots, anyPositions, ([before, after], others) => {
        const delta = encodeFrame(after, before);
        let records: Records;
        try {
          ({ records } = decodeFrame(delta, latest(others)));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          return;
        }
        expect(records).toEqual(after);
      }),
    );
  });
});
