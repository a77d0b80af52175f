import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Layer } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { observation } from '../../conformance/listed-source.ts';
import type { Observation } from '../../sources/observation.ts';
import { trackKey } from '../arbitrary-observation.fixture.ts';
import { PERIOD_MS, periodName } from '../period.ts';
import { asStored } from '../stored-observation.ts';
import { EmbeddedPast, type EmbeddedPastOptions } from './embedded-past.ts';

export const START = upstreamInstant(Date.UTC(2026, 10, 23, 3, 20));
export const WORLD = { west: -180, south: -90, east: 180, north: 90 };

const ends: (() => void | Promise<void>)[] = [];

export class PastBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'lookout-past-'));
  readonly entries: string[] = [];
  now: UpstreamInstant = addMs(START, PERIOD_MS);
  past!: EmbeddedPast;

  constructor() {
    ends.push(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  async open(change: Partial<EmbeddedPastOptions> = {}): Promise<this> {
    const past = await EmbeddedPast.open({
      folder: this.folder,
      now: () => this.now,
      log: (entry) => this.entries.push(entry),
      ...change,
    });
    this.past = past;
    ends.push(() => past.close());
    return this;
  }

  async reopen(change: Partial<EmbeddedPastOptions> = {}): Promise<this> {
    await this.past.close();
    return this.open(change);
  }

  async append(...observations: readonly Observation[]): Promise<void> {
    this.past.append(observations);
    await this.past.flush();
  }

  async sealAll(): Promise<void> {
    this.now = addMs(this.now, PERIOD_MS + MINUTE_MS);
    await this.past.maintain();
  }

  async answer(layer: Layer = 'adsb', bbox = WORLD, window = { start: START, end: addMs(START, HOUR_MS) }) {
    return this.past.history(layer, bbox, window, 1000);
  }

  get log(): string {
    return join(this.folder, 'log', `${periodName(START)}.log`);
  }

  segmentFile(layer: Layer = 'adsb', start = START): string {
    const name = periodName(start);
    return join(this.folder, 'segments', name.slice(0, 8), `${layer}-${name}.segment`);
  }

  spoilWrite(n: number): void {
    const bytes = readFileSync(this.log);
    let at = 8;
    for (let entry = 0; entry < n; entry += 1) at += 8 + bytes.readUInt32LE(at);
    bytes[at + 20]! ^= 0x10;
    writeFileSync(this.log, bytes);
  }
}

export function openedBench(change: Partial<EmbeddedPastOptions> = {}): Promise<PastBench> {
  return new PastBench().open(change);
}

export async function endBenches(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

export function seen(track: number, offsetMs: number, change: Partial<Observation> = {}): Observation {
  return asStored(observation({ sourceId: trackKey(track), observedAt: addMs(START, offsetMs), ...change }));
}
