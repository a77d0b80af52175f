import { renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useStartedMap } from './use-started-map.ts';

const STYLE_URL = 'https://tiles.example/style.json';

afterEach(() => void vi.unstubAllGlobals());

function start({ style, worker }: { style: () => Response; worker: () => Response }) {
  const fetched = (address: string | URL) =>
    Promise.resolve().then(() => (String(address) === STYLE_URL ? style() : worker()));
  vi.stubGlobal('fetch', fetched);
  const absences: unknown[] = [];
  const { result } = renderHook(() =>
    useStartedMap({ mapStyleUrl: STYLE_URL, theme: 'dark', onAbsent: (absence) => absences.push(absence) }),
  );
  return { started: result, absences };
}

const styleJson = () => Response.json({ version: 8, sources: {}, layers: [] });

test('a style that could not be loaded stays the problem once the map’s code is there', async () => {
  let tries = 0;
  const worker = () => {
    tries += 1;
    if (tries === 1) throw new TypeError('no network');
    return new Response('code');
  };
  const { started, absences } = start({ style: () => new Response('', { status: 500 }), worker });
  await expect.poll(() => tries).toBe(2);
  await expect.poll(() => started.current.problem).toContain('The map style could not be loaded');
  expect(started.current.style).toBeUndefined();
  expect(absences).toEqual([]);
});

test('a map whose code does not arrive says so, and begins once it is there', async () => {
  let isLost = true;
  const worker = () => {
    if (isLost) throw new TypeError('no network');
    return new Response('code');
  };
  const { started } = start({ style: styleJson, worker });
  await expect.poll(() => started.current.problem).toContain('no answer from Lookout’s own server');
  isLost = false;
  await expect.poll(() => started.current.style?.version).toBe(8);
  expect(started.current.problem).toBeUndefined();
});

test('code that an upgrade has removed asks for a reload', async () => {
  const { started } = start({ style: styleJson, worker: () => new Response('', { status: 404 }) });
  await expect.poll(() => started.current.problem).toContain('Reload the page');
});
