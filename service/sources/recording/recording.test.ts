import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Layer } from '#lib/contract/operation.ts';
import { addMs, compareInstants, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { ComputedSource } from '../observation.ts';
import { RecordingError } from './load-recording.ts';
import { openRecordings } from './open-recordings.ts';

const ANCHOR = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const RECORDED = upstreamInstant(Date.UTC(2023, 3, 1, 16));
const WORLD = { west: -180, south: -90, east: 180, north: 90 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Line {
  readonly s: number;
  readonly id?: string;
  readonly change?: Record<string, unknown>;
}

function lineAt({ s, id = 'one', change = {} }: Line): string {
  const position = { lon: 8.5, lat: 47.4, alt_m: 500, agl_m: 50, gs_mps: 10, trk_deg: 90 };
  return JSON.stringify({ t: formatInstant(addMs(RECORDED, s * 1000)), id, ...position, extra: {}, ...change });
}

async function write(name: string, lines: readonly (Line | string)[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, gzipSync(lines.map((line) => (typeof line === 'string' ? line : lineAt(line))).join('\n')));
  return file;
}

async function open(name: string, lines: readonly (Line | string)[]) {
  return openRecordings({ files: [await write(name, lines)], anchor: ANCHOR });
}

function everything(source: ComputedSource, layer: Layer, start: UpstreamInstant, lengthMs: number) {
  return source.history(layer, WORLD, { start, end: addMs(start, lengthMs) }, 100_000).observations;
}

const flight = (count: number) => Array.from({ length: count }, (_, s) => ({ s, change: { lon: 8 + s / 1000 } }));

describe('what a line becomes', () => {
  async function only(change: Record<string, unknown>, layer: Layer = 'rid') {
    const { source } = await open(`${layer}-one.jsonl.gz`, [{ s: 0, change }]);
    return source.live(layer, WORLD, ANCHOR)[0];
  }

  test('it is always simulated, and no unrecorded value is made up', async () => {
    expect(await only({})).toMatchObject({
      simulated: true,
      testBroadcast: false,
      confidence: null,
      confidenceScore: null,
      receiverCount: null,
      emergencyState: null,
      altitudeM: 500,
      heightAglM: 50,
    });
  });

  test('null stays null, zero stays zero, and a missing value is null', async () => {
    const observed = await only({ alt_m: null, agl_m: 0, gs_mps: 0, trk_deg: undefined });
    expect(observed).toMatchObject({ altitudeM: null, heightAglM: 0, speedMps: 0, headingDeg: null });
  });

  test('the values that mean unknown in Remote ID are null, in that layer only', async () => {
    const unknown = { alt_m: -1000, agl_m: -1000, gs_mps: 255, trk_deg: 361 };
    expect(await only(unknown)).toMatchObject({ altitudeM: null, heightAglM: null, speedMps: null, headingDeg: null });
    expect(await only({ gs_mps: 255 }, 'adsb')).toMatchObject({ speedMps: 255 });
  });

  test('0,0 before a fix is not a position: it is skipped and counted', async () => {
    const { source, loaded } = await open('rid-nofix.jsonl.gz', [{ s: 0, change: { lon: 0, lat: 0 } }, { s: 1 }]);
    expect(everything(source, 'rid', addMs(ANCHOR, -10_000), 20_000).length).toBe(1);
    expect(loaded[0]?.linesWithoutPosition).toBe(1);
  });

  test('malformed lines are skipped and counted', async () => {
    const bad = ['', '{', 'null', '[]', '"text"', lineAt({ s: 1, change: { t: 'yesterday' } })];
    const changes = [{ id: 7 }, { id: '' }, { lon: '8' }, { lat: 91 }];
    const { source, loaded } = await open('rid-bad.jsonl.gz', [
      { s: 0 },
      ...bad,
      ...changes.map((change) => ({ s: 1, change })),
      { s: 2 },
    ]);
    expect(loaded[0]?.badLines).toBe(5 + changes.length);
    expect(loaded[0]?.recording.rowCount).toBe(2);
    expect(source.live('rid', WORLD, ANCHOR).length).toBe(1);
  });

  test('an optional value that is none is null and counted, and the position is kept', async () => {
    const { source, loaded } = await open('rid-values.jsonl.gz', [
      { s: 0, change: { gs_mps: -1, trk_deg: 400, alt_m: 'high', agl_m: 7 } },
      lineAt({ s: 1 }).replace('"alt_m":500', '"alt_m":NaN'),
    ]);
    const [first, second] = everything(source, 'rid', addMs(ANCHOR, -10_000), 20_000);
    expect(first).toMatchObject({ speedMps: null, headingDeg: null, altitudeM: null, heightAglM: 7 });
    expect(second).toMatchObject({ altitudeM: null, speedMps: 10 });
    expect(loaded[0]).toMatchObject({ badValues: 4, badLines: 0 });
  });

  test.each(['\r\n', '\r', '\n\n'])('lines that end in %j are read, and a byte order mark is none', async (end) => {
    const file = join(folder, 'rid-ends.jsonl.gz');
    await writeFile(file, gzipSync(`\uFEFF${flight(3).map(lineAt).join(end)}${end}`));
    const { loaded } = await openRecordings({ files: [file], anchor: ANCHOR });
    expect(loaded[0]).toMatchObject({ badLines: 0, recording: { rowCount: 3 } });
  });

  test.each([0.3, 0.6, 0.95])(
    'a file that is cut at %d of its length gives what stands before the cut, and says so',
    async (part) => {
      const lines = flight(2000).map(lineAt);
      const zipped = gzipSync(lines.join('\n'));
      const file = join(folder, 'rid-end.jsonl.gz');
      await writeFile(file, zipped.subarray(0, zipped.length * part));
      const { loaded } = await openRecordings({ files: [file], anchor: ANCHOR });
      const { isCut, badLines, recording } = loaded[0]!;
      expect([isCut, badLines <= 1]).toEqual([true, true]);
      expect(recording.rowCount).toBeGreaterThan(0);
      expect([...recording.lon]).toEqual(
        flight(2000)
          .slice(0, recording.rowCount)
          .map(({ change }) => change.lon),
      );
    },
  );

  test('of two lines with the same id and time the last is kept', async () => {
    const { source } = await open('rid-twice.jsonl.gz', [
      { s: 0, change: { lon: 1 } },
      { s: 0, id: 'two', change: { lon: 2 } },
      { s: 0, change: { lon: 3 } },
    ]);
    const lons = source.live('rid', WORLD, ANCHOR).map(({ lon }) => lon);
    expect(new Set(lons)).toEqual(new Set([2, 3]));
  });
});

describe('playing in a loop', () => {
  const PERIOD = 99_000 + 45_000;

  test('the same anchor gives the same observations; another anchor shifts them', async () => {
    const file = await write('rid-loop.jsonl.gz', flight(100));
    const [first, again, later] = await Promise.all(
      [ANCHOR, ANCHOR, addMs(ANCHOR, 5_000)].map((anchor) => openRecordings({ files: [file], anchor })),
    );
    const of = (opened = first) =>
      opened!.source.live('rid', WORLD, ANCHOR).map(({ lon, observedAt }) => [lon, observedAt]);
    expect(of(again)).toEqual(of(first));
    expect(of(later)).not.toEqual(of(first));
  });

  test('at the anchor there is a live position, and the past hour exists', async () => {
    const { source } = await open('rid-loop.jsonl.gz', flight(100));
    expect(source.live('rid', WORLD, ANCHOR).length).toBe(1);
    const hour = everything(source, 'rid', addMs(ANCHOR, -3_600_000), 3_600_000);
    expect(hour.length).toBeGreaterThan(2_000);
  });

  test('each loop has its own source ids, so that the jump at its end is not a movement', async () => {
    const { source } = await open('rid-loop.jsonl.gz', flight(100));
    const day = everything(source, 'rid', addMs(ANCHOR, -10 * PERIOD), 20 * PERIOD);
    const byId = Map.groupBy(day, ({ sourceId }) => sourceId);
    expect(byId.size).toBeGreaterThanOrEqual(20);
    for (const track of byId.values()) {
      const lons = track.map(({ lon }) => lon);
      expect(lons).toEqual(lons.toSorted((a, b) => a - b));
    }
  });

  test('a loop has expired before the next begins: a track is never live twice', async () => {
    const { source } = await open('rid-loop.jsonl.gz', flight(100));
    for (let ms = 0; ms < 2 * PERIOD; ms += 500) {
      expect(source.live('rid', WORLD, addMs(ANCHOR, ms)).length).toBeLessThanOrEqual(1);
    }
  });

  test('live is the latest observation of history that has not expired, at any time', async () => {
    const lines = [...flight(30), { s: 10, id: 'two' }, { s: 70, id: 'two' }, { s: 130, id: 'three' }];
    const { source } = await open('rid-agree.jsonl.gz', lines);
    for (let ms = -400_000; ms < 400_000; ms += 1_700) {
      const now = addMs(ANCHOR, ms);
      const latest = new Map(
        everything(source, 'rid', addMs(now, -44_999), 45_000).map((seen) => [seen.sourceId, seen]),
      );
      const live = source.live('rid', WORLD, now);
      expect(live.length).toBe(latest.size);
      for (const seen of live) expect(latest.get(seen.sourceId)).toEqual(seen);
    }
  });

  test('a silence of more than an hour is shortened, and what follows is a new track', async () => {
    const { source, loaded } = await open('rid-sessions.jsonl.gz', [
      { s: 0 },
      { s: 1 },
      { s: 500_000 },
      { s: 500_001 },
    ]);
    expect(loaded[0]?.recording.offsetMs.at(-1)).toBe(122_000);
    const ids = everything(source, 'rid', addMs(ANCHOR, -200_000), 400_000).map(({ sourceId }) => sourceId);
    expect(new Set(ids).size).toBeGreaterThanOrEqual(4);
  });

  test('a long recording starts at its busiest minute after the first hour', async () => {
    const crowd = (s: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ s, id: `at-${s}-${index}` }));
    const quiet = Array.from({ length: 150 }, (_, minute) => ({ s: minute * 60 }));
    const { source } = await open('adsb-day.jsonl.gz', [
      ...quiet,
      ...crowd(600, 9),
      ...crowd(7_000, 5),
      ...crowd(8_000, 3),
    ]);
    expect(source.live('adsb', WORLD, ANCHOR).length).toBe(6);
  });
});

