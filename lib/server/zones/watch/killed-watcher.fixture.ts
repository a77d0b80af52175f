import { join } from 'node:path';
import type { Database } from '../../database/database.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { memoryFolder } from '../../database/memory-folder.fixture.ts';
import { type DatabaseTarget, openDatabase } from '../../database/open-database.ts';
import { ONLY_SERVER } from '../../database/writer-lease.ts';
import { newZone } from '../new-zone.fixture.ts';
import { RunningWatch } from './running-watch.fixture.ts';
import { Watcher } from './watcher-process.fixture.ts';

interface Visit {
  readonly ref: string | null;
  readonly openedMs: number;
  readonly endedMs: number | null;
}

export interface Findings {
  readonly visits: number;
  readonly missed: number;
  /** Second alarms of a visit, and alarms of none. */
  readonly double: number;
}

export class KilledWatcher {
  readonly #target: DatabaseTarget;
  #step = 0;
  #fence = 0;
  #before: { readonly watcher: Watcher; readonly skipped: number } | undefined;

  /** @param target default: a new file */
  constructor(target?: DatabaseTarget) {
    this.#target = target ?? { dialect: 'sqlite', file: join(memoryFolder('watch-kills-'), 'lookout.sqlite') };
  }

  /** The zone's record begins with its second read: history has no gap before it. */
  async prepare(): Promise<void> {
    const database = await openDatabase(this.#target);
    await addZone(database, this.#fence);
    const running = await RunningWatch.start(database, { ...ONLY_SERVER, fence: this.#fence });
    for (const step of [0, 1]) await running.read(step);
    await running.close();
    await database.close();
    this.#step = 2;
  }

  /** @param skipped steps before the next process; negative: repeated */
  async watchUntilKilled(afterMs: number, skipped: number): Promise<void> {
    const watcher = await this.#watch();
    await watcher.during(afterMs);
    await watcher.kill();
    this.#goOn(watcher, skipped);
  }

  /** For a while both processes believe to be the writer. */
  async watchUntilReplaced(afterMs: number, skipped: number): Promise<void> {
    const watcher = await this.#watch();
    await watcher.during(afterMs);
    this.#before = { watcher, skipped };
  }

  async finish(steps: number): Promise<Findings> {
    const watcher = await this.#watch(steps);
    await watcher.end();
    const database = await openDatabase(this.#target);
    const found = await visitsIn(database);
    await database.close();
    return compared(await uninterrupted(this.#step + steps), found);
  }

  #goOn({ lastStep }: Watcher, skipped: number): void {
    this.#step = Math.max(0, (lastStep ?? this.#step - 1) + 1 + skipped);
  }

  async #watch(steps = 1_000_000): Promise<Watcher> {
    const watcher = await Watcher.ready([JSON.stringify(this.#target), ++this.#fence]);
    const before = this.#before;
    this.#before = undefined;
    if (before) this.#goOn(before.watcher, before.skipped);
    await watcher.start(this.#step, this.#step + steps);
    await before?.watcher.kill();
    return watcher;
  }
}

async function addZone(database: Database, fence = 1): Promise<void> {
  const running = await RunningWatch.start(database, { ...ONLY_SERVER, fence });
  const caller = { owner: 'al', name: 'Al', actor: 'Al', isAdmin: false };
  await running.zones.add(caller, newZone({ rules: [{ ...newZone().rules[0]!, layers: ['rid'] }] }));
  await running.close();
}

async function uninterrupted(lastStep: number): Promise<readonly Visit[]> {
  const database = await memoryDatabase();
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

/** An alarm spans an outage even if the track left meanwhile. */
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
