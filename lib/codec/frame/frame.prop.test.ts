import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LABEL_NAMES } from '#lib/model/record-fields.ts';
import { anyPositions, anyTwoSnapshots } from '../arbitrary-position.fixture.ts';
import { varintStage } from '../entropy/varint-stage.fixture.ts';
import { quantise } from '../quantise.ts';
import { QUANTITY_NAMES, type QuantisedRecords, referenceAt, valueAt } from '../quantised-records.ts';
import { applyDelta, decodeFrame, decodeFull } from './decode-frame.ts';
import { encodeDelta, encodeFrame, encodeFull } from './encode-frame.ts';

const refsOf = (records: QuantisedRecords) =>
  Array.from({ length: records.count }, (_, index) => referenceAt(records, index));

/** All values of one record. */
const recordAt = (records: QuantisedRecords, index: number) => [
  records.flags[index],
  ...LABEL_NAMES.map((name) => records.labels[records.labelIndexes[name][index] as number]),
  records.observedAtMs[index],
  ...QUANTITY_NAMES.map((name) => valueAt(records, name, index)),
];

test('a full frame decodes to the records that it was encoded from, in all columns', () => {
  fc.assert(
    fc.property(anyPositions, (positions) => {
      const records = quantise(positions);
      expect(decodeFull(encodeFull(records))).toEqual(records);
    }),
  );
});

test('works with any entropy stage', () => {
  fc.assert(
    fc.property(anyTwoSnapshots, (snapshots) => {
      const [before, after] = [quantise(snapshots.before), quantise(snapshots.after)];
      const frame = Buffer.concat(encodeFrame(before, after, varintStage));
      expect(decodeFrame(before, frame, varintStage).records).toEqual(after);
    }),
  );
});

describe('a delta', () => {
  test('transforms any records into any others, in all columns', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, (snapshots) => {
        const [before, after] = [quantise(snapshots.before), quantise(snapshots.after)];
        expect(applyDelta(before, encodeDelta(before, after)).records).toEqual(after);
      }),
    );
  });

  test('chained deltas result in the last snapshot', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, anyPositions, (snapshots, more) => {
        const chain = [snapshots.before, snapshots.after, [...snapshots.before, ...more], snapshots.after].map(
          quantise,
        );
        let known = decodeFull(encodeFull(chain[0] as QuantisedRecords));
        for (const [index, next] of chain.entries()) {
          if (index > 0) known = applyDelta(known, encodeDelta(chain[index - 1] as QuantisedRecords, next)).records;
        }
        expect(known).toEqual(chain.at(-1));
      }),
    );
  });

  test('lists exactly the new and changed records, and the references that are gone', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, (snapshots) => {
        const [before, after] = [quantise(snapshots.before), quantise(snapshots.after)];
        const { changed, gone } = applyDelta(before, encodeDelta(before, after));
        const [refsBefore, refsAfter] = [refsOf(before), refsOf(after)];
        expect(gone).toEqual(refsBefore.filter((ref) => !refsAfter.includes(ref)));
        const differ = refsAfter.flatMap((ref, index) => {
          const indexBefore = refsBefore.indexOf(ref);
          const same =
            indexBefore >= 0 &&
            recordAt(before, indexBefore).every((value, at) => Object.is(value, recordAt(after, index)[at]));
          return same ? [] : [index];
        });
        expect(Array.from(changed)).toEqual(differ);
      }),
    );
  });

  test('is rejected for other records than it was made from', () => {
    fc.assert(
      fc.property(anyTwoSnapshots, anyPositions, (snapshots, others) => {
        const [before, after, other] = [quantise(snapshots.before), quantise(snapshots.after), quantise(others)];
        const delta = encodeDelta(before, after);
        let records: QuantisedRecords;
        try {
          ({ records } = applyDelta(other, delta));
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          return;
        }
        expect(records).toEqual(after);
      }),
    );
  });
});
