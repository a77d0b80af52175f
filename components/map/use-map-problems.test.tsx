import { act, renderHook } from '@testing-library/react';
import type { Map as MapLibreMap } from 'maplibre-gl';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadPart, NO_PROBLEMS, useMapProblems, withReport } from './use-map-problems.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a part that is drawn after all leaves the problems of other parts', () => {
  const both = withReport(withReport(NO_PROBLEMS, 'marks', 'no marks'), 'trails', 'no trails');
  expect(Object.values(both)).toEqual(['no marks', 'no trails']);
  expect(Object.values(withReport(both, 'trails', undefined))).toEqual(['no marks']);
});

test('the newest report is last, also of a part that reported before', () => {
  const both = withReport(withReport(NO_PROBLEMS, 'marks', 'no marks'), 'trails', 'no trails');
  expect(Object.values(withReport(both, 'marks', 'still none'))).toEqual(['no trails', 'still none']);
});

test('a repeated report changes nothing, so that nothing is rendered', () => {
  const once = withReport(NO_PROBLEMS, 'marks', 'no marks');
  expect(withReport(once, 'marks', 'no marks')).toBe(once);
  expect(withReport(NO_PROBLEMS, 'marks', undefined)).toBe(NO_PROBLEMS);
});

test('code that could not be loaded is requested again, and its problem is taken back once it is there', async () => {
  const reports: unknown[] = [];
  const answers = [Promise.reject(new Error('chunk')), Promise.reject(new Error('chunk')), Promise.resolve('code')];
  for (const answer of answers) answer.catch(() => undefined);
  const load = () => answers.shift() ?? Promise.reject(new Error('too often'));
  const part = { part: 'vectors', name: 'Speed vectors', load } as const;
  const loaded = loadPart(part, (...report) => reports.push(report), new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5000);
  const lost = 'Speed vectors could not be loaded: no answer from Lookout’s own server. Trying again.';
  expect(await loaded).toBe('code');
  expect(reports).toEqual([
    ['vectors', lost],
    ['vectors', lost],
    ['vectors', undefined],
  ]);
});

test('a part that is switched off while it loads reports nothing', async () => {
  const reports: unknown[] = [];
  const off = new AbortController();
  const part = { part: 'trails', name: 'Trails', load: () => Promise.reject(new Error('chunk')) } as const;
  const loaded = loadPart(part, (...report) => reports.push(report), off.signal);
  off.abort();
  await expect(loaded).rejects.toThrow();
  expect(reports).toEqual([]);
});

test('a lost graphics context is the problem until it is restored, which forgets all others; after 15 s there is no map', () => {
  const absences: unknown[] = [];
  const onAbsent = (absence: unknown) => absences.push(absence);
  const listeners = new Map<string, () => void>();
  const map = { on: (name: string, listener: () => void) => listeners.set(name, listener) } as unknown as MapLibreMap;
  const { result } = renderHook(() => useMapProblems(onAbsent));
  const fire = (name: string) => act(() => listeners.get(name)?.());
  act(() => {
    result.current.watch(map);
    result.current.report('marks', 'no marks');
  });
  expect(result.current).toMatchObject({ problem: 'no marks', isLost: false });
  fire('webglcontextlost');
  expect(result.current.problem).toMatch(/^The map lost its graphics context/);
  act(() => void vi.advanceTimersByTime(14_000));
  fire('webglcontextrestored');
  expect(result.current).toMatchObject({ problem: undefined, isLost: false });
  act(() => void vi.advanceTimersByTime(60_000));
  expect(absences).toEqual([]);
  fire('webglcontextlost');
  act(() => void vi.advanceTimersByTime(15_000));
  expect(absences).toEqual([{ kind: 'lost' }]);
});
