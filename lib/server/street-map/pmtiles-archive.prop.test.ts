import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveReader } from '../../../scripts/basemap/built-archive.fixture.ts';
import { type ArchiveDescription, pmtilesArchive, type Tile } from './pmtiles-archive.ts';

const DESCRIPTION: ArchiveDescription = {
  metadata: { attribution: '© test' },
  bounds: [-180, -85, 180, 85],
  center: { lon: 8.5, lat: -47.25, zoom: 3 },
};

const tileSet: fc.Arbitrary<Tile[]> = fc.uniqueArray(
  fc.integer({ min: 0, max: 7 }).chain((z) =>
    fc.record({
      z: fc.constant(z),
      x: fc.integer({ min: 0, max: 2 ** z - 1 }),
      y: fc.integer({ min: 0, max: 2 ** z - 1 }),
      data: fc.oneof(
        fc.constantFrom(new Uint8Array([1]), new Uint8Array([2, 2])),
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
      ),
    }),
  ),
  { minLength: 1, maxLength: 120, selector: ({ z, x, y }) => `${z}/${x}/${y}` },
);

describe('an archive', () => {
  test('returns every tile that was written, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(tileSet, async (tiles) => {
        const reader = archiveReader(pmtilesArchive(tiles, DESCRIPTION));
        for (const { z, x, y, data } of tiles) {
          const read = await reader.getZxy(z, x, y);
          expect(new Uint8Array(read!.data)).toEqual(data);
        }
        const written = new Set(tiles.map(({ z, x, y }) => `${z}/${x}/${y}`));
        for (let x = 0; x < 4; x++) {
          for (let y = 0; y < 4; y++) {
            if (!written.has(`2/${x}/${y}`)) expect(await reader.getZxy(2, x, y)).toBeUndefined();
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('describes its contents in its header and metadata', async () => {
    const same = new Uint8Array([7]);
    const tiles = [
      { z: 1, x: 0, y: 0, data: same },
      { z: 1, x: 0, y: 1, data: same },
      { z: 2, x: 3, y: 3, data: new Uint8Array([8]) },
    ];
    const reader = archiveReader(pmtilesArchive(tiles, DESCRIPTION));
    expect(await reader.getHeader()).toMatchObject({
      specVersion: 3,
      clustered: true,
      numAddressedTiles: 3,
      numTileEntries: 2,
      numTileContents: 2,
      minZoom: 1,
      maxZoom: 2,
      minLon: -180,
      maxLat: 85,
      centerLon: 8.5,
      centerLat: -47.25,
      centerZoom: 3,
    });
    expect(await reader.getMetadata()).toEqual(DESCRIPTION.metadata);
  });

  test('keeps header and root directory within the first 16,384 bytes, whatever the number of tiles', async () => {
    const side = 2 ** 8;
    const tiles = Array.from({ length: side * side }, (_, i) => {
      // Random, so that the directory stays large.
      const digest = createHash('sha512').update(String(i)).digest();
      const data = new Uint8Array(digest.subarray(0, 4 + (digest[0]! % 60)));
      return { z: 8, x: i % side, y: Math.floor(i / side), data, kept: digest[1]! < 64 };
    }).filter(({ kept }) => kept);
    const reader = archiveReader(pmtilesArchive(tiles, DESCRIPTION));
    const header = await reader.getHeader();
    expect(header.leafDirectoryLength).toBeGreaterThan(0);
    expect(header.rootDirectoryOffset + header.rootDirectoryLength).toBeLessThanOrEqual(16_384);
    for (const tile of tiles.filter((_, i) => i % 997 === 0)) {
      expect(new Uint8Array((await reader.getZxy(8, tile.x, tile.y))!.data)).toEqual(tile.data);
    }
  });

  test('rejects an empty list of tiles and a repeated address', () => {
    expect(() => pmtilesArchive([], DESCRIPTION)).toThrow(RangeError);
    const tile = { z: 0, x: 0, y: 0, data: new Uint8Array([1]) };
    expect(() => pmtilesArchive([tile, tile], DESCRIPTION)).toThrow('0/0/0 comes twice');
  });
});
