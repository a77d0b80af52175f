import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { observation } from '../conformance/listed-source.ts';
import type { Observation } from '../sources/observation.ts';
import { readHistoryWindow } from '../store/history-window.ts';
import { trackKey } from './arbitrary-observation.fixture.ts';
import { EmbeddedPast, type EmbeddedPastOptions } from './embedded-past.ts';
import { PERIOD_MS, periodName } from './period.ts';
import { asStored } from './stored-observation.ts';

const START = upstreamInstant(Date.UTC(2026, 10, 23, 3, 20));
const WORLD = { west: -180, south: -90, east: 180, north: 90 };

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A past with a clock of its own, in a folder that it may be opened in again. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'lookout-past-'));
  readonly entries: string[] = [];
  now: UpstreamInstant = addMs(START, PERIOD_MS);
  past!: EmbeddedPast;

  constructor() {
    ends.push(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  async open(change: Partial<EmbeddedPastOptions> = {}): Promise<this> {
    this.past = await EmbeddedPast.open({
      folder: this.folder,
      now: () => this.now,
      log: (entry) => this.entries.push(entry),
      ...change,
    });
    ends.push(() => this.past.close());
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

  /** All that was observed until the sealing is over is sealed. */
  async sealAll(): Promise<void> {
    this.now = addMs(this.now, PERIOD_MS + MINUTE_MS);
    await this.past.maintain();
  }

  async answer(
    layer: Observation['layer'] = 'adsb',
    bbox = WORLD,
    window = { start: START, end: addMs(START, HOUR_MS) },
  ) {
    return this.past.history(layer, bbox, window, 1000);
  }

  get log(): string {
    return join(this.folder, 'log', `${periodName(START)}.log`);
  }

  segment(layer = 'adsb', start = START): string {
    const name = periodName(start);
    return join(this.folder, 'segments', name.slice(0, 8), `${layer}-${name}.segment`);
  }
}

function seen(track: number, offsetMs: number, change: Partial<Observation> = {}): Observation {
  return asStored(observation({ sourceId: trackKey(track), observedAt: addMs(START, offsetMs), ...change }));
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : at]! ^= 0x10;
  writeFileSync(file, bytes);
}

describe('what takes no more', () => {
  it('counts and drops what comes for a sealed period, and what has not begun', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    await bench.append(seen(1, 3 * PERIOD_MS));
    await bench.sealAll();
    await bench.append(seen(1, 2000), seen(2, 2000, { layer: 'rid' }));
    expect(bench.past.state().dropped).toEqual({ untimely: 3, unstorable: 0, unwritten: 0 });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    expect((await bench.answer('rid')).observations).toEqual([]);
  });

  it('takes nothing into a period whose segment exists, whatever the clock says', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    bench.now = addMs(START, PERIOD_MS);
    await bench.reopen();
    await bench.append(seen(1, 2000));
    expect(bench.past.state().dropped.untimely).toBe(1);
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });

  it('counts what can’t be stored, and stores the rest', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000, { sourceId: '3c66b0' }), seen(1, 1000, { lat: 91 }), seen(1, 1000));
    expect(bench.past.state().dropped).toEqual({ untimely: 0, unstorable: 2, unwritten: 0 });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });
});

