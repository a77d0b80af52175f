import { deflateRawSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { OVERLAYS_MAX, type OverlayContent } from '#lib/api/overlay.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { Overlays } from './overlays.ts';
import { refusalOf } from './refusal-of.fixture.ts';

const content: OverlayContent = {
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { name: 'Gate' }, geometry: { type: 'Point', coordinates: [8.5, 47.4] } }],
};
const pack = (value: unknown) => deflateRawSync(JSON.stringify(value)).toString('base64');
const zone = { name: 'Zone', shared: false, packed: pack(content) };

describeDatabases('overlays', ({ newTarget, open, testOnce }) => {
  let one: Overlays;
  let other: Overlays;
  beforeEach(async () => {
    const target = newTarget();
    [one, other] = [new Overlays(await open(target)), new Overlays(await open(target))];
  });

  test('shows what one server added, shared and removed at the other at once', async () => {
    const own = await one.add('al', zone);
    const shared = await other.add('al', { ...zone, name: 'Shared', shared: true }, 'Al');
    expect(await other.list('al')).toEqual({ overlays: [shared, own] });
    expect(await one.list('bea')).toEqual({
      overlays: [{ id: shared.id, name: 'Shared', shared: true, mine: false, owner: 'Al' }],
    });
    expect(await other.content('al', own.id)).toEqual(content);
    expect(await one.content('bea', shared.id)).toEqual(content);
    expect(await refusalOf(() => one.content('bea', own.id))).toBe('not_found');
    expect(await refusalOf(() => other.remove('bea', own.id))).toBe('not_found');
    expect(await refusalOf(() => one.remove('bea', shared.id))).toBe('not_owner');
    await other.remove('al', own.id);
    expect(await one.list('al')).toEqual({ overlays: [shared] });
    await one.remove('al', shared.id);
    expect(await other.list('bea')).toEqual({ overlays: [] });
  });

  testOnce('refuses a taken name, one overlay too many, and what is no overlay', async () => {
    await one.add('al', zone);
    expect(await refusalOf(() => other.add('al', zone))).toBe('name_taken');
    for (let index = 1; index < OVERLAYS_MAX; index++) await one.add('al', { ...zone, name: `zone ${index}` });
    expect(await refusalOf(() => other.add('al', { ...zone, name: 'more' }))).toBe('too_many_overlays');
    const [feature] = content.features;
    for (const packed of [
      'AAAA',
      pack({ ...content, features: [] }),
      pack({ ...content, features: [{ ...feature, properties: { description: '<b>' } }] }),
      pack({ ...content, features: [{ ...feature, geometry: { type: 'Point', coordinates: [800, 47] } }] }),
      deflateRawSync(Buffer.alloc(1_000_001, ' ')).toString('base64'),
    ])
      expect(await refusalOf(() => one.add('bea', { ...zone, packed }))).toBe('bad_body');
    expect(await one.list('bea')).toEqual({ overlays: [] });
  });
});
