import { beforeEach, describe, expect, test } from 'vitest';
import { recordsOf } from '#lib/codec/records.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { AreaSnapshots } from './area-snapshots.ts';
import type { AreaRecords } from './snapshots.ts';
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

let snapshots: AreaSnapshots;
beforeEach(() => {
  snapshots = new AreaSnapshots();
});

function boxesOver(bbox: Bbox, layer: Layer = 'adsb'): readonly Bbox[] {
  return snapshots.intersecting(layer, bbox).map(({ area }) => area.bbox);
}

describe('snapshots', () => {
  test('reads return the put records unchanged', async () => {
    const put: AreaRecords = { ...records(ALPS), incomplete: 'service_busy', unreadable: 3 };
    expect(snapshots.put(put)).toMatchObject({ ...put, sequence: 1 });
    expect(snapshots.intersecting('adsb', ALPS)).toMatchObject([{ ...put, sequence: 1 }]);
  });

  test('layers are separate', async () => {
    snapshots.put(records(ALPS));
    expect(boxesOver(ALPS, 'rid')).toEqual([]);
  });

  test('a later refresh replaces the one before, with the next sequence number', async () => {
    for (let refresh = 1; refresh <= 4; refresh++) {
      const put = snapshots.put(records(ALPS, addMs(NOW, refresh)));
      expect(put?.sequence).toBe(refresh);
    }
    expect(snapshots.intersecting('adsb', ALPS)).toMatchObject([{ sequence: 4, fetchedAt: addMs(NOW, 4) }]);
  });

  test('the newest fetch comes first, whatever the order of the puts', async () => {
    const [east, north] = [box(14, 44, 20, 48), box(5, 47, 15, 52)];
    snapshots.put(records(ALPS, addMs(NOW, 2000)));
    snapshots.put(records(east, addMs(NOW, 3000)));
    snapshots.put(records(north, addMs(NOW, 1000)));
    expect(boxesOver(box(14.2, 47.2, 14.8, 47.8))).toEqual([east, ALPS, north]);
    snapshots.put(records(north, addMs(NOW, 4000)));
    expect(boxesOver(box(14.2, 47.2, 14.8, 47.8))).toEqual([north, east, ALPS]);
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
    snapshots.put(records(ALPS));
    expect(boxesOver(bbox)).toEqual(isFound ? [ALPS] : []);
  });

  test('180° and −180° are the same meridian', async () => {
    const [fiji, samoa] = [box(170, -20, 180, -10), box(-180, -20, -170, -10)];
    snapshots.put(records(fiji, LATER));
    snapshots.put(records(samoa));
    expect(boxesOver(box(175, -15, -175, -12))).toEqual([fiji, samoa]);
    expect(boxesOver(box(-180, -15, -179, -12))).toEqual([fiji, samoa]);
    expect(boxesOver(box(-179.9, -15, -179, -12))).toEqual([samoa]);
  });

  test('snapshots fetched earlier are forgotten, except those to keep', async () => {
    const [old, kept, fresh] = [box(5, 44, 6, 45), box(6, 44, 7, 45), box(7, 44, 8, 45)];
    snapshots.put(records(old, addMs(NOW, -1)));
    snapshots.put(records(kept, addMs(NOW, -1)));
    snapshots.put(records(fresh, NOW));
    snapshots.forgetBefore(NOW, new Set([records(kept).area.key]));
    expect(boxesOver(ALPS)).toEqual([fresh, kept]);
  });

  test('a forgotten area never repeats an edition', () => {
    const seen = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let refresh = 0; refresh < 3; refresh++) {
        const { name, sequence } = snapshots.put(records(ALPS, addMs(NOW, round * 10 + refresh)));
        seen.add(`${name} ${sequence}`);
      }
      snapshots.forgetBefore(addMs(NOW, round * 10 + 5), NOTHING);
      expect(boxesOver(ALPS)).toEqual([]);
    }
    expect(seen.size).toBe(9);
  });

  test('another process, and a server that renames its areas, repeat no name', () => {
    const editions = [snapshots, new AreaSnapshots()].map((each) => each.put(records(ALPS)).name);
    snapshots.rename();
    editions.push(snapshots.put(records(ALPS, LATER)).name);
    expect(new Set(editions).size).toBe(3);
  });

  test('a snapshot of another server keeps its edition, and calls no listener', () => {
    const received: unknown[] = [];
    snapshots.onPut((each) => received.push(each));
    snapshots.take(records(ALPS), { name: 'theirs', sequence: 7 });
    snapshots.take(records(ALPS, LATER), { name: 'theirs', sequence: 9 });
    expect(snapshots.all()).toMatchObject([{ name: 'theirs', sequence: 9, fetchedAt: LATER }]);
    expect(received).toEqual([]);
    expect(snapshots.put(records(ALPS, LATER))).toMatchObject({ sequence: 1 });
    expect(received).toHaveLength(1);
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
    const quantised = (step: number) => recordsOf(traffic(step).positions.values());
    const put = (step: number) => snapshots.put(traffic(step));

    test('a full frame at first, then what changed, and nothing where nothing did', async () => {
      const page = new ViewingPage();
      const forms: unknown[] = [];
      const names = new Set<string>();
      for (let step = 1; step <= 6; step++) {
        const snapshot = put(step);
        for (const each of [snapshot, snapshot]) {
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
        // So that all steps were encoded.
        await pages[step - 1]?.poll(put(step));
      }
      const latest = put(6.5);
      const polls = await Promise.all(pages.map((page) => page.poll(latest)));
      expect(polls.map(({ form }) => form)).toEqual(['full', 'full', 4, 3, 2, 1]);
      for (const { records } of polls) expect(records).toEqual(quantised(6.5));
    });

    test('nothing that was made for an area before it was forgotten', async () => {
      const page = new ViewingPage();
      await page.poll(put(1));
      snapshots.forgetBefore(addMs(NOW, 2000), NOTHING);
      expect(snapshots.intersecting('adsb', ALPS)).toEqual([]);
      const { records } = await page.poll(put(3));
      expect(records).toEqual(quantised(3));
    });
  });
});
