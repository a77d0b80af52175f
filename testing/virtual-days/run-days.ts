import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDice } from '#lib/random/dice.fixture.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { Fairness, type Share } from './fairness.ts';
import type { Scenario } from './scenario.ts';
import { type LongestUnread, UnreadTime } from './unread-time.ts';
import { UpstreamInProcess } from './upstream-in-process.ts';
import { VirtualTime } from './virtual-time.ts';
import { Watching } from './watching.ts';
import { startWriter, storesIn, type WriterProcess } from './writer-process.ts';

export interface DaysFigures {
  readonly days: number;
  readonly requests: number;
  readonly historyRequests: number;
  readonly refused: { readonly minute: number; readonly day: number };
  readonly overspentDays: number;
  readonly injected: number;
  readonly kills: number;
  /** While the ledger had open reservations. */
  readonly killsWithOpen: number;
  readonly polls: number;
  readonly loads: number;
  readonly failures: readonly unknown[];
  /** Of whole days that were limited by the day alone. */
  readonly used: readonly number[];
  readonly shares: readonly Share[];
  readonly longestUnread: LongestUnread;
  /** `usedUp`: with less left of the day than one read of all places. */
  readonly watchedMs: { readonly all: number; readonly usedUp: number };
}

/** Otherwise the minutes may limit, not the day. */
const PLENTY = 1.2;
/** In memory: the end of a process loses no write. */
const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** A day with more is not expected to be used. */
const OUTAGE_MAX_MS = 15 * MINUTE_MS;

/**
 * Deterministic.
 * @param openStores opens what the last writer left in a folder
 */
export async function runDays(scenario: Scenario, openStores = storesIn): Promise<DaysFigures> {
  const { startMs, endMs, clockErrorMs, seed, troubles } = scenario;
  const folder = mkdtempSync(join(FOLDERS, 'lookout-days-'));
  const time = new VirtualTime(startMs);
  const dice = makeDice(seed ^ 0xd1ce);
  let writer: WriterProcess | undefined;
  let kills = 0;
  let killsWithOpen = 0;
  let historyRequests = 0;
  const killsLeft: number[] = [];

  const upstream = new UpstreamInProcess(time, scenario, (request) => {
    if (request.mode === 'history') historyRequests++;
    fairness.counted(request, watching.pages);
    const downMs = killsLeft.shift();
    // After the counted request: no process receives its answer.
    if (downMs !== undefined) time.in(0, () => kill(downMs));
  });
  const watching = new Watching({
    time,
    scenario,
    writer: () => writer,
    onAnswer: (page, answer) => {
      if (scenario.othersPerDay === 0) unread.answered(page, answer);
    },
  });
  const unread = new UnreadTime(time, scenario, upstream, () => watching.pages);
  const fairness = new Fairness((from, to) => scenario.othersPerDay === 0 && unread.isOpen(from, to));

  const now = () => localInstant(time.nowMs + clockErrorMs);
  const start = async () => {
    writer = startWriter({
      stores: await openStores(folder, now),
      now,
      random: () => dice.between(0, 1),
      send: upstream.send,
    });
    watching.pollAll();
  };
  const kill = (downMs: number) => {
    if (!writer) return;
    kills++;
    if (upstream.inFlight > 0) killsWithOpen++;
    time.dropTimers();
    upstream.dropAnswers();
    void writer.kill();
    writer = undefined;
    unread.killed(time.nowMs + downMs);
    time.in(downMs, () => void start());
  };
  time.at(startMs, () => void start());
  for (const trouble of troubles) {
    if (trouble.kind !== 'kill') continue;
    time.at(trouble.startMs, () => {
      if (trouble.underWay) killsLeft.push(trouble.downMs);
      else kill(trouble.downMs);
    });
  }
  try {
    await time.runUntil(endMs);
  } finally {
    time.dropTimers();
    await (writer as WriterProcess | undefined)?.kill();
    rmSync(folder, { recursive: true });
  }
  const { countedByDay, refused, refusedDays, injected } = upstream.counts;
  return {
    days: (endMs - startMs) / DAY_MS,
    requests: [...countedByDay.values()].reduce((sum, counted) => sum + counted, 0),
    historyRequests,
    refused,
    overspentDays: refusedDays.size,
    injected,
    kills,
    killsWithOpen,
    polls: watching.polls,
    loads: watching.loads,
    failures: watching.failures,
    used: usedOfWholeDays(scenario, countedByDay),
    shares: fairness.shares,
    longestUnread: unread.longest,
    watchedMs: unread.watchedMs,
  };
}

function usedOfWholeDays(scenario: Scenario, countedByDay: ReadonlyMap<number, number>): readonly number[] {
  const { isAllDay, othersPerDay, perMinute, perDay, startMs, endMs, troubles } = scenario;
  const isDayLimiting = Math.floor(0.9 * perMinute) * 60 * 24 >= PLENTY * perDay;
  if (!isAllDay || othersPerDay > 0 || !isDayLimiting) return [];
  const used: number[] = [];
  for (let day = Math.floor(startMs / DAY_MS) + 1; day < endMs / DAY_MS; day++) {
    const outMs = troubles.reduce((sum, trouble) => {
      const end = trouble.kind === 'kill' ? trouble.startMs + trouble.downMs : trouble.endMs;
      return sum + Math.max(0, Math.min(end, (day + 1) * DAY_MS) - Math.max(trouble.startMs, day * DAY_MS));
    }, 0);
    if (outMs <= OUTAGE_MAX_MS) used.push((countedByDay.get(day) ?? 0) / perDay);
  }
  return used;
}
