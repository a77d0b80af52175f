import { expect, test } from 'vitest';
import { ValueStore } from './value-store.ts';

test('listeners are told of each change once, after it, and not of a value set again', () => {
  const store = new ValueStore('a');
  const heard: string[] = [];
  const stop = store.subscribe(() => heard.push(store.get()));
  for (const value of ['a', 'b', 'b', 'c']) store.set(value);
  stop();
  store.set('d');
  expect(heard).toEqual(['b', 'c']);
  expect(store.get()).toBe('d');
});

test('a listener that stops another one, or itself, while being told breaks nothing', () => {
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
