import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bbox, bboxCovers } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { Demand, type Viewport } from '../live/plan/demand.ts';
import { DemandOfAll, foldViewports } from '../live/plan/demand-of-all.ts';
import { readCells, writeCells } from './demand-reports.ts';

const NOW = localInstant(Date.UTC(2026, 10, 27));
const OPERATORS = ['alice', 'bob', 'carol'];

const boxes: readonly Bbox[] = [0, 1, 2].map((west) => ({ west, south: 47, east: west + 1.5, north: 48 }));
const look = fc.record({
  operator: fc.constantFrom(...OPERATORS),
  page: fc.nat({ max: 5 }).map(String),
  box: fc.constantFrom(...boxes),
  layers: fc.constantFrom<readonly Layer[]>(['rid'], ['adsb'], ['rid', 'adsb']),
  server: fc.nat({ max: 2 }),
});

function seen(viewports: readonly Viewport[]) {
  return viewports
    .map(({ bbox, views, unread, isRead }) => ({
      bbox,
      views: [...views].sort(),
      unread: [...unread.keys()].sort(),
      isRead,
    }))
    .sort((a, b) => a.bbox.west - b.bbox.west);
}

test('the demand of several servers, as they report it, is that of one server with all their viewers', () => {
  fc.assert(
    fc.property(fc.array(look, { maxLength: 40 }), fc.nat(), (looks, after) => {
      const alone = new DemandOfAll();
      const writer = new DemandOfAll();
      const readers = [new Demand(), new Demand()];
      const report = () => {
        for (const [index, reader] of readers.entries()) {
          const cells = readCells(writeCells(reader));
          writer.report(`${index}`, { viewers: reader.viewers, cells: cells ?? [] });
        }
      };
      for (const [index, { operator, page, box, layers, server }] of looks.entries()) {
        const viewer = { operator, session: undefined, page: `${server} ${page}` };
        alone.own.polled(viewer, [box], layers, addMs(NOW, index));
        (server === 0 ? writer.own : readers[server - 1]!).polled(viewer, [box], layers, addMs(NOW, index));
        if (index === after % 40) report();
      }
      report();
      expect(writer.viewers).toBe(alone.viewers);
      expect(writer.operators).toEqual(alone.operators);
      for (const layer of ['rid', 'adsb'] as const)
        expect(seen(writer.viewports(layer))).toEqual(seen(alone.viewports(layer)));
    }),
  );
});

test('over reports, a waiting operator keeps the position in the queue, and a read view stays read', () => {
  const writer = new DemandOfAll();
  const cell = { layer: 'adsb' as const, bbox: boxes[0]!, views: new Map([['alice', 1]]), isRead: false };
  const unread = { viewers: 1, cells: [{ ...cell, unread: new Set(['alice']) }] };
  writer.report('a', unread);
  const seenCell = () => writer.viewports('adsb').find(({ bbox }) => bbox.west === boxes[0]?.west);
  const place = () => seenCell()?.unread.get('alice');
  const first = place();
  expect(first).toBeDefined();
  writer.own.polled({ operator: 'bob', session: undefined, page: '' }, [boxes[1]!], ['adsb'], NOW);
  writer.report('a', unread);
  expect(place()).toBe(first);
  writer.follow(() => undefined);
  writer.report('a', unread);
  expect([place(), seenCell()?.isRead]).toEqual([undefined, true]);
  writer.forget('a');
  writer.report('a', unread);
  expect(place()).toBeGreaterThan(first ?? 0);
});

test('very many boxes become few, each of which is covered, with the views of all', () => {
  const anyBox = fc
    .tuple(
      fc.double({ min: -170, max: 160, noNaN: true }),
      fc.double({ min: -80, max: 70, noNaN: true }),
      fc.double({ min: 0.1, max: 8, noNaN: true }),
    )
    .map(([west, south, span]): Bbox => ({ west, south, east: west + span, north: south + span }));
  fc.assert(
    fc.property(fc.array(anyBox, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (all, max) => {
      const viewports = all.map((bbox, index) => ({
        bbox,
        views: new Map([[OPERATORS[index % 3] as string, 1]]),
        unread: new Map<string, number>(),
        isRead: true,
      }));
      const folded = foldViewports(viewports, max);
      for (const box of all) expect(folded.some(({ bbox }) => bboxCovers(bbox, box))).toBe(true);
      const views = folded.flatMap((each) => [...each.views.values()]).reduce((sum, each) => sum + each, 0);
      expect(views).toBe(all.length);
      if (all.length <= max) expect(folded).toHaveLength(new Set(all.map((box) => JSON.stringify(box))).size);
    }),
  );
  const crowd = Array.from({ length: 20_000 }, (_, index) => {
    const [west, south] = [(index % 10) * 12 - 60 + Math.sin(index) / 4, 40 + Math.cos(index) / 4];
    return {
      bbox: { west, south, east: west + 1, north: south + 1 },
      views: new Map([['a', 1]]),
      unread: new Map(),
      isRead: true,
    };
  });
  expect(foldViewports(crowd).length).toBeLessThanOrEqual(500);
});
