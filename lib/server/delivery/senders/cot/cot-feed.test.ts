import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, msBetween } from '#lib/time/instant.ts';
import { areaOf } from '../../../live/area-of.ts';
import { AreaReads } from '../../../live/area-reads.ts';
import { CotFeed, type CotPositions } from './cot-feed.ts';

const BOX = { west: 0, south: 0, east: 20, north: 60 };
const { observedAt: at } = plainPosition;

function feed(choice: Partial<CotPositions> = {}) {
  const reads = new AreaReads();
  const sent: Position[] = [];
  const opened = new CotFeed(reads, { layers: ['rid', 'adsb'], bbox: null, every_s: 5, ...choice }, (positions) =>
    sent.push(...positions),
  );
  const read = (positions: readonly Position[], layer: 'rid' | 'adsb' = 'adsb') => {
    const byRef = new Map(positions.map((position) => [position.ref, position]));
    reads.publish({ kind: 'read', area: areaOf(layer, BOX), positions: byRef, readAt: at, isComplete: true });
  };
  return { read, sent, close: opened.close };
}

test('sends each track at most once in the chosen time, and never an older position', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.record({ ref: fc.constantFrom('A', 'B'), seconds: fc.integer({ min: -600, max: 600 }) })),
      (every_s, reads) => {
        const { read, sent } = feed({ every_s });
        for (const { ref, seconds } of reads) read([{ ...plainPosition, ref, observedAt: addMs(at, seconds * 1000) }]);
        for (const ref of ['A', 'B']) {
          const ofTrack = sent.filter((position) => position.ref === ref);
          expect(ofTrack.length > 0).toBe(reads.some((each) => each.ref === ref));
          for (const [index, { observedAt }] of ofTrack.entries())
            if (index > 0)
              expect(msBetween(ofTrack[index - 1]!.observedAt, observedAt)).toBeGreaterThanOrEqual(every_s * 1000);
        }
      },
    ),
  );
});

test('sends a position once, however often it is read', () => {
  const { read, sent } = feed();
  for (let time = 0; time < 3; time += 1) read([plainPosition]);
  expect(sent).toEqual([plainPosition]);
});

test('sends positions in the box and of the layers, over 180° too', () => {
  const { read, sent } = feed({ layers: ['adsb'], bbox: [170, -10, -170, 10] });
  const positionAt = (ref: string, lon: number, lat: number) => ({ ...plainPosition, ref, lon, lat });
  read([
    positionAt('east', -175, 0),
    positionAt('edge', 180, 10),
    positionAt('out', 0, 0),
    positionAt('north', 175, 11),
  ]);
  read([positionAt('drone', 175, 0)], 'rid');
  expect(sent.map(({ ref }) => ref)).toEqual(['east', 'edge']);
});

test('sends nothing once closed', () => {
  const { read, sent, close } = feed();
  close();
  read([plainPosition]);
  expect(sent).toEqual([]);
});
