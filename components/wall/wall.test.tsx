import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseWall, type WallAddress } from '#lib/api/wall-address.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { LookoutProvider, useLookout } from '#lib/client/page/lookout-context.tsx';
import { upstreamInstant } from '#lib/time/instant.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { Wall } from './wall.tsx';

const HOME = { lat: 46.9, lon: 8.4, zoom: 8, bearingDeg: 0 };
const WALL = parseWall('?wall&view=47,8,9', '', HOME) as WallAddress;

beforeEach(() => {
  vi.useFakeTimers();
  globalThis.fetch = () => new Promise(() => undefined);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function showWall(back: string | undefined) {
  let lookout: Lookout | undefined;
  function Shown() {
    lookout = useLookout();
    return <Wall wall={{ ...WALL, back }} map={() => null} />;
  }
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LookoutProvider
        address=""
        start=""
        operator={undefined}
        server={{
          home: HOME,
          mapStyleUrl: undefined,
          maps: [],
          mapFetchCommand: './map fetch',
          hasReceivers: false,
          hasAllowance: true,
          isRecording: false,
          version: LOOKOUT_VERSION,
        }}
      >
        <Shown />
      </LookoutProvider>
    </QueryClientProvider>,
  );
  return { feed: (lookout as unknown as Lookout).feed, way: () => screen.getByRole('link') };
}

test('Escape shows the way back for 10 s, and a wall without a person leads to signing in', () => {
  const { way } = showWall('/?view=47,8,9');
  expect([way().textContent, way().getAttribute('href')]).toEqual(['Back to the map', '/?view=47,8,9']);
  fireEvent.keyDown(window, { key: 'Escape' });
  expect(document.activeElement).toBe(way());
  act(() => void vi.advanceTimersByTime(10_000));
  expect(document.activeElement).toBe(document.body);
  cleanup();
  const token = showWall(undefined);
  expect([token.way().textContent, token.way().getAttribute('href')]).toEqual(['Sign in for the map', '/sign-in']);
});

test('a person whose session ended is led back to this wall, and the wall says so', async () => {
  const { feed, way } = showWall('/');
  feed.syncClock(upstreamInstant(Date.now()), 0);
  act(() => feed.lose('signed-out'));
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(way().textContent).toBe('Sign in again');
  expect(screen.getByTestId('wall-loss').textContent).toContain('Signed out');
});
