import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { PERIOD_MS, periodName } from '../period.ts';
import { EmbeddedPast } from './embedded-past.ts';
import { endBenches, openedBench, PastBench, START, seen } from './past-bench.fixture.ts';

afterEach(endBenches);

describe('files', () => {
  it('are for their owner alone, and the log ends with its segments', async () => {
    const bench = await openedBench();
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
    const bench = await openedBench();
    await bench.append(seen(1, 1000), seen(2, 2000, { layer: 'rid' }));
    const log = readFileSync(bench.log);
    await bench.sealAll();
    rmSync(bench.segmentFile('rid'));
    writeFileSync(bench.log, log);
    rmSync(join(bench.folder, 'catalogue.sqlite'));
    await bench.reopen();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000)]);
    expect((await bench.answer('rid')).observations).toEqual([seen(2, 2000, { layer: 'rid' })]);
    await bench.sealAll();
    expect(existsSync(bench.segmentFile('rid'))).toBe(true);
    expect(existsSync(bench.log)).toBe(false);
  });

  it('that were not finished are deleted at the start', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    writeFileSync(`${bench.segmentFile('rid')}.unfinished`, 'half');
    await bench.reopen();
    expect(existsSync(`${bench.segmentFile('rid')}.unfinished`)).toBe(false);
    expect(bench.past.state().segments).toBe(1);
  });

  it('are used by one process only', async () => {
    const bench = await openedBench();
    const second = EmbeddedPast.open({ folder: bench.folder, now: () => bench.now, log: () => {} });
    await expect(second).rejects.toThrow(/catalogue\.sqlite is in use: another service/);
  });
});

describe('a log', () => {
  it('whose end was cut off gives all before it, and goes on there', async () => {
    const bench = await openedBench();
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

  it('that is damaged leaves nothing whole in its five minutes, of neither layer', async () => {
    const bench = await openedBench();
    for (const offsetMs of [1000, 2000, 3000]) await bench.append(seen(1, offsetMs));
    await bench.past.close();
    bench.spoilWrite(1);
    await bench.open();
    await bench.sealAll();
    expect(await bench.answer('rid', { west: 100, south: 10, east: 101, north: 11 })).toMatchObject({ isWhole: false });
  });
});

describe('a segment', () => {
  it('gives the same after every restart, with a catalogue that is missing, damaged or behind', async () => {
    const bench = await openedBench();
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
    expect(text).toMatch(/is damaged; it is rebuilt/);
    expect(text.match(/brought to what is on disk: 1 of 1/g)).toHaveLength(2);
  });

  it('under another name is not taken for what it is not', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    writeFileSync(bench.segmentFile('adsb', addMs(START, PERIOD_MS)), readFileSync(bench.segmentFile()));
    await bench.reopen();
    expect(await bench.answer()).toEqual({ observations: [seen(1, 1000)], more: false, isWhole: false });
  });
});

describe('a segment of a newer Lookout', () => {
  it.each([
    ['that the catalogue does not know', false],
    ['that the catalogue knows', true],
  ])('%s makes answers truncated, and outlives the retention by age and by size', async (_, isKnown) => {
    const limits = { days: 2, maxBytes: 1 };
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    await bench.append(seen(1, 2 * PERIOD_MS));
    await bench.sealAll();
    await bench.past.close();
    const [file, later] = [bench.segmentFile(), bench.segmentFile('adsb', addMs(START, 2 * PERIOD_MS))];
    const bytes = readFileSync(file);
    bytes.writeUInt32LE(4, bytes.length - 8);
    writeFileSync(file, bytes);
    if (!isKnown) rmSync(join(bench.folder, 'catalogue.sqlite'));
    await bench.open();
    const answer = { observations: [seen(1, 2 * PERIOD_MS)], more: false, isWhole: false };
    for (let repeat = 0; repeat < 2; repeat += 1) expect(await bench.answer()).toEqual(answer);
    await bench.reopen(limits);
    await bench.past.maintain();
    expect(existsSync(later)).toBe(false);
    bench.now = addMs(START, 2 * DAY_MS + PERIOD_MS);
    await bench.append(seen(1, 2 * DAY_MS + PERIOD_MS));
    await bench.past.maintain();
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(bench.past.state()).toMatchObject({ damagedSegments: 0, overdue: undefined, problem: undefined });
    const named = bench.entries.filter((entry) => entry.includes(file));
    expect(named).toHaveLength(2);
    for (const entry of named)
      expect(entry).toContain(`past: ${file} was written by a newer Lookout (version 4, this one reads 3): `);
  });
});

describe('a log of a newer Lookout', () => {
  it('stays as it is while its five minutes are received, and after them', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.past.close();
    const bytes = readFileSync(bench.log);
    bytes.writeUInt32LE(3, 4);
    writeFileSync(bench.log, bytes);
    await bench.open();
    await bench.append(seen(1, 2000), seen(1, PERIOD_MS + 1000));
    await bench.sealAll();
    expect(readFileSync(bench.log).equals(bytes)).toBe(true);
    expect(await bench.answer()).toEqual({ observations: [seen(1, PERIOD_MS + 1000)], more: false, isWhole: false });
    expect(await bench.answer('rid')).toMatchObject({ isWhole: false });
    expect(bench.past.state()).toMatchObject({ damagedSegments: 0, dropped: { untimely: 1 } });
    expect(bench.entries.filter((entry) => entry.includes(bench.log))).toEqual([
      `past: ${bench.log} was written by a newer Lookout (version 3, this one reads 2): answers over its five minutes are truncated until that Lookout reads it.`,
    ]);
    await bench.past.close();
    bytes.writeUInt32LE(2, 4);
    writeFileSync(bench.log, bytes);
    await bench.open();
    expect((await bench.answer()).observations).toEqual([seen(1, 1000), seen(1, PERIOD_MS + 1000)]);
  });
});

