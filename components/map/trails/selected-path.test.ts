import { describe, expect, test } from 'vitest';
import { epochMs } from '#lib/time/instant.ts';
import { SelectedPath } from './replay-trails.ts';
import { HOUR, storeWith } from './track-store.fixture.ts';
import { drawnLines } from './trail-lines.fixture.ts';

const one = { ref: 'RX-A-1', atSeconds: [0, 10, 20, 3599] };
const other = { ref: 'RX-A-2', atSeconds: [5] };

describe('SelectedPath', () => {
  const dotsOf = ({ lines }: SelectedPath) =>
    drawnLines(lines).flatMap(({ shape, fromMs }) => (shape === 'dot' ? [(fromMs - epochMs(HOUR.start)) / 1000] : []));

  test('contains the whole path in the window, from its first to its last position', () => {
    const path = new SelectedPath();
    expect(path.update(storeWith([one, other]), ['RX-A-1'], 0)).toEqual({ changed: true, pending: false });
    expect(dotsOf(path)).toEqual([0, 10, 20, 3599]);
    expect(drawnLines(path.lines).filter(({ shape }) => shape !== 'dot').length).toBe(2);
  });

  test('shows another selection at once, and no path without one', () => {
    const path = new SelectedPath();
    const store = storeWith([one, other]);
    path.update(store, ['RX-A-1'], 0);
    expect(path.update(store, ['RX-A-2'], 1).changed).toBe(true);
    expect(dotsOf(path)).toEqual([5]);
    expect(path.update(store, ['RX-A-2', 'RX-A-1'], 1).changed).toBe(true);
    expect(dotsOf(path)).toEqual([5, 0, 10, 20, 3599]);
    const joined = drawnLines(path.lines).filter(({ shape }) => shape !== 'dot');
    expect(joined, 'two tracks are never joined').toHaveLength(2);
    expect(path.update(store, [], 2).changed).toBe(true);
    expect(path.lines.count).toBe(0);
    expect(path.update(store, ['RX-A-3'], 3)).toEqual({ changed: false, pending: false });
  });

  test('applies new observations at most ten times a second, and misses none', () => {
    const path = new SelectedPath();
    const store = storeWith([one]);
    path.update(store, ['RX-A-1'], 0);
    expect(path.update(store, ['RX-A-1'], 50)).toEqual({ changed: false, pending: false });
    storeWith([{ ref: 'RX-A-1', atSeconds: [15] }], store);
    expect(path.update(store, ['RX-A-1'], 99)).toEqual({ changed: false, pending: true });
    expect(dotsOf(path)).toEqual([0, 10, 20, 3599]);
    expect(path.update(store, ['RX-A-1'], 100)).toEqual({ changed: true, pending: false });
    expect(dotsOf(path)).toEqual([0, 10, 15, 20, 3599]);
  });
});
