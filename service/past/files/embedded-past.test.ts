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
import { afterEach, describe, expect, it, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import {
  declarePastSuite,
  endBenches,
  type OpenOptions,
  PastBench,
  type PastPlace,
  START,
  seen,
} from '../past-suite.fixture.ts';
import { PERIOD_MS, periodName } from '../period.ts';
import { EmbeddedPast } from './embedded-past.ts';

class Folder implements PastPlace {
  readonly folder = mkdtempSync(join(tmpdir(), 'lookout-past-'));

  async open(options: OpenOptions): Promise<EmbeddedPast> {
    return EmbeddedPast.open({ folder: this.folder, ...options });
  }

  async segment(layer: Layer, start: UpstreamInstant): Promise<Buffer> {
    return readFileSync(this.segmentFile(layer, start));
  }

  async spoilSegment(layer: Layer, start: UpstreamInstant, bytes: Uint8Array | undefined): Promise<void> {
    if (bytes === undefined) rmSync(this.segmentFile(layer, start));
    else writeFileSync(this.segmentFile(layer, start), bytes);
  }

  async spoilWrite(n: number): Promise<void> {
    const bytes = readFileSync(this.log);
    let at = 0;
    for (let frame = 0; frame < n; frame += 1) at += 8 + bytes.readUInt32LE(at);
    bytes[at + 20]! ^= 0x10;
    writeFileSync(this.log, bytes);
  }

  async remove(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }

  get log(): string {
    return join(this.folder, 'log', `${periodName(START)}.log`);
  }

  segmentFile(layer: Layer = 'adsb', start = START): string {
    const name = periodName(start);
    return join(this.folder, 'segments', name.slice(0, 8), `${layer}-${name}.segment`);
  }
}

declarePastSuite('files', () => new Folder());

afterEach(endBenches);

function opened(change: Partial<OpenOptions> = {}): Promise<PastBench<Folder>> {
  return new PastBench(new Folder()).open(change);
}

describe('files', () => {
  it('are for their owner alone, and the log ends with its segments', async () => {
    const bench = await opened();
    await bench.append(seen(1, 1000), seen(2, 1000, { layer: 'rid' }));
    chmodSync(bench.place.folder, 0o755);
    await bench.reopen();
    expect(existsSync(bench.place.log)).toBe(true);
    const modes = () =>
      (readdirSync(bench.place.folder, { recursive: true }) as string[]).map((name) => {
        const { mode } = statSync(join(bench.place.folder, name));
        return [name, (mode & 0o777).toString(8)];
      });
    const inLog = modes();
    await bench.sealAll();
    expect(existsSync(bench.place.log)).toBe(false);
    expect(statSync(bench.place.folder).mode & 0o777).toBe(0o700);
    for (const [name, mode] of [...inLog, ...modes()]) {
      expect([name, mode]).toEqual([name, /\.(log|segment|sqlite(-\w+)?)$/.test(name!) ? '600' : '700']);
    }
    expect(modes().map(([name]) => name)).toContain('segments/20261123/rid-20261123T032000Z.segment');
  });

  it('hold no row twice when the process stopped between a segment and the end of its log', async () => {
    const bench = await opened();
    await bench.append(seen(1, 1000), seen(2, 2000, { layer: 'rid' }));
    const log = readFileSync(bench.place.log);
    await bench.sealAll();
    rmSync(bench.place.segmentFile('rid'));
    writeFileSync(bench.place.log, log);
    rmSync(join(bench.place.folder, 'catalogue.sqlite'));
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    expect((await bench.answer('rid')).observations).toEqual([seen(2, 2000, { layer: 'rid' })]);
    await bench.past.maintain();
    expect(existsSync(bench.place.segmentFile('rid'))).toBe(true);
    expect(existsSync(bench.place.log)).toBe(false);
  });

  it('that were not finished are deleted at the start', async () => {
    const bench = await opened();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    writeFileSync(`${bench.place.segmentFile('rid')}.unfinished`, 'half');
    await bench.reopen();
    expect(existsSync(`${bench.place.segmentFile('rid')}.unfinished`)).toBe(false);
    expect(bench.past.state().segments).toBe(1);
  });

  it('are used by one process only', async () => {
    const bench = await opened();
    const second = EmbeddedPast.open({ folder: bench.place.folder, now: () => bench.now, log: () => {} });
    await expect(second).rejects.toThrow(/catalogue\.sqlite is in use: another service/);
  });
});

describe('a log', () => {
  it('whose end was cut off gives all before it, and goes on there', async () => {
    const bench = await opened();
    await bench.append(seen(1, 1000));
    await bench.append(seen(1, 2000));
    await bench.past.close();
    writeFileSync(bench.place.log, readFileSync(bench.place.log).subarray(0, -3));
    await bench.open();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: true });
    await bench.append(seen(1, 3000));
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000), seen(1, 3000)]);
    expect(bench.entries.join()).toMatch(/cut off/);
  });

  it('that is damaged leaves nothing whole in its five minutes, of neither layer', async () => {
    const bench = await opened();
    for (const offsetMs of [1000, 2000, 3000]) await bench.append(seen(1, offsetMs));
    await bench.past.close();
    await bench.place.spoilWrite(1);
    await bench.open();
    await bench.sealAll();
    // What was lost may have been anywhere.
    expect(await bench.answer('rid', { west: 100, south: 10, east: 101, north: 11 })).toMatchObject({ isWhole: false });
  });
});

describe('a segment', () => {
  it('gives the same after every restart, with a catalogue that is missing, damaged or behind', async () => {
    const bench = await opened();
    const observations = [seen(1, 1000), seen(2, 1000), seen(1, 2000)];
    await bench.append(...observations);
    await bench.sealAll();
    const catalogue = join(bench.place.folder, 'catalogue.sqlite');
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

  it('under another name is not taken for what it is not', async () => {
    const bench = await opened();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    writeFileSync(bench.place.segmentFile('adsb', addMs(START, PERIOD_MS)), readFileSync(bench.place.segmentFile()));
    await bench.reopen();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: false });
  });
});

test('what is deleted is no file any more', async () => {
  const bench = await opened({ days: 2 });
  await bench.append(seen(1, 250_000));
  await bench.sealAll();
  expect(existsSync(bench.place.segmentFile())).toBe(true);
  bench.now = addMs(START, 2 * DAY_MS + PERIOD_MS);
  await bench.append(seen(1, 2 * DAY_MS + PERIOD_MS));
  await bench.past.maintain();
  expect(readdirSync(join(bench.place.folder, 'segments'))).toEqual([]);
});

describe('a disk that is full', () => {
  it('stops the past, which says so, and goes on by itself when there is room', async () => {
    const bench = await opened();
    await bench.append(seen(1, 1000));
    const next = addMs(START, PERIOD_MS);
    bench.now = addMs(next, 2 * SECOND_MS);
    // What is written to this device fails as on a full disk.
    const log = join(bench.place.folder, 'log', `${periodName(next)}.log`);
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
    const bench = await opened();
    await bench.append(seen(1, 1000));
    const day = join(bench.place.folder, 'segments', '20261123');
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
