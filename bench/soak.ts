import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { freePort } from '#testing/free-port.ts';
import { startLookout } from '../e2e/running/running-lookout.ts';
import { built } from './built.ts';
import { InspectedHeap, type UsedMemory } from './inspected-heap.ts';
import { panningViewer, type Tally } from './panning-viewer.ts';
import { signedIn } from './signed-in.ts';
import { comesAndGoes, type Deeds, hostile, loadsThePast } from './soak-traffic.ts';
import { spread } from './spread.ts';

const VIEWERS = 200;
const OPERATORS = ['soak-1', 'soak-2', 'soak-3', 'soak-4', 'soak-5', 'soak-6', 'soak-7', 'soak-8'];
const HOSTILE = 'soak-hostile';
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const SAMPLE_EVERY_MS = 20_000;
/** Between one viewer and the next: a shift does not begin in one instant. */
const ARRIVE_EVERY_MS = 50;
const GROWN_MB_AN_HOUR_MAX = 1;
/** What is used now and then is compiled, and what is kept up to a limit fills, over an hour: first everybody does all of it this much faster. */
const WARM_UP_HASTE = 3;
/** Trails are kept for a quarter of an hour. */
const WARM_UP_MINUTES = Math.min(18, MINUTES);
/** Everybody rests before each, and at the end. */
const SHIFTS = 2;
/** Longer than pictures are kept for viewers who have gone. */
const REST_MS = 6 * MINUTE_MS;

interface Sample extends UsedMemory {
  /** What is kept for all operators up to a limit each, in heap and buffers: parts of the past, and trails. */
  readonly pastMb: number;
  readonly trailsMb: number;
  readonly handles: number;
  readonly files: number;
  readonly residentMb: number;
  readonly cpuS: number;
}

