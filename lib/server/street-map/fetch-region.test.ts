import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PMTiles, tileIdToZxy } from 'pmtiles';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { configuredMapProblems } from '#lib/server/maps/map-setting.ts';
import { cannotMount, mountSmallDisk } from '#service/data-dir/small-disk.fixture.ts';
import { protomapsArchive } from '#testing/region-archive.ts';
import { archiveReader } from '../../../scripts/basemap/built-archive.fixture.ts';
import { type ArchiveServer, serveArchive } from './archive-server.fixture.ts';
import { planRegion } from './plan-region.ts';
import { pmtilesArchive, type Tile } from './pmtiles-archive.ts';
import { RangeSource } from './range-source.ts';
import { parseAround, regionBox, regionTileIds, withSouthernPlace } from './region.ts';
import { writeRegion } from './write-region.ts';

const AROUND = parseAround('47.46,8.55,4km');

/** So many that the directory has leaves; a quarter is equal, like the sea. */
function worldArchive(): Buffer {
  const tiles: Tile[] = [];
  for (let z = 0; z <= 7; z++)
    for (let x = 0; x < 2 ** z; x++)
      for (let y = 0; y < 2 ** z; y++) {
        const digest = createHash('sha512').update(`${z}/${x}/${y}`).digest();
        tiles.push({ z, x, y, data: digest[0]! < 64 ? Buffer.from('sea') : digest.subarray(0, 4 + (digest[1]! % 60)) });
      }
  return Buffer.from(
    pmtilesArchive(tiles, {
      metadata: { name: 'World', attribution: 'Test' },
      bounds: [-180, -85, 180, 85],
      center: { lon: 0, lat: 0, zoom: 1 },
    }),
  );
}

