import { expect, test } from 'vitest';
import { ValueStore } from './value-store.ts';

test('listeners are called once after each change, and not if the value is unchanged', () => {
  const store = new ValueStore('a');
  const received: string[] = [];
  const stop = store.subscribe(() => received.push(store.get()));
  for (const value of ['a', 'b', 'b', 'c']) store.set(value);
  stop();
  store.set('d');
  expect(received).toEqual(['b', 'c']);
  expect(store.get()).toBe('d');
});

test('listeners may unsubscribe while they are being called', () => {
  const store = new ValueStore(0);
  const received: string[] = [];
  const stopFirst = store.subscribe(() => {
    received.push('first');
    stopFirst();
  });
  store.subscribe(() => received.push('second'));
  store.set(1);
  store.set(2);
  expect(received).toEqual(['first', 'second', 'second']);
});
