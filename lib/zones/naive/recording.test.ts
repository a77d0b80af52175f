import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { destination } from '#lib/geo/great-circle.ts';
import { makePosition } from '#lib/model/position.ts';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { runs } from '#testing/budget.ts';
import type { Observation, WatchedZone } from '../evaluation/transition.ts';
import { Evaluator, ruleOf, zoneOf } from '../evaluation/world.fixture.ts';
import { naiveEvaluate } from './naive-evaluate.fixture.ts';
import type { NaiveCall } from './naive-time.fixture.ts';

const SWISS = join(import.meta.dirname, '../../../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const START = upstreamInstant(Date.UTC(2026, 10, 1, 12));
const BOX = { west: 5.5, south: 45.5, east: 11, north: 48 };
const ZONES = runs(200);
const ANSWER_MS = 10 * SECOND_MS;
/** A naive evaluation is quadratic. */
const ZONES_AT_ONCE = 4;

test.skipIf(!existsSync(SWISS))(
  'zones have the same alarms in an hour of the Swiss recording as by the naive evaluator (skipped without the recordings next to the project)',
  async () => {
    const calls = await answersOfAnHour();
    const zones = randomZones();
    const evaluator = new Evaluator(...zones);
    for (const { observations, watched } of calls) evaluator.answer(observations, watched);
    const found = evaluator.transitions.map(({ type, key, kind, end, count, at }) => ({
      type,
      key,
      kind,
      end,
      count,
      atMs: epochMs(at),
    }));
    const expected = [];
    for (let from = 0; from < ZONES; from += ZONES_AT_ONCE) {
      for (const { type, key, kind, end, count, atMs } of naiveEvaluate(
        zones.slice(from, from + ZONES_AT_ONCE),
        calls,
      )) {
        expected.push({ type, key, kind, end, count, atMs });
      }
    }
    const byKey = (one: { key: string }, next: { key: string }) =>
      one.key < next.key ? -1 : one.key > next.key ? 1 : 0;
    expect(found.toSorted(byKey)).toEqual(expected.toSorted(byKey));
    expect(found.length).toBeGreaterThan(ZONES);
  },
);

async function answersOfAnHour(): Promise<NaiveCall[]> {
  const { source } = await openRecordings({ files: [SWISS], anchor: START });
  const window = { start: START, end: addMs(START, HOUR_MS) };
  const { observations } = source.history('adsb', BOX, window, 2_000_000);
  const answers = new Map<number, Observation[]>();
  for (const one of observations) {
    const answer = Math.floor((epochMs(one.observedAt) - epochMs(START)) / ANSWER_MS);
    const known = one as unknown as Readonly<Record<string, unknown>>;
    const position = makePosition(
      {
        ref: one.sourceId,
        kind: 'aircraft',
        observedAt: one.observedAt,
        staleAfter: undefined,
        lon: one.lon,
        lat: one.lat,
      },
      { measure: (name) => (known[name] as number | null) ?? undefined, label: () => undefined, flag: () => false },
    );
    answers.set(answer, [...(answers.get(answer) ?? []), { layer: 'adsb', position }]);
  }
  return Array.from({ length: HOUR_MS / ANSWER_MS }, (_, answer) => ({
    observations: answers.get(answer) ?? [],
    watched: Array.from({ length: ZONES }, (_zone, index) => ({
      zoneId: `zone-${index}`,
      layer: 'adsb' as const,
      from: addMs(START, answer * ANSWER_MS),
      to: addMs(START, (answer + 1) * ANSWER_MS),
      state: answer % 60 === 30 ? ('not_watched' as const) : ('watched' as const),
      reason: null,
    })),
  }));
}

function randomZones(): WatchedZone[] {
  const dice = makeDice(37);
  return Array.from({ length: ZONES }, (_, index) => {
    const centre = { lon: dice.between(BOX.west, BOX.east), lat: dice.between(BOX.south, BOX.north) };
    const sizeM = dice.between(500, 20_000);
    const corner = (courseDeg: number, lengthM: number): [number, number] => {
      const { lon, lat } = destination(centre, courseDeg, lengthM);
      return [lon, lat];
    };
    const ring = Array.from({ length: 12 }, (_corner, at) => corner(at * 30, sizeM * dice.between(0.5, 1)));
    const hold = { hold_s: dice.pick([0, 0, 30]), hold_m: dice.pick([0, 0, 200]), hold_out_s: dice.pick([0, 0, 20]) };
    return zoneOf({
      id: `zone-${index}`,
      shape:
        index % 3 === 0
          ? { type: 'Circle', centre: [centre.lon, centre.lat], radius_m: sizeM }
          : index % 3 === 1
            ? { type: 'Polygon', coordinates: [[...ring, ring[0] as [number, number]]] }
            : { type: 'Corridor', line: [0, 1, 2].map((at) => corner(at * 50, sizeM * at)), half_width_m: sizeM / 4 },
      vertical: index % 2 === 0 ? null : { field: 'altitude_m', floor_m: null, ceiling_m: 6000, unknown: 'flagged' },
      rules: [
        { ...ruleOf({ kind: 'entered', ...hold }), id: `rule-${index}-entered` },
        { ...ruleOf({ kind: 'speed', beyond: 'above', speed_mps: 200 }), id: `rule-${index}-speed` },
      ],
    });
  });
}