let folder: string;
let file: string;
let server: ArchiveServer;
let region: Buffer;
let world: Buffer;
beforeAll(async () => {
  region = Buffer.from(protomapsArchive());
  world = worldArchive();
  server = await serveArchive(region);
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookout-map-'));
  file = join(folder, 'maps', 'Airfield.pmtiles');
  Object.assign(server, { archive: region, behaviour: 'ranges' });
  server.ranges.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

async function fetchRegion(to = file, around = AROUND, maxZoom?: number): Promise<void> {
  const source = new RangeSource(server.url, { retryMs: 1 });
  await writeRegion(source, await planRegion(source, around, maxZoom), to);
}

async function expectSameTiles(ids: readonly number[]): Promise<number> {
  const whole = new PMTiles({
    getKey: () => 'whole',
    getBytes: async (offset, length) => ({
      data: new Uint8Array(server.archive.subarray(offset, offset + length)).buffer,
    }),
  });
  const cut = archiveReader(readFileSync(file));
  let both = 0;
  for (const id of ids) {
    const [z, x, y] = tileIdToZxy(id);
    const [expected, actual] = [await whole.getZxy(z, x, y), await cut.getZxy(z, x, y)];
    expect(actual && Buffer.from(actual.data), `tile ${z}/${x}/${y}`).toEqual(expected && Buffer.from(expected.data));
    if (actual) both++;
  }
  expect((await cut.getHeader()).numAddressedTiles).toBe(both);
  expect(await cut.getMetadata()).toEqual(await whole.getMetadata());
  return both;
}

describe('npm run map -- fetch', () => {
  test('writes the tiles of the region as the archive has them, and a file that Lookout serves', async () => {
    await fetchRegion();
    const both = await expectSameTiles(regionTileIds(regionBox(AROUND), 8, 13));
    expect(both).toBeGreaterThan(15);
    expect(configuredMapProblems([{ name: 'Airfield', file }])).toEqual([]);
    expect(readdirSync(join(folder, 'maps'))).toEqual(['Airfield.pmtiles']);
  });

  test('of a large archive, requests only the directories and tiles of the region', async () => {
    server.archive = world;
    const around = parseAround('47.46,8.55,400km');
    await fetchRegion(file, around, 6);
    expect(await expectSameTiles(regionTileIds(regionBox(around), 0, 6))).toBeGreaterThan(15);
    const requested = server.ranges.reduce((sum, range) => {
      const [first = 0, last = 0] = range.split('-').map(Number);
      return sum + last - first + 1;
    }, 0);
    expect(requested).toBeLessThan(server.archive.byteLength / 4);
  });

  test('around 180°, takes the tiles on both sides', async () => {
    server.archive = world;
    const around = parseAround('-17,179.5,300km');
    await fetchRegion(file, around);
    const ids = regionTileIds(regionBox(around), 0, 7);
    const columns = ids.map((id) => tileIdToZxy(id)).flatMap(([z, x]) => (z === 7 ? [x] : []));
    expect(new Set(columns.map((x) => x < 64)).size).toBe(2);
    await expectSameTiles(ids);
  });

  test('a request without an answer is tried again', async () => {
    server.behaviour = 'fails once';
    await fetchRegion();
    expect(existsSync(file)).toBe(true);
  });

  test('an earlier file stays until the new one is whole', async () => {
    mkdirSync(join(folder, 'maps'));
    writeFileSync(file, 'before');
    server.behaviour = 'cuts tiles';
    await expect(fetchRegion()).rejects.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('before');
    server.behaviour = 'ranges';
    await fetchRegion();
    expect(configuredMapProblems([{ name: 'Airfield', file }])).toEqual([]);
  });

  test.each([
    ['missing', /^There is no file at http.*world\.pmtiles \(404\)/],
    ['whole file', /^127\.0\.0\.1:\d+ ignores range requests/],
    ['cuts tiles', /^127\.0\.0\.1:\d+ did not answer in 3 tries/],
    ['replaces', /was replaced while it was read; try again/],
    ['wrong bytes', /sends other bytes than those requested/],
  ] as const)('%s: says what is wrong, and leaves nothing behind', async (behaviour, message) => {
    server.behaviour = behaviour;
    await expect(fetchRegion()).rejects.toThrow(message);
    expect(filesIn(folder)).toEqual([]);
  });

  test.each([
    ['no archive', () => Buffer.from('<!doctype html>'.repeat(100)), /world\.pmtiles is not a PMTiles archive/],
    ['another schema', () => protomapsArchive({ vector_layers: [{ id: 'water' }] }), /not in the Protomaps schema/],
    ['a damaged directory', () => damaged(region, 130), /The archive is damaged/],
    ['cut short', () => region.subarray(0, region.byteLength / 2), /is shorter than its directory|cut short/],
  ] as const)('%s: says so, and leaves nothing behind', async (_, content, message) => {
    server.archive = Buffer.from(content());
    await expect(fetchRegion()).rejects.toThrow(message);
    expect(filesIn(folder)).toEqual([]);
  });

  test('reports an address without a server, and a place without tiles', async () => {
    const nowhere = await serveArchive(region);
    await nowhere.close();
    await expect(planRegion(new RangeSource(nowhere.url, { retryMs: 1 }), AROUND)).rejects.toThrow(
      /did not answer in 3 tries.*ECONNREFUSED/,
    );
    await expect(fetchRegion(file, parseAround('-20,100,5km'))).rejects.toThrow('The archive has no tiles there.');
  });

  test('an interruption ends it, and leaves nothing behind', async () => {
    const interrupted = new AbortController();
    const source = new RangeSource(server.url, { retryMs: 1, signal: interrupted.signal });
    const plan = await planRegion(source, AROUND);
    interrupted.abort(new Error('Interrupted'));
    await expect(writeRegion(source, plan, file)).rejects.toThrow('Interrupted');
    expect(filesIn(folder)).toEqual([]);
  });

  test.each(['47.46,8.55', '47.46 8.55 60km', '91,8,5km', '47,8,0km', '47,8,5000km', '47,8,60mi'])(
    'refuses --around %s',
    (text) => expect(() => parseAround(text)).toThrow(/^--around must be LATITUDE,LONGITUDE,RADIUSkm/),
  );

  test('a place south of the equator is no option', () => {
    expect(withSouthernPlace(['fetch', 'x', '--around', '-33.9,18.4,60km', '--name', 'a'])).toEqual([
      ...['fetch', 'x', '--around=-33.9,18.4,60km', '--name', 'a'],
    ]);
    expect(withSouthernPlace(['--around', '47,8,60km', '-x'])).toEqual(['--around', '47,8,60km', '-x']);
  });

  test('refuses a region of too many tiles before anything is requested', () => {
    expect(() => regionTileIds(regionBox(parseAround('47,8,1000km')), 0, 15)).toThrow(/--max-zoom 1[0-4]\.$/);
  });
});

describe.skipIf(cannotMount !== undefined)(`on a small disk ${cannotMount ?? ''}`, () => {
  test.each(['full before', 'full meanwhile'])('%s: says so, and leaves nothing behind', async (when) => {
    const mounted = join(folder, 'disk');
    mkdirSync(mounted);
    const disk = await mountSmallDisk(mounted, 100_000);
    try {
      const source = new RangeSource(server.url, { retryMs: 1 });
      const plan = await planRegion(source, AROUND);
      disk.fill();
      const bytes = when === 'full before' ? plan.bytes : 0;
      await expect(writeRegion(source, { ...plan, bytes }, join(disk.path, 'x.pmtiles'))).rejects.toThrow(
        when === 'full before' ? /^The map needs \d+ kB, and the disk of .* has \d+ kB/ : /^The disk of .* is full/,
      );
      expect(readdirSync(disk.path)).toEqual(['filler']);
    } finally {
      await disk.remove();
    }
  });
});

function damaged(archive: Buffer, at: number): Buffer {
  const changed = Buffer.from(archive);
  changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
  return changed;
}

function filesIn(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
