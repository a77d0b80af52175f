import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { distanceM } from '#lib/geo/great-circle.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { TrackKey } from '#service/receivers/fix.ts';
import { StationComparison } from '#service/receivers/stations/compare-stations.ts';
import {
  type AircraftHour,
  type JudgedHour,
  type Judgement,
  judgeStations,
  NO_AIRCRAFT,
} from '#service/receivers/stations/deafness.ts';
import { dayStartMs } from '#service/receivers/stations/station-tally.ts';
import { UsualReach } from '#service/receivers/stations/usual-reach.ts';
import { SWISS } from './recordings.ts';

/**
 * Three stations hear the Swiss recording, day after day. Losses grow with distance to the station, up to its horizon;
 * each aircraft's transmitter is weaker or stronger. Weekends have fewer flights, nights few, every flight its own
 * delay, and some days a closed airport, rain over all, rain on one antenna, or a receiver that restarts.
 */
const STATIONS = [
  { id: 'zurich', lon: 8.55, lat: 47.45, antennaM: 40, rangeM: 260_000 },
  { id: 'bern', lon: 7.45, lat: 46.95, antennaM: 25, rangeM: 220_000 },
  { id: 'geneva', lon: 6.1, lat: 46.2, antennaM: 15, rangeM: 180_000 },
  // Where the last one is moved to, 100 and 280 km away.
  { id: 'geneva', lon: 7.3, lat: 46.6, antennaM: 15, rangeM: 180_000 },
  { id: 'geneva', lon: 9.4, lat: 47.4, antennaM: 15, rangeM: 180_000 },
] as const;

const SEEDS = Number(process.env.DEAF_SEEDS ?? 20);
const QUIET_DAYS = 30;
const LEARNED_DAYS = 10;
/** The service judges every minute. */
const JUDGED_MINUTES = 10;
const MINUTES = DAY_MS / MINUTE_MS;
/** A Sunday. */
const START_MS = Date.UTC(2026, 9, 4);

interface Row {
  readonly minute: number;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  /** The distance to each station, in its range; beyond its horizon Infinity. */
  readonly ranges: readonly number[];
}
interface Flight {
  readonly key: TrackKey;
  readonly isLow: boolean;
  readonly rows: readonly Row[];
}

const EARTH_RADIO_M = 4_120;

function horizonM(antennaM: number, altitudeM: number): number {
  return EARTH_RADIO_M * (Math.sqrt(antennaM) + Math.sqrt(Math.max(0, altitudeM - 450)));
}

function flights(): readonly Flight[] {
  if (!existsSync(SWISS)) throw new Error(`${SWISS} is missing: see "Recordings" in docs/performance.md`);
  const byId = new Map<string, Row[]>();
  for (const line of gunzipSync(readFileSync(SWISS)).toString('utf8').split('\n')) {
    if (line === '') continue;
    const { t, id, lon, lat, alt_m: altitudeM } = JSON.parse(line);
    const ranges = STATIONS.map((station) => {
      const apartM = distanceM(station, { lon, lat });
      return apartM > horizonM(station.antennaM, altitudeM ?? 0) ? Number.POSITIVE_INFINITY : apartM / station.rangeM;
    });
    const rows = byId.get(id) ?? [];
    byId.set(id, rows);
    rows.push({ minute: Math.floor((Date.parse(t) % DAY_MS) / MINUTE_MS), lon, lat, altitudeM, ranges });
  }
  return [...byId].map(([id, rows]) => ({
    key: id as TrackKey,
    isLow: rows.every(({ altitudeM }) => (altitudeM ?? 0) < 4000),
    rows,
  }));
}

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Loss {
  readonly station: number;
  readonly fromMinute: number;
  /** Of its messages at random, or of its range. */
  readonly messages: number;
  readonly range: number;
  /** The station whose place it has. */
  readonly at?: number;
}

interface Seen {
  /** By station, for each minute of the clock: whether it is deaf, by neighbours or alone. */
  readonly judged: (station: number, minute: number, judgement: Judgement) => boolean;
}