describe('files', () => {
  it('are for their owner alone, and the log ends with its segments', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000), seen(2, 1000, { layer: 'rid' }));
    chmodSync(bench.folder, 0o755);
    await bench.reopen();
    expect(existsSync(bench.log)).toBe(true);
    const modes = () =>
      (readdirSync(bench.folder, { recursive: true }) as string[]).map((name) => {
        const { mode } = statSync(join(bench.folder, name));
        return [name, (mode & 0o777).toString(8)];
      });
    const inLog = modes();
    await bench.sealAll();
    expect(existsSync(bench.log)).toBe(false);
    expect(statSync(bench.folder).mode & 0o777).toBe(0o700);
    for (const [name, mode] of [...inLog, ...modes()]) {
      expect([name, mode]).toEqual([name, /\.(log|segment|sqlite(-\w+)?)$/.test(name!) ? '600' : '700']);
    }
    expect(modes().map(([name]) => name)).toContain('segments/20261123/rid-20261123T032000Z.segment');
  });

  it('hold no row twice when the process stopped between a segment and the end of its log', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000), seen(2, 2000, { layer: 'rid' }));
    const log = readFileSync(bench.log);
    await bench.sealAll();
    rmSync(bench.segment('rid'));
    writeFileSync(bench.log, log);
    rmSync(join(bench.folder, 'catalogue.sqlite'));
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    expect((await bench.answer('rid')).observations).toEqual([seen(2, 2000, { layer: 'rid' })]);
    await bench.past.maintain();
    expect(existsSync(bench.segment('rid'))).toBe(true);
    expect(existsSync(bench.log)).toBe(false);
  });

  it('that were not finished are deleted at the start', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    writeFileSync(`${bench.segment('rid')}.unfinished`, 'half');
    await bench.reopen();
    expect(existsSync(`${bench.segment('rid')}.unfinished`)).toBe(false);
    expect(bench.past.state().segments).toBe(1);
  });

  it('are used by one process only', async () => {
    const bench = await new Bench().open();
    const second = EmbeddedPast.open({ folder: bench.folder, now: () => bench.now, log: () => {} });
    await expect(second).rejects.toThrow(/catalogue\.sqlite is in use: another service/);
  });
});

describe('sealing', () => {
  it('changes no answer, not even while it goes on', async () => {
    const bench = await new Bench().open();
    await bench.append(...Array.from({ length: 9000 }, (_, index) => seen(index % 50, index * 30)));
    const bbox = { west: 8, south: 47, east: 9, north: 48 };
    const window = { start: addMs(START, 1000), end: addMs(START, 250_000) };
    const before = await bench.answer('adsb', bbox, window);
    expect(before.observations).toHaveLength(1000);
    let isSealed = false;
    const sealing = bench.sealAll().then(() => {
      isSealed = true;
    });
    let answers = 0;
    for (; !isSealed; answers += 1) {
      expect(await bench.answer('adsb', bbox, window)).toEqual(before);
      // An answer from memory gives nothing else a turn.
      await setImmediate();
    }
    await sealing;
    expect(answers).toBeGreaterThan(1);
    expect(bench.past.state().segments).toBe(1);
    expect(await bench.answer('adsb', bbox, window)).toEqual(before);
  });

  it('waits for what was taken before', async () => {
    const bench = await new Bench().open();
    bench.past.append([seen(1, 1000)]);
    await bench.sealAll();
    expect(bench.past.state()).toMatchObject({ segments: 1, dropped: { untimely: 0, unwritten: 0 } });
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });
});

describe('a log', () => {
  it('whose end was cut off gives all before it, and goes on there', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    await bench.append(seen(1, 2000));
    await bench.past.close();
    writeFileSync(bench.log, readFileSync(bench.log).subarray(0, -3));
    await bench.open();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: true });
    await bench.append(seen(1, 3000));
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000), seen(1, 3000)]);
    expect(bench.entries.join()).toMatch(/cut off/);
  });

  it('that is damaged before its end gives the rest, marked as not whole, also once it is sealed', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    const firstFrame = statSync(bench.log).size;
    await bench.append(seen(1, 2000));
    await bench.append(seen(1, 3000));
    await bench.past.close();
    flip(bench.log, firstFrame + 20);
    await bench.open();
    const left = { observations: [seen(1, 1000), seen(1, 3000)], more: false, isWhole: false };
    expect(await bench.answer()).toEqual(left);
    await bench.sealAll();
    await bench.reopen();
    expect(await bench.answer()).toEqual(left);
    // What was lost may have been anywhere.
    expect(await bench.answer('rid', { west: 100, south: 10, east: 101, north: 11 })).toMatchObject({ isWhole: false });
  });
});

