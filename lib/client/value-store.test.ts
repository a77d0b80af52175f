import { expect, test } from 'vitest';
import { ValueStore } from './value-store.ts';

test('listeners are called once after each change, and not if the value is unchanged', () => {
  const store = new ValueStore('a');
  const heard: string[] = [];
  const stop = store.subscribe(() => heard.push(store.get()));
  for (const value of ['a', 'b', 'b', 'c']) store.set(value);
  stop();
  store.set('d');
  expect(heard).toEqual(['b', 'c']);
  expect(store.get()).toBe('d');
});

test('listeners may unsubscribe while they are being called', () => {
  const store = new ValueStore(0);
  const heard: string[] = [];
  const stopFirst = store.subscribe(() => {
    heard.push('first');
    stopFirst();
  });
  store.subscribe(() => heard.push('second'));
  store.set(1);
  store.set(2);
  expect(heard).toEqual(['first', 'second', 'second']);
});
