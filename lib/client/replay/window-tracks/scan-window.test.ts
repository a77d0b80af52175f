import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NO_FILTER } from '#lib/filter/track-filter.ts';
import { LAYERS } from '#lib/model/position.ts';
import { RECORDS_WINDOW } from '../store/observation-columns.fixture.ts';
import { ReplayStore } from '../store/replay-store.ts';
import { type WindowScan, WindowScans } from './scan-window.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const store = new ReplayStore({ window: RECORDS_WINDOW });

function aScan(): WindowScan {
  const place = undefined;
  return { store, window: store.window, layers: new Set(LAYERS), filter: NO_FILTER, visible: undefined, place };
}

function watched() {
  const scans = new WindowScans();
  const done: (WindowScan | undefined)[] = [];
  scans.state.subscribe(() => done.push(scans.state.get().of));
  return { scans, done };
}

test('an idle one scans at once, also right after another', async () => {
  const { scans, done } = watched();
  const wanted = [aScan(), aScan()] as const;
  for (const scan of wanted) {
    scans.want(scan);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(done).toEqual(wanted);
});

test('changes during a scan and its rest cause one more, of the last change, 300 ms later', async () => {
  const { scans, done } = watched();
  const [first, second, third, last] = [aScan(), aScan(), aScan(), aScan()];
  for (const scan of [first, second, third]) scans.want(scan);
  await vi.advanceTimersByTimeAsync(299);
  scans.want(last);
  expect(done).toEqual([first]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual([first, last]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(done).toHaveLength(2);
  expect(done[1]).toBe(last);
});

test('a stop drops the scan that has not begun, and a later one begins after the rest', async () => {
  const { scans, done } = watched();
  const [first, dropped, later] = [aScan(), aScan(), aScan()];
  scans.want(first);
  scans.want(dropped);
  await vi.advanceTimersByTimeAsync(100);
  scans.stop();
  await vi.advanceTimersByTimeAsync(1000);
  expect(done).toHaveLength(1);
  scans.want(later);
  await vi.advanceTimersByTimeAsync(0);
  expect(done[1]).toBe(later);
});
