import fc from 'fast-check';
import { PMTiles } from 'pmtiles';
import { expect, test } from 'vitest';
import { mercatorLatDeg } from '#lib/geo/mercator.ts';
import { pmtilesArchive } from '#lib/server/street-map/pmtiles-archive.ts';
import { tileCover } from './region-archive.ts';

const Z = 10;
const [WEST, NORTH, SIDE] = [536, 357, 8];
const lon = (x: number) => (x / 2 ** Z) * 360 - 180;
const lat = (y: number) => mercatorLatDeg(y / 2 ** Z);

test('the cover is where the file has tiles, and nowhere else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: SIDE ** 2, maxLength: SIDE ** 2 }), async (there) => {
      fc.pre(there.includes(true));
      const tiles = there.flatMap((isThere, at) =>
        isThere ? [{ z: Z, x: WEST + (at % SIDE), y: NORTH + Math.floor(at / SIDE), data: Uint8Array.of(at) }] : [],
      );
      const archive = pmtilesArchive(tiles, {
        metadata: {},
        bounds: [lon(WEST), lat(NORTH + SIDE), lon(WEST + SIDE) - 1e-6, lat(NORTH)],
        center: { lon: 8.5, lat: 47, zoom: Z },
      });
      const reader = new PMTiles({
        getKey: () => 'memory',
        getBytes: async (offset, length) => ({
          data: new Uint8Array(archive.subarray(offset, offset + length)).buffer,
        }),
      });
      const { coordinates } = await tileCover(reader, await reader.getHeader());
      for (const [at, isThere] of there.entries()) {
        const [x, y] = [lon(WEST + (at % SIDE) + 0.5), lat(NORTH + Math.floor(at / SIDE) + 0.5)];
        const covering = coordinates.filter(([ring = []]) => {
          const [[west = 0, south = 0] = [], , [east = 0, north = 0] = []] = ring;
          return west < x && x < east && south < y && y < north;
        });
        expect(covering).toHaveLength(isThere ? 1 : 0);
      }
    }),
    { numRuns: 50 },
  );
});
