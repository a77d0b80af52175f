import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unlessAborted } from '#lib/async/wait.ts';
import { deadline, sleep, withinMs } from './machine.ts';

const never = new Promise<string>(() => {});
const reason = new Error('no longer needed');

let closing: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  closing = new AbortController();
});
afterEach(() => {
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const waits: readonly [string, (signal: AbortSignal) => Promise<unknown>][] = [
  ['unlessAborted', (signal) => unlessAborted(never, signal)],
  ['withinMs', (signal) => withinMs(never, 1000, signal)],
  ['sleep', (signal) => sleep(1000, signal)],
];

describe.each(waits)('%s', (_, wait) => {
  test('ends with the reason as soon as the signal is aborted', async () => {
    const waiting = wait(closing.signal);
    closing.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('rejects at once where the signal is already aborted', async () => {
    closing.abort(reason);
    await expect(wait(closing.signal)).rejects.toBe(reason);
  });
});

test('the outcome is passed on, failures included', async () => {
  expect(await unlessAborted(Promise.resolve('here'), closing.signal)).toBe('here');
  expect(await unlessAborted(Promise.resolve('here'), undefined)).toBe('here');
  await expect(unlessAborted(Promise.reject(reason), closing.signal)).rejects.toBe(reason);
  expect(await withinMs(Promise.resolve('here'), 1000)).toBe('here');
  await expect(withinMs(Promise.reject(reason), 1000)).rejects.toBe(reason);
});

test('a wait ends on time', async () => {
  const waiting = Promise.all([withinMs(never, 1000), sleep(1000, closing.signal)]);
  let isOver = false;
  void waiting.then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
  expect(await waiting).toEqual([undefined, undefined]);
});

test('a deadline aborts on time, and with the outer signal, also where that is aborted already', async () => {
  const late = deadline(closing.signal, 1000);
  await vi.advanceTimersByTimeAsync(999);
  expect(late.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(late.signal.aborted).toBe(true);
  const cut = deadline(closing.signal, 1000);
  closing.abort(reason);
  expect(cut.signal.aborted).toBe(true);
  const begun = deadline(closing.signal, 1000);
  expect(begun.signal.aborted).toBe(true);
  for (const each of [late, cut, begun]) each.end();
});

test('a deadline does not abort work that has ended', async () => {
  const { signal, end } = deadline(closing.signal, 1000);
  end();
  closing.abort(reason);
  await vi.advanceTimersByTimeAsync(2000);
  expect(signal.aborted).toBe(false);
});
