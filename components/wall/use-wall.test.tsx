import { act, cleanup, fireEvent, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useIsPointerUsed, useScale, useScreenLock } from './use-wall.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'wakeLock');
});

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('the screen is kept on, requested again each minute after the browser ended it, and let go with the page', async () => {
  vi.stubGlobal('isSecureContext', true);
  const locks: { released: boolean; release: () => Promise<void> }[] = [];
  let refuses = false;
  const request = async () => {
    if (refuses) throw new DOMException('low battery', 'NotAllowedError');
    const lock = {
      released: false,
      async release() {
        lock.released = true;
      },
    };
    locks.push(lock);
    return lock;
  };
  Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } });
  const { result, unmount } = renderHook(useScreenLock);
  expect(result.current).toBeUndefined();
  await passes(0);
  expect([result.current, locks.length]).toEqual([undefined, 1]);
  refuses = true;
  await locks[0]?.release();
  await passes(60_000);
  expect(result.current).toBe('The screen may go dark: the browser does not keep it on.');
  refuses = false;
  await passes(120_000);
  expect(result.current).toBeUndefined();
  expect(locks).toHaveLength(2);
  unmount();
  await passes(0);
  expect(locks.map(({ released }) => released)).toEqual([true, true]);
});

test('a page without HTTPS says why the screen may go dark', async () => {
  vi.stubGlobal('isSecureContext', false);
  const { result } = renderHook(useScreenLock);
  await passes(0);
  expect(result.current).toBe('The screen may go dark: browsers keep it on over HTTPS alone.');
});

test('a pointer is in use for 4 s after it moved or touched, and not while it lies still over a changed page', async () => {
  const { result } = renderHook(useIsPointerUsed);
  fireEvent.pointerMove(window, { movementX: 0, movementY: 0 });
  expect(result.current).toBe(false);
  fireEvent.pointerDown(window);
  expect(result.current).toBe(true);
  await passes(3900);
  fireEvent.pointerMove(window, { movementX: 3, movementY: 0 });
  await passes(3900);
  expect(result.current).toBe(true);
  await passes(200);
  expect(result.current).toBe(false);
});

test('the map keeps its part of the screen, also of a window that becomes larger, and is never smaller than on a desk', () => {
  const resized = (width: number, height: number) => {
    Object.assign(window, { innerWidth: width, innerHeight: height });
    act(() => void window.dispatchEvent(new Event('resize')));
  };
  resized(800, 600);
  const { result } = renderHook(useScale);
  expect(result.current).toBe(1);
  resized(3840, 2160);
  expect(result.current).toBe(4);
  resized(844, 390);
  expect(result.current).toBe(1);
});
