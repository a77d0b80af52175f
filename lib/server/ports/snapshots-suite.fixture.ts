import { beforeEach, describe, expect, test } from 'vitest';
import { quantise } from '#lib/codec/quantise.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import type { Lease } from './lease.ts';
import type { AreaRecords, AreaSnapshot, Snapshots } from './snapshots.ts';
import { ViewingPage } from './viewing-page.fixture.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const LATER = addMs(NOW, 1000);
const box = (west: number, south: number, east: number, north: number): Bbox => ({ west, south, east, north });
const ALPS = box(5, 44, 15, 48);
const NOTHING: ReadonlySet<string> = new Set();

function records(bbox: Bbox, fetchedAt: UpstreamInstant = NOW, layer: Layer = 'adsb'): AreaRecords {
  const key = `${layer}:${bbox.west},${bbox.south},${bbox.east},${bbox.north}`;
  return {
    area: { key, layer, bbox },
    positions: new Map(),
    fetchedAt,
    readAt: fetchedAt,
    incomplete: undefined,
    unreadable: 0,
  };
}

function lease(fence: number): Lease {
  return { name: 'area', fence };
}

/** The contract of every `Snapshots`. @param make two handles of one new store, possibly the same object */
export function declareSnapshotsSuite(name: string, make: () => Promise<readonly [Snapshots, Snapshots]>): void {
  let snapshots: Snapshots;
  let other: Snapshots;
  beforeEach(async () => {
    [snapshots, other] = await make();
  });

  async function boxesOver(bbox: Bbox, layer: Layer = 'adsb'): Promise<readonly Bbox[]> {
    return (await other.intersecting(layer, bbox)).map(({ area }) => area.bbox);
  }

  describe(`${name} as snapshots`, () => {
    test('what was put is read unchanged by every handle', async () => {
      const put: AreaRecords = { ...records(ALPS), incomplete: 'service_busy', unreadable: 3 };
      expect(await snapshots.put(put, lease(1))).toMatchObject({ ...put, sequence: 1 });
      expect(await other.intersecting('adsb', ALPS)).toMatchObject([{ ...put, sequence: 1 }]);
    });

    test('layers are separate', async () => {
      await snapshots.put(records(ALPS), lease(1));
      expect(await boxesOver(ALPS, 'rid')).toEqual([]);
    });

    test('a later refresh replaces the one before, with the next sequence number', async () => {
      for (let refresh = 1; refresh <= 4; refresh++) {
        const put = await snapshots.put(records(ALPS, addMs(NOW, refresh)), lease(refresh));
        expect(put?.sequence).toBe(refresh);
      }
      expect(await other.intersecting('adsb', ALPS)).toMatchObject([{ sequence: 4, fetchedAt: addMs(NOW, 4) }]);
    });

    test('the newest fetch comes first, whatever the order of the puts', async () => {
      const [east, north] = [box(14, 44, 20, 48), box(5, 47, 15, 52)];
      await snapshots.put(records(ALPS, addMs(NOW, 2000)), lease(1));
      await snapshots.put(records(east, addMs(NOW, 3000)), lease(1));
      await snapshots.put(records(north, addMs(NOW, 1000)), lease(1));
      expect(await boxesOver(box(14.2, 47.2, 14.8, 47.8))).toEqual([east, ALPS, north]);
      await snapshots.put(records(north, addMs(NOW, 4000)), lease(2));
      expect(await boxesOver(box(14.2, 47.2, 14.8, 47.8))).toEqual([north, east, ALPS]);
    });

    test.each([
      ['inside', box(8, 46, 9, 47), true],
      ['around', box(0, 40, 20, 50), true],
      ['that shares a corner', box(15, 48, 16, 49), true],
      ['beside', box(15.1, 44, 16, 48), false],
      ['above', box(5, 48.1, 15, 49), false],
      ['across 180° that ends in it', box(170, 44, 5, 48), true],
      ['across 180° that stops short of it', box(170, 44, 4.9, 48), false],
    ])('a box %s', async (_, bbox, isFound) => {
      await snapshots.put(records(ALPS), lease(1));
      expect(await boxesOver(bbox)).toEqual(isFound ? [ALPS] : []);
    });

    test('180° and −180° are the same meridian', async () => {
      const [fiji, samoa] = [box(170, -20, 180, -10), box(-180, -20, -170, -10)];
      await snapshots.put(records(fiji, LATER), lease(1));
      await snapshots.put(records(samoa), lease(1));
      expect(await boxesOver(box(175, -15, -175, -12))).toEqual([fiji, samoa]);
      expect(await boxesOver(box(-180, -15, -179, -12))).toEqual([fiji, samoa]);
      expect(await boxesOver(box(-179.9, -15, -179, -12))).toEqual([samoa]);
    });

    test('a put under an older lease than the last writer’s is refused without effect', async () => {
      await snapshots.put(records(ALPS, NOW), lease(7));
      expect(await other.put(records(ALPS, LATER), lease(6))).toBeUndefined();
      expect(await other.intersecting('adsb', ALPS)).toMatchObject([{ sequence: 1, fetchedAt: NOW }]);
    });

    test('a lease may write again, and leases of other areas do not matter', async () => {
      await snapshots.put(records(ALPS, NOW), lease(7));
      expect((await snapshots.put(records(ALPS, LATER), lease(7)))?.sequence).toBe(2);
      expect(await snapshots.put(records(box(20, 44, 25, 48)), lease(3))).toBeDefined();
    });

    test('snapshots fetched earlier are forgotten, except those to keep', async () => {
      const [old, kept, fresh] = [box(5, 44, 6, 45), box(6, 44, 7, 45), box(7, 44, 8, 45)];
      await snapshots.put(records(old, addMs(NOW, -1)), lease(1));
      await snapshots.put(records(kept, addMs(NOW, -1)), lease(1));
      await snapshots.put(records(fresh, NOW), lease(1));
      await other.forgetBefore(NOW, new Set([records(kept).area.key]));
      expect(await boxesOver(ALPS)).toEqual([fresh, kept]);
    });

    test('a forgotten area never repeats a sequence number', async () => {
      const seen = new Set<number>();
      for (let round = 0; round < 3; round++) {
        for (let refresh = 0; refresh < 3; refresh++) {
          const put = await snapshots.put(records(ALPS, addMs(NOW, round * 10 + refresh)), lease(round * 10 + refresh));
          expect(seen).not.toContain(put?.sequence);
          seen.add(put?.sequence ?? 0);
        }
        await other.forgetBefore(addMs(NOW, round * 10 + 5), NOTHING);
        expect(await boxesOver(ALPS)).toEqual([]);
      }
      expect(seen.size).toBe(9);
    });

    describe('a page is given', () => {
      const traffic = (step: number): AreaRecords => {
        const positions = Array.from({ length: 20 }, (_, index) => ({
          ...plainPosition,
          ref: `RX-A-${index.toString(16).toUpperCase().padStart(16, '0')}`,
          observedAt: addMs(NOW, step * 1000),
          lon: 8 + step / 1000 + index / 100,
          lat: 47,
        }));
        const records_ = records(ALPS, addMs(NOW, step * 1000));
        return { ...records_, positions: new Map(positions.map((each) => [each.ref, each])) };
      };
      const quantised = (step: number) => quantise(traffic(step).positions.values());
      /** Each handle has seen it when this resolves. */
      const put = async (step: number) => {
        await snapshots.put(traffic(step), lease(1));
        const seen = await Promise.all([snapshots, other].map((each) => each.intersecting('adsb', ALPS)));
        return seen.map(([snapshot]) => snapshot) as [AreaSnapshot, AreaSnapshot];
      };

      test('a full frame at first, then what changed, and nothing where nothing did, whichever handle it asks', async () => {
        const page = new ViewingPage();
        const forms: unknown[] = [];
        const names = new Set<string>();
        for (let step = 1; step <= 6; step++) {
          const [one, two] = await put(step);
          for (const each of step % 2 === 0 ? [one, two] : [two, one]) {
            const { name, form, records } = await page.poll(each);
            expect(records).toEqual(quantised(step));
            forms.push(form);
            names.add(name);
          }
        }
        expect(forms).toEqual(['full', 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
        expect(names.size).toBe(1);
      });

      test('the deltas that it missed, up to four, and otherwise a full frame', async () => {
        const pages = Array.from({ length: 6 }, () => new ViewingPage());
        for (let step = 1; step <= 6; step++) {
          // Each at another step, so that all of them were encoded.
          await pages[step - 1]?.poll((await put(step))[0]);
        }
        const [, latest] = await put(6.5);
        const polls = await Promise.all(pages.map((page) => page.poll(latest)));
        expect(polls.map(({ form }) => form)).toEqual(['full', 'full', 4, 3, 2, 1]);
        for (const { records } of polls) expect(records).toEqual(quantised(6.5));
      });

      test('nothing that was made for an area before it was forgotten', async () => {
        const page = new ViewingPage();
        await page.poll((await put(1))[1]);
        await snapshots.forgetBefore(addMs(NOW, 2000), NOTHING);
        expect(await other.intersecting('adsb', ALPS)).toEqual([]);
        const { records } = await page.poll((await put(3))[1]);
        expect(records).toEqual(quantised(3));
      });
    });
  });
}
