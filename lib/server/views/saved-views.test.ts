import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { VIEWS_MAX } from '#lib/api/saved-view.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { refusalOf } from './refusal-of.fixture.ts';
import { SavedViews } from './saved-views.ts';

const RENAMER = fileURLToPath(new URL('./rename-until-killed.fixture.ts', import.meta.url));
const gate = { name: 'North gate', query: '?view=47,8,9', shared: false };

describeDatabases('saved views', ({ newTarget, open, testOnce }) => {
  let target: DatabaseTarget;
  let one: SavedViews;
  let other: SavedViews;
  beforeEach(async () => {
    target = newTarget();
    [one, other] = [new SavedViews(await open(target)), new SavedViews(await open(target))];
  });
  const namesAt = async (views: SavedViews, owner: string) => (await views.list(owner)).views.map((view) => view.name);

  test('shows what one server saved, changed, shared, started at and deleted at the other at once', async () => {
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

  test('refuses taken names, other owners and missing views at each server', async () => {
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

  testOnce('lets names be exchanged one after the other', async () => {
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

  test('keeps each view saved at the same time, one of each name, and no more than an operator may have', async () => {
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

  testOnce('keeps views of the operator of a Lookout without sign-in', async () => {
    const { id } = await one.add(undefined, gate);
    await other.setStart(undefined, id);
    expect(await one.list(undefined)).toMatchObject({ views: [{ owner: null, mine: true }], start: id });
  });

  test('keeps any name, owner and query', async () => {
    const odd = ['__proto__', 'a:b', 'view:x', 'Ünï "\' %_\\', '🛩'.repeat(80)];
    for (const text of odd) await one.add(text, { name: text, query: `?q=${text}`, shared: false }, text);
    for (const text of odd)
      expect((await other.list(text)).views).toMatchObject([{ name: text, query: `?q=${text}`, owner: text }]);
  });

  test('lists an operator’s own views first, then those that others share', async () => {
    await one.add('bea', { ...gate, name: 'Apron', shared: true });
    await one.add('bea', { ...gate, name: 'Secret' });
    await one.add('al', gate);
    expect((await other.list('al')).views.map(({ name, mine, owner }) => [name, mine, owner])).toEqual([
      ['North gate', true, 'al'],
      ['Apron', false, 'bea'],
    ]);
    expect(await namesAt(other, '')).toEqual(['Apron']);
  });

  testOnce('shows what the owner of a shared view is called', async () => {
    await one.add('oidc:x', { ...gate, shared: true }, 'Bea');
    expect((await one.list('al')).views).toMatchObject([{ owner: 'Bea', mine: false }]);
    expect((await one.list('Bea')).views).toMatchObject([{ owner: 'Bea', mine: false }]);
    expect((await one.list('oidc:x')).views).toMatchObject([{ owner: 'Bea', mine: true }]);
  });

  testOnce('opens at no view that is deleted or no longer shared', async () => {
    const shared = await one.add('bea', { ...gate, shared: true });
    await one.setStart('al', shared.id);
    expect(await one.startQuery('al')).toBe(gate.query);
    await one.change('bea', shared.id, { shared: false });
    expect((await one.list('al')).start).toBeNull();
    expect(await refusalOf(() => one.setStart('al', shared.id))).toBe('not_found');
    const own = await one.add('al', gate);
    await one.setStart('al', own.id);
    await one.remove('al', own.id);
    expect(await one.startQuery('al')).toBeUndefined();
  });

  test('has the last change that a killed process reported, or the one after it', async () => {
    await one.add('al', gate);
    for (let kill = 0; kill < 3; kill++) {
      const child = spawn(process.execPath, ['--conditions=react-server', RENAMER, JSON.stringify(target), 'al'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > 3 + 5 * kill) child.kill('SIGKILL');
      });
      await ended;
      const last = Number(/turn (\d+)\n$/.exec(output)?.[1]);
      const { name, query } = (await one.list('al')).views[0] ?? {};
      expect([`turn ${last}`, `turn ${last + 1}`]).toContain(name);
      expect(query).toBe(`?view=${Number(name?.slice(5)) % 80},8,9`);
    }
  });
});
