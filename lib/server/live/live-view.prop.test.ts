import fc from 'fast-check';
import { expect, test } from 'vitest';
import { REASON_OF_RECEPTION } from '#lib/api/layer-reason.ts';
import { layerAnswerSchema } from '#lib/api/live-answer.ts';
import { corners } from '#lib/geo/corners.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { UpstreamClock } from '../upstream/upstream-clock.ts';
import { AreaSnapshots } from './area-snapshots.ts';
import { viewLayer } from './live-view.ts';
import { areaOf } from './snapshots.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const now = upstreamInstant(NOW_MS);
const clock = new UpstreamClock(() => localInstant(NOW_MS));

const anyReception: fc.Arbitrary<Reception> = fc.record({
  state: fc.constantFrom('ok', 'partly', 'lost', 'none'),
  since: fc.option(
    fc.nat(600_000).map((ms) => addMs(now, -ms)),
    { nil: undefined },
  ),
  receivers: fc.nat(5),
  receiving: fc.nat(5),
});
/** Areas next to each other, each 1° wide; `undefined` was not read. */
const anyAreas = fc.array(
  fc.option(
    fc.record({
      reception: fc.option(anyReception, { nil: undefined }),
      hasRecord: fc.boolean(),
      ageMs: fc.constantFrom(0, 5000, 300_000),
    }),
    { nil: undefined },
  ),
  { minLength: 1, maxLength: 5 },
);
const boxOf = (index: number) => ({ west: index, south: 0, east: index + 1, north: 1 });

function viewed(areas: typeof anyAreas extends fc.Arbitrary<infer Areas> ? Areas : never) {
  const snapshots = new AreaSnapshots();
  for (const [index, read] of areas.entries()) {
    if (!read) continue;
    const position = { ...plainPosition, lon: index + 0.5, lat: 0.5 };
    const readAt = addMs(now, -read.ageMs);
    snapshots.put({
      area: areaOf('adsb', boxOf(index)),
      positions: new Map(read.hasRecord ? [[`${index}`, position]] : []),
      fetchedAt: readAt,
      readAt,
      incomplete: undefined,
      unreadable: 0,
      reception: read.reception,
    });
  }
  const view = { west: 0, south: 0, east: areas.length, north: 1 };
  const { answer } = viewLayer('adsb', [view], { jobs: [], operator: 'local' }, snapshots, clock);
  return layerAnswerSchema.parse(answer);
}

test('a view with lost receivers is never fresh, and one that is whole and fresh has them all', () => {
  fc.assert(
    fc.property(anyAreas, (areas) => {
      const { state, reason, partial, reception, gaps } = viewed(areas);
      const states = areas.flatMap((area) => area?.reception?.state ?? []);
      if (states.includes('lost')) {
        expect(state).toBe(areas.some((area) => area?.hasRecord) ? 'stale' : 'failed');
        expect([reason, reception?.state]).toEqual(['receivers_lost', 'lost']);
      }
      if (state === 'unequipped') expect(new Set(states)).toEqual(new Set(['none']));
      if (state === 'fresh' && !partial) {
        expect(states.every((each) => each === 'ok')).toBe(true);
        expect([reason, gaps]).toEqual([null, []]);
      }
      expect(reception === null).toBe(states.length === 0);
    }),
  );
});

test('each part without some of its receivers is a gap of its box, unless the state says it of the whole view', () => {
  fc.assert(
    fc.property(anyAreas, (areas) => {
      const { gaps } = viewed(areas);
      const missed = areas.flatMap((area, index) => {
        const code = area?.reception && REASON_OF_RECEPTION[area.reception.state];
        return code === undefined ? [] : [{ bbox: corners(boxOf(index)), reason: code }];
      });
      const isWhole = missed.length === areas.length && new Set(missed.map((gap) => gap.reason)).size === 1;
      const isSaid = isWhole && missed[0]?.reason !== 'receivers_partly';
      const found = gaps.filter((gap) => gap.reason in { receivers_lost: 0, receivers_partly: 0, not_equipped: 0 });
      const byWest = (one: { bbox: readonly number[] }, other: { bbox: readonly number[] }) =>
        (one.bbox[0] ?? 0) - (other.bbox[0] ?? 0);
      expect(found.toSorted(byWest)).toEqual(isSaid ? [] : missed);
    }),
  );
});

test('without a reported reception, an answer is as with one that is in order', () => {
  fc.assert(
    fc.property(anyAreas, (areas) => {
      const silent = viewed(areas.map((area) => area && { ...area, reception: undefined }));
      const ok = { state: 'ok', since: undefined, receivers: 1, receiving: 1 } as const;
      const reported = viewed(areas.map((area) => area && { ...area, reception: ok }));
      expect({ ...reported, reception: null }).toEqual(silent);
    }),
  );
});
