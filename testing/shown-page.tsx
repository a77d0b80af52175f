import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { onTestFinished } from 'vitest';
import { ReplayDock } from '#components/replay/replay-dock.tsx';
import { Shell } from '#components/shell/shell.tsx';
import { plainRecord } from '#lib/api/arbitrary-record.fixture.ts';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import type { LayerFrame } from '#lib/client/live/compact-reader.ts';
import { recordColumns } from '#lib/client/live/record-columns.fixture.ts';
import { useAddressBar, useLinkedReplay } from '#lib/client/page/address-bar.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { LookoutProvider, useIsReplaying, useLookout } from '#lib/client/page/lookout-context.tsx';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { costAnswer, type Past, pastWorker } from './past-answers.ts';

const HOME = { lat: 46.9, lon: 8.4, zoom: 8, bearingDeg: 0 };
/** The map is not part of the page. */
const VISIBLE: Bbox = { west: 7, south: 46, east: 10, north: 48 };
/** Of every element, since the DOM has no layout. */
const HEIGHT_PX = 600;

/** By method and path, such as `GET /api/status`. */
type Answers = Readonly<Record<string, (body: unknown) => Response | Promise<Response>>>;

export interface PageSetting {
  readonly address?: string;
  readonly answers?: Answers;
  /** Answers every other request. */
  readonly others?: typeof fetch;
  /** Default: no sign-in is required. */
  readonly operator?: SignedInOperator;
  readonly hasReceivers?: boolean;
  /** Default: true. */
  readonly hasAllowance?: boolean;
  readonly past?: Past;
  /** In place of a map; default: none, with the view of one. */
  readonly map?: ReactNode;
}

let lookout: Lookout;

function Page({ map }: { readonly map: ReactNode }) {
  lookout = useLookout();
  useAddressBar();
  useLinkedReplay();
  return <Shell map={map} dock={useIsReplaying() && <ReplayDock />} />;
}

export async function showPage(setting: PageSetting = {}) {
  const { address = '', answers = {}, others, past = { records: [] }, map = null } = setting;
  onTestFinished(() => {
    cleanup();
    window.localStorage.clear();
    window.sessionStorage.clear();
    window.history.replaceState(null, '', '/');
  });
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => HEIGHT_PX });
  window.history.replaceState(null, '', `/${address}`);
  const requests: string[] = [];
  const loads: URLSearchParams[] = [];
  globalThis.Worker = pastWorker(past, loads);
  globalThis.fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input), window.location.href);
    const route = `${init?.method ?? 'GET'} ${pathname}`;
    requests.push(route);
    if (route === 'GET /api/history/cost') return Response.json(costAnswer(searchParams, past));
    const answer = answers[route];
    if (!answer && others) return others(input, init);
    if (!answer) throw new TypeError(`no answer for ${route}`);
    return answer(init?.body === undefined ? undefined : JSON.parse(String(init.body)));
  };
  const { unmount } = render(
    <QueryClientProvider client={new QueryClient()}>
      <LookoutProvider
        address={address}
        start=""
        operator={setting.operator}
        server={{
          home: HOME,
          mapStyleUrl: undefined,
          maps: [],
          mapFetchCommand: './map fetch',
          hasReceivers: setting.hasReceivers ?? false,
          hasAllowance: setting.hasAllowance ?? true,
          isRecording: false,
          version: LOOKOUT_VERSION,
        }}
      >
        <Page map={map} />
      </LookoutProvider>
    </QueryClientProvider>,
  );
  if (map === null) {
    lookout.mapShown.set(true);
    lookout.mapView.set({ ...lookout.mapView.get(), visible: VISIBLE });
  }
  const screen = within(document.body);
  await screen.findByRole('tablist', { name: 'Panel' });
  return {
    lookout,
    /** Such as `GET /api/status`. */
    requests,
    loads,
    user: userEvent.setup({ pointerEventsCheck: 0 }),
    screen,
    parameter: (name: string) => new URLSearchParams(window.location.search).get(name),
    receives,
    /** Like a reload: storage stays. */
    closes: unmount,
  };
}

/** An answer of `/api/live`; fresh and whole, except as `changed`. Drones only where changed. */
function receives(
  records: readonly LiveRecord[],
  changed: Partial<Readonly<Record<Layer, Partial<LayerFrame>>>> = {},
): void {
  const asOf = upstreamInstant(Date.now());
  const fresh: LayerFrame = {
    state: 'fresh',
    reason: undefined,
    fetchedAt: addMs(asOf, -1000),
    failingSince: undefined,
    until: undefined,
    partial: false,
    gaps: [],
    unreadable: 0,
    reception: undefined,
    records: [],
  };
  lookout.feed.apply({
    asOf,
    delayMs: 0,
    nextPollMs: 1000,
    requested: VISIBLE,
    covered: [VISIBLE],
    capped: false,
    layers: {
      adsb: { ...fresh, records: [recordColumns(records)], ...changed.adsb },
      ...(changed.rid && { rid: { ...fresh, ...changed.rid } }),
    },
  });
  lookout.feed.age();
}

export function recordsNow(reported: readonly Partial<LiveRecord>[]): LiveRecord[] {
  return reported.map((fields, index) => ({
    ...plainRecord,
    public_track_id: `RX-A-${index.toString(16).toUpperCase().padStart(16, '0')}`,
    observed_at: new Date().toISOString(),
    // None expires during a test.
    stale_after: new Date(Date.now() + HOUR_MS).toISOString(),
    latitude: HOME.lat,
    longitude: HOME.lon,
    ...fields,
  }));
}
