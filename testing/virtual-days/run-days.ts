import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDice } from '#lib/random/seeded-random.ts';
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
  /** Requests that the upstream refused because the account was used up. */
  readonly refused: { readonly minute: number; readonly day: number };
  readonly overspentDays: number;
  /** Answers of injected troubles. */
  readonly injected: number;
  readonly kills: number;
  /** Kills while the ledger had reservations open. */
  readonly killsWithOpen: number;
  readonly polls: number;
  readonly loads: number;
  readonly failures: readonly unknown[];
  /** Share of the day used, of whole days that were watched from midnight to midnight and limited by the day alone. */
  readonly used: readonly number[];
  readonly shares: readonly Share[];
  readonly longestUnread: LongestUnread;
  /** How long places were watched, and how much of that with less left of the day than reading all of them once takes. */
  readonly watchedMs: { readonly all: number; readonly usedUp: number };
}

/** The minutes must allow this many times the day's allowance, or they may be what limits. */
const PLENTY = 1.2;
/** The end of a process loses no write, so the files may be in memory, where syncing takes no time. */
const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** A day with more of it is not expected to be used. */
const OUTAGE_MAX_MS = 15 * MINUTE_MS;

/**
 * Runs the real engine through a scenario, in virtual time. The same scenario gives the same figures.
 * @param openStores opens what the writer before has left in a folder
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
  /** Kills that wait for a request under way, by how long nothing runs after them. */
  const killsLeft: number[] = [];

  const upstream = new UpstreamInProcess(time, scenario, (request) => {
    if (request.mode === 'history') historyRequests++;
    fairness.counted(request, watching.pages);
    const downMs = killsLeft.shift();
    // After the request that was just counted: no process receives its answer.
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
