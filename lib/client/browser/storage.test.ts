import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { BrowserStorage } from './storage.ts';
import { denied, StoredTexts } from './stored.fixture.ts';

const text = z.string();

test('values are kept in the browser as JSON, and removed', () => {
  const texts = new StoredTexts();
  const storage = new BrowserStorage(() => texts);
  expect(storage.isKept()).toBe(true);
  storage.write('a', 'one');
  expect([...texts.kept]).toEqual([['a', '"one"']]);
  expect(new BrowserStorage(() => texts).read('a', text)).toBe('one');
  storage.write('a', undefined);
  expect(texts.length).toBe(0);
  expect(storage.read('a', text)).toBeUndefined();
});

test.each([
  ['blocks storage', denied],
  ['has no storage', () => null],
])('where the browser %s, values last for the page', (_, open) => {
  const storage = new BrowserStorage(open);
  expect(storage.isKept()).toBe(false);
  expect(storage.read('a', text)).toBeUndefined();
  storage.write('a', 'one');
  expect(storage.read('a', text)).toBe('one');
  storage.write('a', undefined);
  expect(storage.read('a', text)).toBeUndefined();
  expect(storage.isKept()).toBe(false);
});

test('a full storage keeps what it has, the page keeps the newer value, and both agree once there is room', () => {
  const texts = new StoredTexts([['a', '"old"']]);
  const storage = new BrowserStorage(() => texts);
  expect(storage.isKept()).toBe(true);
  const listener = vi.fn();
  storage.subscribe(listener);
  texts.isFull = true;
  storage.write('a', 'new');
  expect(storage.read('a', text)).toBe('new');
  expect(texts.getItem('a')).toBe('"old"');
  expect(storage.isKept()).toBe(false);
  texts.isFull = false;
  storage.write('a', 'newer');
  expect(texts.getItem('a')).toBe('"newer"');
  expect(storage.isKept()).toBe(true);
  expect(listener).toHaveBeenCalledTimes(2);
});

describe('a storage that', () => {
  test.each(['', '{', 'null', '7', '[]'])('holds %j gives no value', (kept) => {
    expect(new BrowserStorage(() => new StoredTexts([['a', kept]])).read('a', text)).toBeUndefined();
  });

  test('accepts no writes is noticed before the first of them', () => {
    const texts = new StoredTexts([['a', '"one"']]);
    texts.isFull = true;
    const storage = new BrowserStorage(() => texts);
    expect(storage.isKept()).toBe(false);
    expect(storage.read('a', text)).toBe('one');
  });

  test('was cleared by another window has no values, and takes new ones', () => {
    const texts = new StoredTexts();
    const storage = new BrowserStorage(() => texts);
    storage.write('a', 'one');
    texts.clear();
    expect(storage.read('a', text)).toBeUndefined();
    storage.write('a', 'two');
    expect(texts.getItem('a')).toBe('"two"');
  });

  test('is denied while the page is open leaves the page its values', () => {
    const texts = new StoredTexts([['a', '"one"']]);
    let open: () => Storage = () => texts;
    const storage = new BrowserStorage(() => open());
    expect(storage.read('a', text)).toBe('one');
    open = denied;
    storage.write('a', 'two');
    expect(storage.read('a', text)).toBe('two');
    expect(storage.isKept()).toBe(false);
  });
});