describe('a segment', () => {
  it('gives the same after every restart, with a catalogue that is missing, damaged or behind', async () => {
    const bench = await new Bench().open();
    const observations = [seen(1, 1000), seen(2, 1000), seen(1, 2000)];
    await bench.append(...observations);
    await bench.sealAll();
    const catalogue = join(bench.folder, 'catalogue.sqlite');
    const spoil: (() => void)[] = [
      () => rmSync(catalogue),
      () => writeFileSync(catalogue, 'no database at all, but long enough to be taken for one '.repeat(100)),
      () => {},
    ];
    for (const spoilt of spoil) {
      await bench.past.close();
      spoilt();
      await bench.open();
      expect((await bench.answer()).observations).toEqual(observations);
      expect(bench.past.state()).toMatchObject({ segments: 1, oldestAt: addMs(START, 1000) });
    }
    const text = bench.entries.join('\n');
    expect(text).toMatch(/is damaged; it is made anew/);
    expect(text.match(/brought to what is on disk: 1 of 1/g)).toHaveLength(2);
  });

  it('with a damaged byte makes answers over it truncated, wherever the byte is, and says so once', async () => {
    const bench = await new Bench().open();
    const observations = Array.from({ length: 40 }, (_, index) => seen(index % 4, 1000 * index));
    await bench.append(...observations);
    await bench.sealAll();
    const whole = readFileSync(bench.segment());
    const asked = {
      layer: 'adsb',
      bbox: WORLD,
      window: { start: START, end: addMs(START, HOUR_MS) },
      limit: 500,
    } as const;
    for (let at = 0; at < whole.length; at += 1) {
      flip(bench.segment(), at);
      // Without a cache, because a segment that was read whole stays so in memory.
      await bench.reopen({ cacheBytes: 0 });
      bench.entries.length = 0;
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const { entries, truncated } = await readHistoryWindow(
          { live: () => [], history: (...of) => bench.past.history(...of) },
          (id) => id,
          asked,
        );
        expect([at, truncated]).toEqual([at, true]);
        for (const entry of entries) expect(observations).toContainEqual(entry.observation);
      }
      expect(bench.entries).toHaveLength(1);
      expect(bench.past.state().damagedSegments).toBe(1);
      // Another hour is not concerned.
      const later = { start: addMs(START, HOUR_MS), end: addMs(START, 2 * HOUR_MS) };
      expect(await bench.answer('adsb', WORLD, later)).toMatchObject({ isWhole: true });
      writeFileSync(bench.segment(), whole);
      if (at > 30 && at < whole.length - 80) at += 25;
    }
  });

  it('that is cut off or missing makes answers over its five minutes truncated', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    const whole = readFileSync(bench.segment());
    for (const left of [0, 5, whole.length - 1]) {
      writeFileSync(bench.segment(), whole.subarray(0, left));
      await bench.reopen({ cacheBytes: 0 });
      expect(await bench.answer()).toEqual({ observations: [], more: false, isWhole: false });
    }
    rmSync(bench.segment());
    await bench.reopen({ cacheBytes: 0 });
    expect(await bench.answer()).toEqual({ observations: [], more: false, isWhole: false });
    // Put back from a backup.
    writeFileSync(bench.segment(), whole);
    await bench.reopen();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: true });
  });

  it('under another name is not taken for what it is not', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    writeFileSync(bench.segment('adsb', addMs(START, PERIOD_MS)), readFileSync(bench.segment()));
    await bench.reopen();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: false });
  });
});