/** Lives through the days. @returns the first minute for which `judged` returns true */
function live(
  seed: number,
  days: number,
  present: readonly number[],
  loss: Loss | undefined,
  { judged }: Seen,
): number | undefined {
  const random = randomOf(seed);
  const between = (from: number, to: number) => from + (to - from) * random();
  const usual = UsualReach.inMemory();
  const comparison = new StationComparison(usual);
  const hours = new Map(present.map((station) => [station, [] as JudgedHour[]]));
  const before = new Map<number, AircraftHour>();
  for (let day = 0; day < days; day += 1) {
    const isWeekend = [0, 6].includes(new Date(START_MS + day * DAY_MS).getUTCDay());
    const flown = isWeekend ? between(0.45, 0.7) : between(0.8, 0.95);
    const isClosed = random() < 0.05;
    const dip = random() < 0.3 ? { from: between(0, MINUTES), to: 0, range: between(0.6, 0.95) } : undefined;
    if (dip) dip.to = dip.from + between(60, 360);
    const minutes: { flight: Flight; row: Row; power: number }[][] = Array.from({ length: MINUTES }, () => []);
    for (const flight of FLIGHTS) {
      if (random() > flown || (isClosed && flight.isLow)) continue;
      const delay = Math.round(random() < 0.02 ? between(0, MINUTES) : between(-25, 25));
      const power = between(0.7, 1.1);
      for (const row of flight.rows) minutes[(row.minute + delay + MINUTES) % MINUTES]!.push({ flight, row, power });
    }
    const own = present.map(() => ({
      rain:
        random() < 0.15 ? { from: between(0, MINUTES), hours: between(1, 3), range: between(0.75, 0.95) } : undefined,
      off: random() < 0.5 ? { from: between(0, MINUTES), minutes: between(1, 20) } : undefined,
    }));
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const now = day * MINUTES + minute;
      const weather = dip && minute >= dip.from && minute < dip.to ? dip.range : 1;
      const isOff = own.map(({ off }) => off !== undefined && minute >= off.from && minute < off.from + off.minutes);
      for (const [index, station] of present.entries()) {
        if (isOff[index]) continue;
        const { rain } = own[index]!;
        const isWet = rain && minute >= rain.from && minute < rain.from + 60 * rain.hours;
        const isLost = loss?.station === station && now >= loss.fromMinute ? loss : undefined;
        const reach = weather * (isWet ? rain.range : 1) * (1 - (isLost?.range ?? 0));
        const share = 1 - (isLost?.messages ?? 0);
        for (const { flight, row, power } of minutes[minute]!) {
          const range = row.ranges[isLost?.at ?? station]! / (reach * power);
          if (random() > 0.95 * (1 - range * range) * share) continue;
          comparison.note(STATIONS[station]!.id, [
            { layer: 'adsb', origin: 'broadcast', trackKey: flight.key, ...row },
          ]);
        }
      }
      const wallMs = START_MS + now * MINUTE_MS;
      comparison.moveTo(
        now * MINUTE_MS,
        wallMs,
        present.map((station, index) => ({
          id: STATIONS[station]!.id,
          receivesSinceMs: isOff[index] ? undefined : Number.NEGATIVE_INFINITY,
        })),
      );
      for (const [index, station] of present.entries()) {
        const its = hours.get(station)!;
        addMinute(its, wallMs, comparison.totalsOf(STATIONS[station]!.id), before, station, isOff[index] === true);
      }
      if (minute % JUDGED_MINUTES !== JUDGED_MINUTES - 1) continue;
      const judgements = judgeStations(new Map([...hours].map(([station, its]) => [String(station), its])));
      for (const station of present) {
        const judgement = judgements.get(String(station))!;
        if (judgement.movedMs !== undefined) usual.forget(STATIONS[station]!.id, dayStartMs(judgement.movedMs));
        if (judged(station, now, judgement)) return now;
      }
    }
  }
  return undefined;
}

function addMinute(
  hours: JudgedHour[],
  wallMs: number,
  totals: Readonly<AircraftHour>,
  before: Map<number, AircraftHour>,
  station: number,
  isOff: boolean,
): void {
  const startMs = Math.floor(wallMs / HOUR_MS) * HOUR_MS;
  const last = before.get(station) ?? NO_AIRCRAFT;
  const add = (sum: AircraftHour): AircraftHour => ({
    tracks: sum.tracks + totals.tracks - last.tracks,
    expected: sum.expected + totals.expected - last.expected,
    received: sum.received + totals.received - last.received,
    own: sum.own + totals.own - last.own,
    elsewhere: sum.elsewhere + totals.elsewhere - last.elsewhere,
  });
  const open = hours.at(-1);
  if (open?.startMs === startMs) hours.pop();
  const known = open?.startMs === startMs ? open : { startMs, connectedMs: 0, aircraft: NO_AIRCRAFT };
  hours.push({
    startMs,
    connectedMs: known.connectedMs + (isOff ? 0 : MINUTE_MS),
    aircraft: add(known.aircraft ?? NO_AIRCRAFT),
  });
  before.set(station, { ...totals });
}

