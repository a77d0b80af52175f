import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { ruleOf, zoneOf } from '#lib/zones/evaluation/world.fixture.ts';
import { emptyZoneState } from '#lib/zones/evaluation/zone-state.ts';
import { ZoneHours } from '#lib/zones/zone-hours.ts';
import type { CurrentZone } from '../current-zones.ts';
import { type WatchEvent, ZoneEvaluator } from './zone-evaluator.ts';

const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const TRACKS = 400;

const zone: CurrentZone = {
  ...zoneOf({ rules: [ruleOf({ kind: 'entered' })] }),
  name: 'Gate',
  historyRequestsADay: 0,
  activeHours: new ZoneHours(null),
};

function read(atMs: number): WatchEvent {
  const positions = Array.from({ length: TRACKS }, (_, index) => {
    const ref = `RX-D-${index}`;
    const place = { lon: 8.5, lat: 47.4 + index * 1e-6 };
    return [
      ref,
      { ...plainPosition, kind: 'drone' as const, ref, ...place, observedAt: upstreamInstant(atMs) },
    ] as const;
  });
  const area = { key: 'world', layer: 'rid' as const, bbox: WORLD };
  return { kind: 'read', area, positions: new Map(positions), readAt: upstreamInstant(atMs), incomplete: undefined };
}

async function evaluated(yielding?: { readonly isDue: boolean; next(): Promise<void> }) {
  const evaluator = new ZoneEvaluator({ state: emptyZoneState(), latest: [] }, [zone], 'stopped');
  return evaluator.take([read(1_000_000), read(1_005_000)], [zone], yielding);
}

test('an evaluation gives way between positions, and finds the same', async () => {
  let turns = 0;
  const found = await evaluated({
    isDue: true,
    async next() {
      turns++;
    },
  });
  expect(turns).toBeGreaterThanOrEqual(2 * TRACKS);
  const { transitions, rows } = await evaluated();
  expect(found.transitions).toEqual(transitions);
  expect(found.rows).toEqual(rows);
});
