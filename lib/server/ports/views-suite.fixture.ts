import { deflateRawSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { OVERLAYS_MAX, type OverlayContent } from '#lib/api/overlay.ts';
import { VIEWS_MAX } from '#lib/api/saved-view.ts';
import { isApiError } from '../api-error.ts';
import type { Views } from './views.ts';

const gate = { name: 'North gate', query: '?view=47,8,9', shared: false };

const content: OverlayContent = {
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { name: 'Gate' }, geometry: { type: 'Point', coordinates: [8.5, 47.4] } }],
};
const pack = (value: unknown) => deflateRawSync(JSON.stringify(value)).toString('base64');
const zone = { name: 'Zone', shared: false, packed: pack(content) };

/** The code with which something is refused, '' where it is not. */
export async function refusalOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return '';
  } catch (error) {
    if (isApiError(error)) return error.code;
    throw error;
  }
}

/** The contract of every `Views`. @param make two servers with one new store */
export function declareViewsSuite(name: string, make: () => Promise<readonly [Views, Views]>): void {
  let one: Views;
  let other: Views;
  beforeEach(async () => {
    [one, other] = await make();
  });
  const namesAt = async (views: Views, owner: string) => (await views.list(owner)).views.map((view) => view.name);

  describe(`${name} as saved views`, () => {
    test('what is saved, changed, shared, started at and deleted at one server is so at the other at once', async () => {
      const view = await one.add('al', gate);
      expect((await other.list('al')).views).toEqual([view]);
      expect((await other.list('bea')).views).toEqual([]);
      await other.change('al', view.id, { name: 'Gate', shared: true });
      expect((await one.list('bea')).views).toMatchObject([{ name: 'Gate', mine: false, owner: 'al' }]);
      await one.setStart('bea', view.id);
      expect((await other.list('bea')).start).toBe(view.id);
      expect(await other.startQuery('bea')).toBe(gate.query);
      await other.setStart('bea', null);
      expect(await one.startQuery('bea')).toBeUndefined();
      await one.setStart('al', view.id);
      await other.remove('al', view.id);
      expect(await one.list('al')).toEqual({ views: [], start: null });
      expect(await one.startQuery('al')).toBeUndefined();
    });

    test('the rules hold whichever server is asked: names, owners and what is not there', async () => {
      const { id } = await one.add('al', gate);
      expect(await refusalOf(() => other.add('al', gate))).toBe('name_taken');
      expect(await refusalOf(() => other.change('bea', id, { name: 'Mine' }))).toBe('not_found');
      await other.add('bea', gate);
      await other.change('al', id, { shared: true });
      expect(await refusalOf(() => one.remove('bea', id))).toBe('not_owner');
      await one.remove('al', id);
      expect(await refusalOf(() => other.change('al', id, { name: 'Gone' }))).toBe('not_found');
      expect(await refusalOf(() => other.remove('al', id))).toBe('not_found');
      expect(await namesAt(one, 'al')).toEqual([]);
    });

    test('names are exchanged one after the other, and each server has them', async () => {
      const first = await one.add('al', { ...gate, name: 'A' });
      const second = await other.add('al', { ...gate, name: 'B' });
      await one.change('al', first.id, { name: 'C' });
      await one.change('al', second.id, { name: 'A' });
      await one.change('al', first.id, { name: 'B' });
      for (const views of [one, other])
        expect((await views.list('al')).views.map(({ id, name }) => [id === first.id, name])).toEqual([
          [false, 'A'],
          [true, 'B'],
        ]);
    });

    test('of views saved at the same time each is kept, of one name one, and no more than an operator may have', async () => {
      const adds = Array.from({ length: 8 }, (_, index) =>
        refusalOf(async () => (index % 2 ? one : other).add('al', { ...gate, name: `name ${index >> 1}` })),
      );
      const refused = (await Promise.all(adds)).filter((code) => code !== '');
      expect(refused).toEqual(Array(4).fill('name_taken'));
      for (let index = 4; index < VIEWS_MAX - 1; index++)
        await (index % 2 ? one : other).add('al', { ...gate, name: `name ${index}` });
      const last = await Promise.all([
        refusalOf(async () => one.add('al', { ...gate, name: 'one' })),
        refusalOf(async () => other.add('al', { ...gate, name: 'other' })),
      ]);
      expect(last.toSorted()).toEqual(['', 'too_many_views']);
      expect(await namesAt(one, 'al')).toHaveLength(VIEWS_MAX);
      expect(await other.list('al')).toEqual(await one.list('al'));
    });

    test('the operator of a Lookout without sign-in has views too', async () => {
      const { id } = await one.add(undefined, gate);
      await other.setStart(undefined, id);
      expect(await one.list(undefined)).toMatchObject({ views: [{ owner: null, mine: true }], start: id });
    });

    test('names, owners and queries may be anything', async () => {
      const odd = ['__proto__', 'a:b', 'view:x', 'Ünï "\' %_\\', '🛩'.repeat(80)];
      for (const text of odd) await one.add(text, { name: text, query: `?q=${text}`, shared: false }, text);
      for (const text of odd)
        expect((await other.list(text)).views).toMatchObject([{ name: text, query: `?q=${text}`, owner: text }]);
    });

    test('an overlay that is added, shared or removed at one server is so at the other at once', async () => {
      const own = await one.addOverlay('al', zone);
      const shared = await other.addOverlay('al', { ...zone, name: 'Shared', shared: true }, 'Al');
      expect(await other.listOverlays('al')).toEqual({ overlays: [shared, own] });
      expect(await one.listOverlays('bea')).toEqual({
        overlays: [{ id: shared.id, name: 'Shared', shared: true, mine: false, owner: 'Al' }],
      });
      expect(await other.overlay('al', own.id)).toEqual(content);
      expect(await one.overlay('bea', shared.id)).toEqual(content);
      expect(await refusalOf(() => one.overlay('bea', own.id))).toBe('not_found');
      expect(await refusalOf(() => other.removeOverlay('bea', own.id))).toBe('not_found');
      expect(await refusalOf(() => one.removeOverlay('bea', shared.id))).toBe('not_owner');
      await other.removeOverlay('al', own.id);
      expect(await one.listOverlays('al')).toEqual({ overlays: [shared] });
      await one.removeOverlay('al', shared.id);
      expect(await other.listOverlays('bea')).toEqual({ overlays: [] });
    });

    test('a name that is taken, one overlay too many, and what is no overlay are refused', async () => {
      await one.addOverlay('al', zone);
      expect(await refusalOf(() => other.addOverlay('al', zone))).toBe('name_taken');
      for (let index = 1; index < OVERLAYS_MAX; index++) await one.addOverlay('al', { ...zone, name: `zone ${index}` });
      expect(await refusalOf(() => other.addOverlay('al', { ...zone, name: 'more' }))).toBe('too_many_overlays');
      const [feature] = content.features;
      for (const packed of [
        'AAAA',
        pack({ ...content, features: [] }),
        pack({ ...content, features: [{ ...feature, properties: { description: '<b>' } }] }),
        pack({ ...content, features: [{ ...feature, geometry: { type: 'Point', coordinates: [800, 47] } }] }),
        // A megabyte in a thousand bytes.
        deflateRawSync(Buffer.alloc(1_000_001, ' ')).toString('base64'),
      ])
        expect(await refusalOf(() => one.addOverlay('bea', { ...zone, packed }))).toBe('bad_body');
      expect(await one.listOverlays('bea')).toEqual({ overlays: [] });
    });
  });
}