/** A shift: viewers who pan and zoom, sign-ins, replays and one hostile operator, over HTTP against the built app and the service. */
export async function soak(): Promise<object> {
  await built();
  const metricsPort = await freePort();
  const lookout = await startLookout({
    operators: [...OPERATORS, HOSTILE],
    service: { options: ['--tracks', '2000,200', '--allowance', '6000,2000000'] },
    settings: {
      LOG_LEVEL: 'silent',
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
      METRICS_PORT: String(metricsPort),
      TRUSTED_PROXIES: 'loopback',
    },
  });
  const pool = new Pool(lookout.url, { connections: VIEWERS });
  try {
    const accounts = lookout.operators.filter(({ name }) => name !== HOSTILE);
    const enemy = lookout.operators.find(({ name }) => name === HOSTILE);
    if (!enemy) throw new Error('no hostile operator');
    const cookies: string[] = [];
    for (const account of accounts) cookies.push(await signedIn(lookout.url, account));
    const cookieOf = (index: number) => cookies[index % cookies.length] ?? '';
    const heap = await InspectedHeap.connect(lookout.app.stderr());
    const tally: Tally = { answers: 0, errors: 0, empty: 0, bytes: 0, tookMs: [] };
    const deeds: Deeds = { signIns: 0, loads: 0, hostile: 0, errors: [] };
    const samples: Sample[] = [];
    const sample = async () => ({ ...(await heap.used()), ...(await metricsOf(metricsPort)) });
    /** Traffic for so long, as it is or faster. */
    const shift = async (minutes: number, haste = 1) => {
      const endsMs = Date.now() + minutes * MINUTE_MS;
      const traffic = [
        ...Array.from({ length: VIEWERS }, async (_, index) => {
          await delay(index * ARRIVE_EVERY_MS);
          await panningViewer(pool, cookieOf(index), index, () => endsMs, tally, haste);
        }),
        ...accounts.slice(0, 2).map((account) => comesAndGoes(lookout.url, account, endsMs, deeds, haste)),
        ...[0, 1].map((index) => loadsThePast(pool, cookieOf(index), index, endsMs, deeds, haste)),
        hostile(lookout.url, enemy, endsMs, deeds),
      ];
      while (Date.now() < endsMs) {
        await delay(Math.min(SAMPLE_EVERY_MS, Math.max(0, endsMs - Date.now())));
        samples.push(await sample());
      }
      await Promise.all(traffic);
    };
    const atRest = async () => {
      await delay(REST_MS);
      const rested = await sample();
      process.stderr.write(`at rest ${JSON.stringify(rested)}\n`);
      return rested;
    };
    await shift(WARM_UP_MINUTES, WARM_UP_HASTE);
    for (const measured of [samples, tally.tookMs]) measured.splice(0);
    Object.assign(tally, { answers: 0, empty: 0, bytes: 0 });
    const rests = [await atRest()];
    for (let worked = 0; worked < SHIFTS; worked++) {
      await shift(MINUTES / SHIFTS);
      rests.push(await atRest());
    }
    heap.close();
    const [before, after] = [rests.at(0), rests.at(-1)];
    if (!before || !after) throw new Error('nobody has rested');
    const anHour = (values: readonly number[]) =>
      Math.round(((slope(values) * 60 * MINUTE_MS) / SAMPLE_EVERY_MS) * 10) / 10;
    const hours = MINUTES / 60;
    const grown = (of: (sample: Sample) => number) => Math.round(((of(after) - of(before)) / hours) * 10) / 10;
    const unboundedGrown = grown((sample) => usedMb(sample) - sample.pastMb - sample.trailsMb);
    const { tookMs, errors, ...counts } = tally;
    const allErrors = errors + deeds.errors.length;
    return {
      what: `${VIEWERS} viewers of ${OPERATORS.length} operators, each panning or zooming at every poll, with sign-ins, loads of the past and one hostile operator, for ${MINUTES} minutes, after ${WARM_UP_MINUTES} in which they did so ${WARM_UP_HASTE} times as often; memory of the app after a collection, heap and buffers; growth is from a rest before these minutes to one after them, each so long that the app has let go of what nobody looks at, without what is kept up to a limit and counted by itself; what is in use moves it by several MB, so the line that is fitted to the samples says less`,
      goal: { errors: 0, grown_mb_an_hour: GROWN_MB_AN_HOUR_MAX },
      reached: allErrors === 0 && unboundedGrown <= GROWN_MB_AN_HOUR_MAX,
      ...counts,
      errors: allErrors,
      first_errors: deeds.errors.slice(0, 5),
      sign_ins: deeds.signIns,
      loads: deeds.loads,
      hostile_requests: deeds.hostile,
      ms: spread(tookMs),
      grown_mb_an_hour: unboundedGrown,
      grown_by_mb_an_hour: {
        all: grown(usedMb),
        heap: grown(({ heapMb }) => heapMb),
        compiled: grown(({ compiledMb }) => compiledMb),
        buffers: grown(({ buffersMb }) => buffersMb),
        past: grown(({ pastMb }) => pastMb),
        trails: grown(({ trailsMb }) => trailsMb),
      },
      at_rest: rests,
      fitted_mb_an_hour: anHour(samples.map(usedMb)),
      handles_an_hour: anHour(samples.map(({ handles }) => handles)),
      cores: Math.round(((after.cpuS - before.cpuS) / (MINUTES * 60)) * 100) / 100,
      resident_mb: samples.map(({ residentMb }) => residentMb),
      heap_mb: samples.map(({ heapMb }) => heapMb),
      buffers_mb: samples.map(({ buffersMb }) => buffersMb),
      handles: samples.map(({ handles }) => handles),
      files: samples.map(({ files }) => files),
    };
  } finally {
    await pool.destroy();
    await lookout.stop();
  }
}

function usedMb({ heapMb, buffersMb }: UsedMemory): number {
  return heapMb + buffersMb;
}

async function metricsOf(port: number): Promise<Omit<Sample, keyof UsedMemory>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const keptMb = (what: string) => metric(`lookout_kept_bytes{what="${what}"}`) / 1e6;
  return {
    pastMb: keptMb('past'),
    trailsMb: keptMb('trails'),
    handles: metric('nodejs_active_handles_total'),
    files: metric('process_open_fds'),
    residentMb: Math.round(metric('process_resident_memory_bytes') / 1e6),
    cpuS: metric('process_cpu_seconds_total'),
  };
}

/** Slope of the least-squares line through the values, in their unit per step. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [along, across] = [0, 0];
  for (const [index, value] of values.entries()) {
    along += (index - middle) * (value - mean);
    across += (index - middle) ** 2;
  }
  return across === 0 ? Number.NaN : along / across;
}
