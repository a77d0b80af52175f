import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { destination } from '#lib/geo/great-circle.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { ONLY_SERVER } from '#lib/server/database/writer-lease.ts';
import { AlarmStore, type Decided } from '#lib/server/zones/alarms/alarm-store.ts';
import { addMs, epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { type Evaluation, evaluate } from '#lib/zones/evaluate.ts';
import { compileZones } from '#lib/zones/evaluation/compile-zones.ts';
import type { Observation, StateRow, WatchedNote, WatchedRule, WatchedZone } from '#lib/zones/evaluation/transition.ts';
import { emptyZoneState } from '#lib/zones/evaluation/zone-state.ts';
import { groundOf } from '#lib/zones/ground.ts';
import type { PermitTerms } from '#lib/zones/permit.ts';
import { ruleSchema } from '#lib/zones/rule.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import { PERMITS_MAX } from '#lib/zones/zone-limits.ts';
import { cpuMsUntil } from '#testing/cpu-ms.ts';
import { heapMb, spread, timed } from './figures.ts';

const ZONES = 1000;
const TRACKS = 20_000;
const ANSWERS = 60;
/** Code compiles, and every alarm of the first answer opens. */
const WARM_UP = 20;
const GOAL = { answer_ms: 20, state_mb: 100 };
const BOX = { west: 0, east: 20, south: 43, north: 55 };
const SPEED_MAX_MPS = 250;
const START_MS = Date.UTC(2026, 10, 21, 12);

export async function bench(): Promise<object> {
  const dice = makeDice(1);
  const all = Array.from({ length: ZONES }, (_, index) => zoneOf(dice, index));
  const zones = compileZones(all);
  const emptyMb = await heapMb();
  const state = emptyZoneState();
  let positions = Array.from({ length: TRACKS }, (_, index) => firstPosition(dice, index));
  const folder = mkdtempSync(join(tmpdir(), 'lookout-zones-'));
  const database = await openDatabase({ dialect: 'sqlite', file: join(folder, 'lookout.sqlite') });
  const store = new AlarmStore(database);
  const [answerMs, rowMs, storeMs] = [[] as number[], [] as number[], [] as number[]];
  let [transitions, rows] = [0, 0];
  for (let answer = 0; answer < ANSWERS + WARM_UP; answer++) {
    positions = positions.map((position) => moved(dice, position));
    const observations = positions.map((position): Observation => ({ layer: 'adsb', position }));
    const notes = [...zones.zones.keys()].map((id) => noteOf(id, answer));
    const [evaluation, tookMs] = timed(() => evaluate(zones, state, observations, notes));
    const [stored, rowsMs] = timed(() => evaluation.rows());
    const commit = () => store.commit(decidedOf(evaluation, stored, notes), ONLY_SERVER.fence ?? 0);
    const storedMs = await cpuMsUntil(commit);
    if (answer < WARM_UP) continue;
    storeMs.push(storedMs);
    answerMs.push(tookMs);
    rowMs.push(rowsMs);
    rows = stored.length;
    transitions += evaluation.transitions.length;
  }
  await database.close();
  rmSync(folder, { recursive: true });
  const stateMb = (await heapMb()) - emptyMb;
  const permitted = compileZones(all.map(withPermits));
  const permittedMs: number[] = [];
  for (let answer = ANSWERS + WARM_UP; answer < ANSWERS + 2 * WARM_UP; answer++) {
    positions = positions.map((position) => moved(dice, position));
    const observations = positions.map((position): Observation => ({ layer: 'adsb', position }));
    const notes = [...zones.zones.keys()].map((id) => noteOf(id, answer));
    permittedMs.push(timed(() => evaluate(permitted, state, observations, notes))[1]);
  }
  const answers = spread(answerMs);
  return {
    what: `${ZONES} zones of two rules and ${TRACKS} tracks between 0° and 20° E, each received once a second. Memory includes the last position of each. stored_ms: processor time of the transaction in SQLite, with the stretches of all zones. In permitted_ms, one zone in fifty has its most permits, each an area of 500 corners`,
    goal: GOAL,
    reached: answers.median <= GOAL.answer_ms && stateMb <= GOAL.state_mb,
    answer_ms: answers,
    permitted_ms: spread(permittedMs),
    rows_ms: spread(rowMs),
    stored_ms: spread(storeMs),
    rows_an_answer: rows,
    state_mb: Math.round(stateMb),
    transitions,
    // Also keeps the state until its memory is measured.
    open: [...state.watches.values()].reduce((sum, watch) => sum + watch.progress.size, 0),
  };
}

function zoneOf(dice: Dice, index: number): WatchedZone {
  const rule = (id: string, rest: Record<string, unknown>) =>
    ({ id: `${index}-${id}`, ...ruleSchema.parse({ layers: ['rid', 'adsb'], ...rest }) }) as WatchedRule;
  return {
    id: `zone-${index}`,
    revision: 1,
    shape: shapeOf(dice, index),
    hours: null,
    permits: [],
    vertical: { field: 'altitude_m', floor_m: null, ceiling_m: 3000, unknown: 'flagged' },
    rules: [
      rule('entered', { kind: 'entered', hold_m: index % 2 === 0 ? 50 : 0, hold_out_s: 20 }),
      rule('low', { kind: 'height', beyond: 'below', field: 'altitude_m', height_m: 500 }),
    ],
  };
}

/** Every fiftieth zone has its most permits, whose area is a star around it: its box decides nothing. */
function withPermits(zone: WatchedZone, index: number): WatchedZone {
  if (index % (PERMITS_MAX.zone / 2) !== 0) return zone;
  const { bbox } = groundOf(zone.shape);
  const centre = { lon: (bbox.west + bbox.east) / 2, lat: (bbox.south + bbox.north) / 2 };
  const corners = Array.from({ length: 499 }, (_, at): [number, number] => {
    const { lon, lat } = destination(centre, (at * 360) / 499, at % 2 === 0 ? 20_000 : 10);
    return [lon, lat];
  });
  const permit: PermitTerms = {
    layers: ['adsb'],
    track: null,
    shape: { type: 'Polygon', coordinates: [[...corners, corners[0] as [number, number]]] },
    vertical: null,
    start: formatInstant(upstreamInstant(START_MS)),
    end: formatInstant(upstreamInstant(START_MS + DAY_MS)),
  };
  return { ...zone, revision: 2, permits: Array.from({ length: PERMITS_MAX.zone }, () => permit) };
}

/** By turns a circle, a polygon of 40 corners and a corridor, 1 to 10 km in size. */
function shapeOf(dice: Dice, index: number): ZoneShape {
  const centre = { lon: dice.between(BOX.west, BOX.east), lat: dice.between(BOX.south, BOX.north) };
  const sizeM = dice.between(1000, 10_000);
  const corner = (courseDeg: number, lengthM: number): [number, number] => {
    const { lon, lat } = destination(centre, courseDeg, lengthM);
    return [lon, lat];
  };
  if (index % 3 === 0) return { type: 'Circle', centre: [centre.lon, centre.lat], radius_m: sizeM };
  if (index % 3 === 1) {
    const ring = Array.from({ length: 40 }, (_, at) => corner(at * 9, sizeM * dice.between(0.6, 1)));
    return { type: 'Polygon', coordinates: [[...ring, ring[0] as [number, number]]] };
  }
  const line = [0, 1, 2].map((at) => corner(at * 40, sizeM * at));
  return { type: 'Corridor', line, half_width_m: 500 };
}

function firstPosition(dice: Dice, index: number): Position {
  return {
    ...plainPosition,
    ref: `RX-A-${index.toString(16).toUpperCase().padStart(16, '0')}`,
    lon: dice.between(BOX.west, BOX.east),
    lat: dice.between(BOX.south, BOX.north),
    altitudeM: index % 10 === 0 ? undefined : dice.between(100, 12_000),
    speedMps: dice.between(0, SPEED_MAX_MPS),
    headingDeg: dice.between(0, 360),
    observedAt: upstreamInstant(START_MS + dice.integer(0, SECOND_MS - 1)),
  };
}

function moved(dice: Dice, position: Position): Position {
  const headingDeg = ((position.headingDeg ?? 0) + dice.between(-3, 3) + 360) % 360;
  const place = destination(position, headingDeg, position.speedMps ?? 0);
  return { ...position, ...place, headingDeg, observedAt: addMs(position.observedAt, SECOND_MS) };
}

function decidedOf({ transitions }: Evaluation, rows: readonly StateRow[], notes: readonly WatchedNote[]): Decided {
  const stretches = notes.map(({ from: _, to, ...note }) => ({ ...note, fromMs: START_MS, toMs: epochMs(to) }));
  return { rows, transitions, stretches, madeUp: [], at: notes[0]?.to ?? upstreamInstant(START_MS) };
}

function noteOf(zoneId: string, answer: number): WatchedNote {
  const from = upstreamInstant(START_MS + (answer + 1) * SECOND_MS);
  return { zoneId, layer: 'adsb', from, to: addMs(from, SECOND_MS), state: 'watched', reason: null };
}
