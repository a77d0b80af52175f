import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { type CurrentZone, ZoneDemand } from '#lib/server/zones/current-zones.ts';
import { ZonePrices } from '#lib/server/zones/zone-prices.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Scenario } from './scenario.ts';
import { UpstreamInProcess } from './upstream-in-process.ts';
import { VirtualTime } from './virtual-time.ts';
import { startWriter, storesIn, type WriterProcess } from './writer-process.ts';

const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** When prices follow the traffic that was read. */
const PRICED_AFTER_MS = 10 * MINUTE_MS;

export interface ZoneDayFigures {
  readonly requests: number;
  /** Because the account was used up. */
  readonly refused: { readonly minute: number; readonly day: number };
  /** Requests of all zones: their cost every 5 s, and the affordable part. */
  readonly price: number;
  readonly affordable: number;
}

/** A UTC day in virtual time over the real engine, without viewers. */
export async function runZoneDay(
  scenario: Omit<Scenario, 'startMs' | 'endMs' | 'operators' | 'isAllDay'>,
  midnightMs: number,
  zones: readonly CurrentZone[],
): Promise<ZoneDayFigures> {
  const endMs = midnightMs + DAY_MS;
  const day = { ...scenario, startMs: midnightMs, endMs, operators: [], isAllDay: false };
  const folder = mkdtempSync(join(FOLDERS, 'lookout-zone-day-'));
  const time = new VirtualTime(midnightMs);
  const upstream = new UpstreamInProcess(time, day, () => undefined);
  const dice = makeDice(scenario.seed);
  const now = () => localInstant(time.nowMs);
  const current = { all: zones, onChange: () => () => undefined };
  let writer: WriterProcess | undefined;
  let demand: ZoneDemand | undefined;
  let prices = { price: Number.NaN, affordable: Number.NaN };
  const start = async () => {
    const started = startWriter({
      stores: await storesIn(folder, now),
      now,
      random: () => dice.between(0, 1),
      send: upstream.send,
    });
    writer = started;
    demand = new ZoneDemand({
      current,
      now: () => upstreamInstant(time.nowMs),
      watch: (boxes) => started.live.watch(boxes),
    });
  };
  const price = ({ live, densities }: WriterProcess) => {
    const { planned } = live;
    const all = new ZonePrices({
      current,
      planned,
      isUnlimited: false,
      now: () => upstreamInstant(time.nowMs),
      expected: (layer, bbox) => densities.expected(layer, bbox),
    });
    const each = zones.map((zone) => all.of(zone));
    prices = {
      price: each.reduce((sum, { requests_a_day }) => sum + (requests_a_day ?? Number.NaN), 0),
      affordable: each.reduce((sum, { affordable_a_day }) => sum + (affordable_a_day ?? Number.NaN), 0),
    };
  };
  time.at(midnightMs, () => void start());
  time.at(midnightMs + PRICED_AFTER_MS, () => writer && price(writer));
  try {
    await time.runUntil(endMs);
  } finally {
    demand?.close();
    time.dropTimers();
    await writer?.kill();
    rmSync(folder, { recursive: true });
  }
  const { countedByDay, refused } = upstream.counts;
  return { requests: countedByDay.get(Math.floor(midnightMs / DAY_MS)) ?? 0, refused, ...prices };
}