describe('what is kept', () => {
  it('is so many days, and the oldest moment is that of the oldest observation kept', async () => {
    const bench = await new Bench().open({ days: 2 });
    expect(bench.past.oldestAt()).toBeUndefined();
    await bench.append(seen(1, 250_000));
    expect(bench.past.oldestAt()).toEqual(addMs(START, 250_000));
    await bench.append(seen(1, 100_000, { layer: 'rid' }));
    expect(bench.past.oldestAt()).toEqual(addMs(START, 100_000));
    await bench.sealAll();
    bench.now = addMs(START, 2 * DAY_MS);
    await bench.append(seen(1, 2 * DAY_MS));
    await bench.past.maintain();
    expect(bench.past.oldestAt()).toEqual(addMs(START, 100_000));
    expect(bench.past.keptSince()).toBeUndefined();
    bench.now = addMs(START, 2 * DAY_MS + PERIOD_MS);
    await bench.past.maintain();
    expect(bench.past.oldestAt()).toEqual(addMs(START, 2 * DAY_MS));
    expect(existsSync(bench.segment())).toBe(false);
    expect(readdirSync(join(bench.folder, 'segments'))).toEqual([]);
    await bench.reopen({ days: 2 });
    expect(bench.past.state().segments).toBe(0);
    expect(await bench.answer()).toEqual({ observations: [], more: false, isWhole: true });
  });

  it('is so many bytes, the newest', async () => {
    const bench = await new Bench().open({ maxBytes: 1500 });
    for (let period = 0; period < 12; period += 1) {
      const offsetMs = period * PERIOD_MS;
      bench.now = addMs(START, offsetMs + MINUTE_MS);
      await bench.append(seen(1, offsetMs), seen(2, offsetMs + 1));
      await bench.past.maintain();
    }
    await bench.past.maintain();
    const { bytes, segments, oldestAt } = bench.past.state();
    expect(bytes).toBeLessThanOrEqual(1500);
    expect(segments).toBeGreaterThan(1);
    const { observations } = await bench.answer();
    expect(observations[0]?.observedAt).toEqual(oldestAt);
    expect(bench.past.keptSince()).toEqual(oldestAt);
    await bench.reopen({ maxBytes: 1500 });
    expect(bench.past.keptSince()).toEqual(oldestAt);
    expect(observations.at(-1)).toEqual(seen(2, 11 * PERIOD_MS + 1));
    expect(observations).toHaveLength(2 * segments + 2);
  });
});

describe('a disk that is full', () => {
  it('stops the past, which says so, and goes on by itself when there is room', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    const next = addMs(START, PERIOD_MS);
    bench.now = addMs(next, 2 * SECOND_MS);
    // What is written to this device fails as on a full disk.
    const log = join(bench.folder, 'log', `${periodName(next)}.log`);
    symlinkSync('/dev/full', log);
    await bench.append(seen(1, PERIOD_MS), seen(2, PERIOD_MS));
    await bench.append(seen(1, PERIOD_MS + 1000));
    expect(bench.past.state()).toMatchObject({
      problem: { cause: 'disk_full', since: bench.now },
      dropped: { untimely: 0, unstorable: 0, unwritten: 3 },
    });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    rmSync(log);
    await bench.append(seen(1, PERIOD_MS + 2000));
    expect(bench.past.state().problem).toBeUndefined();
    const stored = [seen(1, 1000), seen(1, PERIOD_MS + 2000)];
    expect((await bench.answer()).observations).toEqual(stored);
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual(stored);
    expect(bench.entries).toHaveLength(2);
  });

  it('keeps in memory and log what can’t be sealed, and seals it later', async () => {
    const bench = await new Bench().open();
    await bench.append(seen(1, 1000));
    const day = join(bench.folder, 'segments', '20261123');
    writeFileSync(day, 'where a folder should be made');
    await bench.sealAll();
    expect(bench.past.state()).toMatchObject({ problem: { cause: 'disk_failed' }, segments: 0 });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    rmSync(day);
    bench.now = addMs(bench.now, 10 * SECOND_MS);
    await bench.past.maintain();
    expect(bench.past.state()).toMatchObject({ problem: undefined, segments: 1 });
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
  });
});
