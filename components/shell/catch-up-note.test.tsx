import { focusManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { LookoutProvider, useLookout } from '#lib/client/page/lookout-context.tsx';
import { useCatchUpNote } from '#lib/client/page/use-live-requests.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  focusManager.setFocused(undefined);
  vi.useRealTimers();
});

const SERVER = {
  home: { lat: 46.9, lon: 8.4, zoom: 8, bearingDeg: 0 },
  mapStyleUrl: undefined,
  maps: [],
  mapFetchCommand: './map fetch',
  hasReceivers: false,
  hasAllowance: true,
  isRecording: false,
  version: LOOKOUT_VERSION,
};

function showNote() {
  const client = new QueryClient();
  let lookout: Lookout | undefined;
  function Note() {
    lookout = useLookout();
    return <p data-testid="note">{useCatchUpNote()}</p>;
  }
  render(
    <QueryClientProvider client={client}>
      <LookoutProvider address="" start="" operator={undefined} server={SERVER}>
        <Note />
      </LookoutProvider>
    </QueryClientProvider>,
  );
  lookout?.feed.syncClock(upstreamInstant(Date.now()), 0);
  return {
    note: () => screen.getByTestId('note').textContent,
    hiddenFor(ms: number) {
      act(() => focusManager.setFocused(false));
      act(() => void vi.advanceTimersByTime(ms));
      act(() => focusManager.setFocused(true));
      act(() => void client.setQueryData(['live'], { nextPollMs: Date.now() }));
    },
    passes: (ms: number) => act(() => void vi.advanceTimersByTime(ms)),
  };
}

test('a note of a hidden time is shown for 12 s, also right after another one', () => {
  const { note, hiddenFor, passes } = showNote();
  hiddenFor(11_000);
  expect(note()).toMatch(/^Paused for 11 s/);
  hiddenFor(10_500);
  expect(note()).toMatch(/^Paused for 10 s/);
  passes(11_000);
  expect(note()).toMatch(/^Paused for 10 s/);
  passes(2000);
  expect(note()).toBe('');
});