const FLIGHTS = flights();

/** Quiet days: alarms, and the least shares of healthy stations over so many hours of traffic. */
function quiet(present: readonly number[]) {
  let alarms = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const deaf = new Set<number>();
    live(seed, QUIET_DAYS, present, undefined, {
      judged(station, minute, judgement) {
        if (judgement.deaf === undefined && judgement.movedMs === undefined) return deaf.delete(station) && false;
        if (!deaf.has(station)) {
          alarms += 1;
          process.stderr.write(
            `seed ${seed} day ${(minute / MINUTES).toFixed(2)} ${STATIONS[station]!.id} ${JSON.stringify(judgement)}\n`,
          );
        }
        deaf.add(station);
        return false;
      },
    });
  }
  return alarms;
}

function toAlarm(present: readonly number[], learnedDays: number, loss: Pick<Loss, 'messages' | 'range'>) {
  const waits: number[] = [];
  const shares: number[] = [];
  let missed = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const hour = [6, 11, 17, 23][seed % 4]!;
    const fromMinute = learnedDays * MINUTES + hour * 60 + (seed % 60);
    const station = present[0]!;
    const at = live(
      seed,
      learnedDays + 6,
      present,
      { station, fromMinute, ...loss },
      {
        judged(judged, minute, { deaf }) {
          if (judged !== station || minute < fromMinute || deaf === undefined) return false;
          shares.push(deaf.share);
          return true;
        },
      },
    );
    if (at === undefined) missed += 1;
    else waits.push((at - fromMinute) / 60);
  }
  waits.sort((a, b) => a - b);
  const rounded = (value: number | undefined) => (value === undefined ? null : Math.round(value * 100) / 100);
  return {
    hours_median: rounded(waits[waits.length >> 1]),
    hours_max: rounded(waits.at(-1)),
    missed,
    share: rounded(shares[shares.length >> 1]),
  };
}

/** A station that was moved: how often it is called deaf within so many days, and how much it hears elsewhere. */
function moved(to: number) {
  const days = 20;
  const after = LEARNED_DAYS * MINUTES;
  let [alarms, noticed] = [0, 0];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    let isDeaf = false;
    let isMoved = false;
    const loss = { station: 2, fromMinute: after, messages: 0, range: 0, at: to };
    live(seed, days, [0, 1, 2], loss, {
      judged(station, minute, { deaf, movedMs }) {
        if (station !== 2 || minute < after) return false;
        isDeaf ||= deaf !== undefined;
        isMoved ||= movedMs !== undefined;
        return false;
      },
    });
    alarms += Number(isDeaf);
    noticed += Number(isMoved);
  }
  return { alarms, noticed };
}

/** By name, to run those that begin with `DEAF_ONLY`. */
const FIGURES: Readonly<Record<string, () => object>> = {
  ...Object.fromEntries(
    [0.9, 0.6, 0.3].flatMap((share) => [
      [`messages_${share}`, () => toAlarm([0, 1, 2], LEARNED_DAYS, { messages: share, range: 0 })],
      [`range_${share}`, () => toAlarm([0, 1, 2], LEARNED_DAYS, { messages: 0, range: share })],
      [`alone_${share}`, () => toAlarm([0], 3 * 7, { messages: share, range: 0 })],
    ]),
  ),
  moved_100_km: () => moved(3),
  moved_280_km: () => moved(4),
  quiet_three: () => ({ alarms: quiet([0, 1, 2]) }),
  quiet_two: () => ({ alarms: quiet([0, 2]) }),
  quiet_alone: () => ({ alarms: quiet([0]) }),
};

export async function bench(): Promise<object> {
  const found: Record<string, object> = {};
  for (const [name, figure] of Object.entries(FIGURES)) {
    if (!name.startsWith(process.env.DEAF_ONLY ?? '')) continue;
    found[name] = figure();
    process.stderr.write(`${name} ${JSON.stringify(found[name])}\n`);
  }
  const reached = Object.values(found).every((figure) => !('alarms' in figure) || figure.alarms === 0);
  return { seeds: SEEDS, days: QUIET_DAYS, ...found, goal: { alarms: 0 }, reached };
}