describe('answering as a source', () => {
  test('several files play at once, each in its layer; equal ids in two files are two tracks', async () => {
    const files = [
      await write('rid-a.jsonl.gz', [{ s: 0 }]),
      await write('rid-b.jsonl.gz', [{ s: 0 }]),
      await write('adsb-c.jsonl.gz', [{ s: 0 }]),
    ];
    const { source } = await openRecordings({ files, anchor: ANCHOR });
    expect(new Set(source.live('rid', WORLD, ANCHOR).map(({ sourceId }) => sourceId)).size).toBe(2);
    expect(source.live('adsb', WORLD, ANCHOR).length).toBe(1);
  });

  test('history of several files is sorted by time, half-open, and says when there is more', async () => {
    const files = [await write('rid-a.jsonl.gz', flight(50)), await write('rid-b.jsonl.gz', flight(50))];
    const { source } = await openRecordings({ files, anchor: ANCHOR });
    const window = { start: addMs(ANCHOR, -40_000), end: ANCHOR };
    const all = source.history('rid', WORLD, window, 1000);
    const times = all.observations.map(({ observedAt }) => observedAt);
    expect(times).toEqual(times.toSorted((a, b) => compareInstants(a, b)));
    expect(times.every((time) => time >= window.start && time < window.end)).toBe(true);
    expect(all.more).toBe(false);
    expect(source.history('rid', WORLD, window, times.length).more).toBe(false);
    const cut = source.history('rid', WORLD, window, times.length - 1);
    expect(cut).toEqual({ observations: all.observations.slice(0, -1), more: true });
  });

  test('only observations in the box are returned', async () => {
    const { source } = await open('rid-box.jsonl.gz', [{ s: 0 }, { s: 0, id: 'far', change: { lon: 20 } }]);
    const box = { west: 8, south: 47, east: 9, north: 48 };
    expect(source.live('rid', box, ANCHOR).map(({ lon }) => lon)).toEqual([8.5]);
  });
});