test('a log of version 1, which has no head, is read and continued', async () => {
  const bench = await openedBench();
  await bench.append(seen(1, 1000));
  await bench.past.close();
  writeFileSync(bench.log, readFileSync(bench.log).subarray(8));
  await bench.open();
  await bench.append(seen(1, 2000));
  await bench.reopen();
  expect((await bench.answer()).observations).toEqual([seen(1, 1000), seen(1, 2000)]);
  expect(bench.entries).toEqual([]);
});

test('the retention deletes the files', async () => {
  const bench = await openedBench({ days: 2 });
  await bench.append(seen(1, 250_000));
  await bench.sealAll();
  expect(existsSync(bench.segmentFile())).toBe(true);
  bench.now = addMs(START, 2 * DAY_MS + PERIOD_MS);
  await bench.append(seen(1, 2 * DAY_MS + PERIOD_MS));
  await bench.past.maintain();
  expect(readdirSync(join(bench.folder, 'segments'))).toEqual([]);
});

describe('a copy without the catalogue', () => {
  const copied = (name: string, from: PastBench, to: PastBench) =>
    cpSync(join(from.folder, name), join(to.folder, name), { recursive: true });

  it.each([
    ['in one period', false],
    ['with a sealing between the two', true],
  ])('of the log and then of the segments, %s, has all that was written before', async (_, isSealedBetween) => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    await bench.sealAll();
    await bench.append(seen(1, 2 * PERIOD_MS));
    const written = (await bench.answer()).observations;
    expect(written).toHaveLength(2);
    const copy = new PastBench();
    copied('log', bench, copy);
    await bench.append(seen(1, 2 * PERIOD_MS + 1000));
    if (isSealedBetween) await bench.sealAll();
    copied('segments', bench, copy);
    copy.now = bench.now;
    await copy.open();
    const answer = await copy.answer();
    expect(answer.isWhole).toBe(true);
    expect(answer.observations.slice(0, 2)).toEqual(written);
    expect(answer.observations).toHaveLength(isSealedBetween ? 3 : 2);
  });

  it('answers nothing before its first segment, also after the next start: more may have been deleted', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, PERIOD_MS));
    await bench.sealAll();
    expect(bench.past.keptSince()).toBeUndefined();
    const copy = new PastBench();
    copied('segments', bench, copy);
    copy.now = bench.now;
    for (const opened of [await copy.open(), await copy.reopen()]) {
      expect(opened.past.keptSince()).toEqual(addMs(START, PERIOD_MS));
    }
  });

  it('fills the time in which another past was off', async () => {
    const [one, other] = [await openedBench(), await openedBench()];
    await one.append(seen(1, 1000));
    await one.past.close();
    await other.append(seen(1, PERIOD_MS + 1000));
    await other.sealAll();
    cpSync(join(other.folder, 'segments'), join(one.folder, 'segments'), { recursive: true, force: false });
    one.now = other.now;
    await one.open();
    expect(one.past.keptSince()).toEqual(START);
    expect(await one.answer()).toEqual({
      observations: [seen(1, 1000), seen(1, PERIOD_MS + 1000)],
      more: false,
      isWhole: true,
    });
  });
});

describe('a disk that is full', () => {
  it('stops the past, which says so, and goes on by itself when there is room', async () => {
    const bench = await openedBench();
    await bench.append(seen(1, 1000));
    const next = addMs(START, PERIOD_MS);
    bench.now = addMs(next, 2 * SECOND_MS);
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
    const bench = await openedBench();
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
