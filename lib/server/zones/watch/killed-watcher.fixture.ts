import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { newZone } from '../new-zone.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';

const WATCHER = fileURLToPath(new URL('./watch-until-killed.fixture.ts', import.meta.url));
interface Visit {
  readonly ref: string | null;
  readonly openedMs: number;
  readonly endedMs: number | null;
}

export interface Findings {
  /** Visits of a track to the zone. */
  readonly visits: number;
  /** Of them, those at the time of which there is no alarm. */
  readonly missed: number;
  /** Alarms at the time of another one of the same track, or of no visit. */
  readonly double: number;
}

/** A zone watched by a sequence of processes, each of which is killed. */
export class KilledWatcher {
  readonly #file = join(mkdtempSync(join(tmpdir(), 'lookout-watch-kills-')), 'lookout.sqlite');
  #step = 0;

  async prepare(): Promise<void> {
    const database = await openDatabase({ dialect: 'sqlite', file: this.#file });
    await addZone(database);
    await database.close();
  }

  /**
   * Watches on, and is killed `afterMs` after its first step. The next process begins `skipped` steps later, or reads steps again where
   * that is negative.
   */
  async watchUntilKilled(afterMs: number, skipped: number): Promise<void> {
    const last = await this.#run(1_000_000, afterMs);
    this.#step = Math.max(0, last + 1 + skipped);
  }

  /** Watches for so many steps more, to the end. */
  async finish(steps: number): Promise<Findings> {
    const last = this.#step + steps;
    await this.#run(last, undefined);
    const database = await openDatabase({ dialect: 'sqlite', file: this.#file });
    const found = await visitsIn(database);
    await database.close();
    return compared(await uninterrupted(last), found);
  }

  /** @returns the last step that was evaluated for certain */
  async #run(lastStep: number, killedAfterMs: number | undefined): Promise<number> {
    const child = spawn(
      process.execPath,
      ['--conditions=react-server', WATCHER, this.#file, String(this.#step), String(lastStep)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const ended = once(child, 'exit');
    let [output, errors] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    if (killedAfterMs !== undefined) {
      await Promise.race([once(child.stdout, 'data'), ended]);
      await Promise.race([delay(killedAfterMs), ended]);
      child.kill('SIGKILL');
    }
    await ended;
    const isAsWanted = killedAfterMs === undefined ? child.exitCode === 0 : child.signalCode === 'SIGKILL';
    if (!isAsWanted) throw new Error(`the watcher ended by itself: ${errors}`);
    return Number(output.slice(0, output.lastIndexOf('\n')).split('\n').at(-1) || this.#step - 1);
  }
}

async function addZone(database: Database): Promise<void> {
  const running = await RunningWatch.start(database, ONLY_SERVER);
  const caller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
  await running.zones.add(caller, newZone({ rules: [{ ...newZone().rules[0]!, layers: ['rid'] }] }));
  await running.close();
}

/** The visits that a watch without interruptions finds. */
async function uninterrupted(lastStep: number): Promise<readonly Visit[]> {
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' });
  await addZone(database);
  const running = await RunningWatch.start(database, ONLY_SERVER);
  for (let step = 0; step <= lastStep; step++) await running.read(step);
  await running.close();
  const visits = await visitsIn(database);
  await database.close();
  return visits;
}

async function visitsIn(database: Database): Promise<readonly Visit[]> {
  const rows = await database.query.selectFrom('alarm').select(['ref', 'opened_ms', 'ended_ms']).execute();
  return rows.map(({ ref, opened_ms, ended_ms }) => ({ ref, openedMs: opened_ms, endedMs: ended_ms }));
}

/** An alarm that was open before an outage and after it is one alarm, even where the track had left meanwhile. */
function compared(visits: readonly Visit[], found: readonly Visit[]): Findings {
  const missed = visits.filter((visit) => !found.some((alarm) => overlap(visit, alarm))).length;
  const double = found.filter(
    (alarm, index) =>
      found.slice(0, index).some((other) => overlap(other, alarm)) || !visits.some((visit) => overlap(visit, alarm)),
  ).length;
  return { visits: visits.length, missed, double };
}

function overlap(one: Visit, other: Visit): boolean {
  const end = ({ endedMs }: Visit) => endedMs ?? Number.POSITIVE_INFINITY;
  return one.ref === other.ref && one.openedMs <= end(other) && other.openedMs <= end(one);
}