function damaged(zipped: Buffer): Buffer {
  zipped.fill(0xff, zipped.length >> 1, (zipped.length >> 1) + 1);
  return zipped;
}

describe('a file that cannot be played says why', () => {
  test.each([
    ['rid-none.jsonl.gz', undefined, 'no such file'],
    ['rid-plain.jsonl.gz', Buffer.from(lineAt({ s: 0 })), 'not gzipped'],
    ['rid-cut.jsonl.gz', gzipSync(lineAt({ s: 0 })).subarray(0, 40), 'ends too early'],
    ['uat-x.jsonl.gz', gzipSync(lineAt({ s: 0 })), 'must begin with adsb- or rid-'],
    ['rid-damaged.jsonl.gz', damaged(gzipSync(flight(100).map(lineAt).join('\n'))), 'it is damaged'],
    ['rid-empty.jsonl.gz', gzipSync(''), 'it contains no positions'],
  ])('%s', async (name, content, reason) => {
    const file = join(folder, name);
    if (content) await writeFile(file, content);
    await expect(openRecordings({ files: [file], anchor: ANCHOR })).rejects.toThrow(RecordingError);
    await expect(openRecordings({ files: [file], anchor: ANCHOR })).rejects.toThrow(`${file}: `);
    await expect(openRecordings({ files: [file], anchor: ANCHOR })).rejects.toThrow(reason);
  });
});
