import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { WriterLease } from '../database/writer-lease.ts';
import { AreaReads } from '../live/area-reads.ts';
import { areaOf } from '../live/snapshots.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { OverviewAnswers } from './overview-answers.ts';
import { OverviewStore } from './overview-store.ts';
import { OverviewTally } from './overview-tally.ts';

export const WORLD_START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
export const WORLD_BOX = { west: 8, south: 47, east: 9, north: 48 };
export const STEP_S = 5;
export const TRACKS = 3;

/** Each step of 5 s reads a new position of three drones, and those of the step before again. */
export class TalliedWorld {
  readonly tally: OverviewTally;
  readonly answers: OverviewAnswers;
  readonly #reads = new AreaReads();
  #now = WORLD_START;

  constructor(database: Database, lease: WriterLease, step = 0) {
    this.#now = timeOf(step);
    const store = new OverviewStore(database);
    const now = () => this.#now;
    this.tally = new OverviewTally({
      store,
      lease,
      reads: this.#reads,
      now,
      part: strictSupervisor().part('overview'),
    });
    this.answers = new OverviewAnswers(store, now);
  }

  read(step: number, reception?: Reception): void {
    this.#now = timeOf(step);
    const positions = new Map<string, Position>();
    for (const [at, name] of [
      [step - 1, 'before'],
      [step, 'now'],
    ] as const)
      for (let track = 0; track < TRACKS; track++) positions.set(`${name} ${track}`, positionOf(track, at));
    this.#reads.publish({
      kind: 'read',
      area: areaOf('rid', WORLD_BOX),
      positions,
      readAt: this.#now,
      isComplete: true,
      reception,
    });
  }

  async hour(step = 0, box = WORLD_BOX) {
    const start = timeOf(step);
    const { layers } = await this.answers.hours({ start, end: addMs(start, SECOND_MS) }, box);
    return layers[0]?.hours[0];
  }
}

function timeOf(step: number): UpstreamInstant {
  return addMs(WORLD_START, step * STEP_S * SECOND_MS);
}

function positionOf(track: number, step: number): Position {
  return {
    ...plainPosition,
    ref: `RX-A-${track}`,
    kind: 'drone',
    observedAt: timeOf(step),
    lon: 8.2 + track / 10,
    lat: 47.2 + (step % 40) / 100,
    heightAglM: track === 0 ? undefined : 50,
  };
}
