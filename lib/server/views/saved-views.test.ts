import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { VIEWS_MAX } from '#lib/api/saved-view.ts';
import { isApiError } from '../api-error.ts';
import { declareViewsSuite } from '../ports/views-suite.fixture.ts';
import { SavedViews } from './saved-views.ts';

const RENAMER = fileURLToPath(new URL('./rename-until-killed.fixture.ts', import.meta.url));
const gate = { name: 'North gate', query: '?view=47,8,9', shared: false };
const newFile = () => join(mkdtempSync(join(tmpdir(), 'lookout-views-')), 'views.sqlite');

function open(file = ':memory:') {
  const reported: unknown[] = [];
  return { views: new SavedViews(file, (error) => reported.push(error)), reported };
}

function refusal(run: () => unknown): { code: string; message: string } {
  try {
    run();
  } catch (error) {
    if (isApiError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('not refused');
}

declareViewsSuite('two SavedViews over one file', async () => {
  const file = newFile();
  return [open(file).views, open(file).views];
});

describe('SavedViews', () => {
  test('keeps views over a restart, and lists one’s own first, then those that others share', () => {
    const file = newFile();
    const before = open(file).views;
    before.add('bea', { ...gate, name: 'Apron', shared: true });
    before.add('bea', { ...gate, name: 'Secret' });
    const { id } = before.add('al', gate);
    before.setStart('al', id);
    before.close();
    const after = open(file).views;
    expect(after.list('al').views.map(({ name, mine, owner }) => [name, mine, owner])).toEqual([
      ['North gate', true, 'al'],
      ['Apron', false, 'bea'],
    ]);
    expect(after.list('al').start).toBe(id);
    expect(after.startQuery('al')).toBe(gate.query);
    expect(after.list(undefined).views.map(({ name }) => name)).toEqual(['Apron']);
    after.close();
  });

  test('a shared view says what its owner is called, who has an id that nobody reads', () => {
    const { views } = open();
    views.add('oidc:x', { ...gate, shared: true }, 'Bea');
    expect(views.list('al').views).toMatchObject([{ owner: 'Bea', mine: false }]);
    expect(views.list('Bea').views).toMatchObject([{ owner: 'Bea', mine: false }]);
    expect(views.list('oidc:x').views).toMatchObject([{ owner: 'Bea', mine: true }]);
  });

  test('a file from before owners had names is read and written on', () => {
    const file = newFile();
    open(file).views.add('bea', { ...gate, shared: true });
    const old = new DatabaseSync(file);
    old.exec('alter table view drop column owner_name');
    old.close();
    const { views } = open(file);
    views.add('al', { ...gate, shared: true });
    expect(
      views
        .list('carl')
        .views.map(({ owner }) => owner)
        .sort(),
    ).toEqual(['al', 'bea']);
  });

  test('a view is changed and deleted by its owner alone', () => {
    const { views } = open();
    const { id } = views.add('bea', { ...gate, shared: true });
    const secret = views.add('bea', { ...gate, name: 'Secret' });
    for (const change of [() => views.change('al', id, { name: 'Mine' }), () => views.remove('al', id)])
      expect(refusal(change).code).toBe('not_owner');
    for (const change of [() => views.change('al', secret.id, { name: 'x' }), () => views.remove(undefined, secret.id)])
      expect(refusal(change).code).toBe('not_found');
    expect(views.change('bea', id, { name: 'Gate', query: '?view=48,8,9' })).toMatchObject({
      name: 'Gate',
      query: '?view=48,8,9',
      shared: true,
    });
    views.remove('bea', id);
    expect(views.list('al').views).toEqual([]);
  });

  test('a name is unique for its owner, and a taken one changes nothing', () => {
    const { views } = open();
    views.add('al', gate);
    views.add('bea', gate);
    const { id } = views.add('al', { ...gate, name: 'Apron' });
    expect(refusal(() => views.add('al', gate)).code).toBe('name_taken');
    expect(refusal(() => views.change('al', id, { name: gate.name })).code).toBe('name_taken');
    expect(views.change('al', id, { name: 'Apron' }).name).toBe('Apron');
    expect(views.list('al').views).toHaveLength(2);
  });

  test('an operator has a limited number of views', () => {
    const { views } = open();
    for (let index = 0; index < VIEWS_MAX; index++) views.add('al', { ...gate, name: `view ${index}` });
    expect(refusal(() => views.add('al', gate)).code).toBe('too_many_views');
    views.add('bea', gate);
  });

  test('a start view that is deleted or no longer shared is no start any more', () => {
    const { views } = open();
    const shared = views.add('bea', { ...gate, shared: true });
    views.setStart('al', shared.id);
    expect(views.startQuery('al')).toBe(gate.query);
    views.change('bea', shared.id, { shared: false });
    expect(views.list('al').start).toBeNull();
    expect(refusal(() => views.setStart('al', shared.id)).code).toBe('not_found');
    const own = views.add('al', gate);
    views.setStart('al', own.id);
    views.remove('al', own.id);
    expect(views.startQuery('al')).toBeUndefined();
    views.setStart('bea', shared.id);
    views.setStart('bea', null);
    expect(views.list('bea').start).toBeNull();
  });

  test('two processes that write the same file see each other’s views', () => {
    const file = newFile();
    const [one, other] = [open(file).views, open(file).views];
    for (let turn = 0; turn < 10; turn++) {
      one.add('al', { ...gate, name: `one ${turn}` });
      other.add('al', { ...gate, name: `other ${turn}` });
    }
    expect(refusal(() => other.add('al', { ...gate, name: 'one 3' })).code).toBe('name_taken');
    expect(one.list('al')).toEqual(other.list('al'));
    expect(one.list('al').views).toHaveLength(20);
    one.close();
    other.close();
  });
});

describe('the file of saved views', () => {
  test('a process that is killed while it writes leaves the last change that it reported, or the one after it', async () => {
    const file = newFile();
    const { views } = open(file);
    views.add('al', gate);
    views.close();
    for (let kill = 0; kill < 3; kill++) {
      const child = spawn(process.execPath, ['--conditions=react-server', RENAMER, file, 'al'], {
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
      const { views: after, reported } = open(file);
      const { name, query } = after.list('al').views[0] ?? {};
      expect([`turn ${last}`, `turn ${last + 1}`]).toContain(name);
      expect(query).toBe(`?view=${Number(name?.slice(5)) % 80},8,9`);
      expect(reported).toEqual([]);
      after.close();
    }
  });

  test.each([
    ['of text', (file: string) => writeFileSync(file, '{"views":[]}'.repeat(1000))],
    [
      'of another program',
      (file: string) => {
        const database = new DatabaseSync(file);
        database.exec('create table diary (entry text)');
        database.close();
      },
    ],
    [
      'cut in half',
      (file: string) => {
        const { views } = open(file);
        for (let index = 0; index < 60; index++) views.add('al', { ...gate, name: `${index} ${'x'.repeat(70)}` });
        views.close();
        truncateSync(file, readFileSync(file).length / 2);
      },
    ],
  ])('a file %s is named and left as it is, and one that is put in its place is used', (_, spoil) => {
    const file = newFile();
    spoil(file);
    const before = readFileSync(file);
    const { views, reported } = open(file);
    const { code, message } = refusal(() => views.add('al', gate));
    expect(code).toBe('storage_failed');
    expect(message).toContain(file);
    expect(refusal(() => views.list('al')).code).toBe('storage_failed');
    expect(views.startQuery('al')).toBeUndefined();
    expect(reported.length).toBeGreaterThan(0);
    expect(readFileSync(file).equals(before)).toBe(true);
    truncateSync(file, 0);
    expect(views.add('al', gate).name).toBe(gate.name);
    views.close();
  });

  test('a full disk refuses the change in words, and loses nothing', () => {
    const file = newFile();
    const { views } = open(file);
    views.add('al', gate);
    views.close();
    // A limit on the file's size stands for a disk without room; it belongs to a connection, so it is set in each.
    const exec = DatabaseSync.prototype.exec;
    DatabaseSync.prototype.exec = function (sql) {
      exec.call(this, sql);
      if (sql === 'begin immediate') exec.call(this, 'pragma max_page_count = 1');
    };
    try {
      const refused: string[] = [];
      for (let index = 0; index < VIEWS_MAX - 1 && refused.length === 0; index++) {
        try {
          views.add('al', { ...gate, name: `${index} ${'x'.repeat(75)}` });
        } catch (error) {
          refused.push((error as Error).message);
        }
      }
      expect(refused).toEqual(['The disk of Lookout’s server is full; nothing was changed.']);
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
    const { views: names } = views.list('al');
    expect(names.map(({ name }) => name)).toContain(gate.name);
    views.add('al', { ...gate, name: 'Room again' });
    views.close();
  });

  test('a folder that does not exist is a failure in words', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'lookout-views-')), 'gone');
    const { views } = open(join(folder, 'views.sqlite'));
    expect(refusal(() => views.add('al', gate)).message).toContain('cannot write');
    mkdirSync(folder);
    views.add('al', gate);
    views.close();
  });
});
