'use client';

import '#lib/client/request/zod-without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { MapView } from '#components/map/map-view.tsx';
import { Shell } from '#components/shell/shell.tsx';
import { onDemand } from '#components/ui/on-demand.tsx';
import type { SignedInOperator } from '#lib/api/people/session-messages.ts';
import type { WallAddress } from '#lib/api/wall-address.ts';
import { startAddress, useAddressBar, useLinkedReplay } from '#lib/client/page/address-bar.ts';
import { takeAlarmsLink } from '#lib/client/page/desk.tsx';
import type { ServerFacts } from '#lib/client/page/lookout.ts';
import { LookoutProvider, useIsReplaying, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { titlePage } from '#lib/client/page/page-title.ts';
import { STREET_MAP_HINT } from '#lib/client/page/region-map.ts';
import { useCatchUpNote, useLiveRequests } from '#lib/client/page/use-live-requests.ts';

const Legend = onDemand(
  'The legend',
  () => import('#components/legend/legend.tsx').then((module) => module.Legend),
  LegendSkeleton,
);
const ReplayDock = onDemand('The replay bar', () =>
  import('#components/replay/replay-dock.tsx').then((module) => module.ReplayDock),
);
const Wall = onDemand('The wall display', () => import('#components/wall/wall.tsx').then((module) => module.Wall));

export interface LiveAppProps {
  /** Query of the operator's start view; `undefined` without one. */
  readonly startQuery: string | undefined;
  readonly operator: SignedInOperator | undefined;
  readonly server: ServerFacts;
  /** `undefined`: the page is not a wall's. */
  readonly wall: WallAddress | undefined;
}

/** The page of the map: joins the map, the panels and their requests, whose state is in `lib/client`. */
export function LiveApp({ startQuery, operator, server, wall }: LiveAppProps) {
  const [queryClient] = useState(() => new QueryClient());
  const start = startQuery === undefined ? '' : startAddress(startQuery);
  const [address] = useState(() => wall?.query ?? (window.location.search || start));
  const held = wall && { hintsSeen: [STREET_MAP_HINT], ...(wall.theme && { theme: wall.theme }) };
  return (
    <QueryClientProvider client={queryClient}>
      <LookoutProvider address={address} start={start} operator={operator} server={server} held={held}>
        {!wall && <AddressBar />}
        <LiveRequests />
        {wall ? <Wall wall={wall} map={mapOfWall} /> : <LiveShell />}
      </LookoutProvider>
    </QueryClientProvider>
  );
}

/** Independent of the map, and a component of its own: a moved view renders nothing else. */
function LiveRequests() {
  useLiveRequests();
  return null;
}

/** The address of a wall stays as it was opened: a reload shows the same. */
function AddressBar() {
  useAddressBar();
  return null;
}

function mapOfWall(scale: number) {
  return <MapView foot={null} scale={scale} />;
}

function LiveShell() {
  useLinkedReplay();
  const isReplaying = useIsReplaying();
  useEffect(() => titlePage(isReplaying ? 'Replay · Lookout' : 'Live map · Lookout'), [isReplaying]);
  useLinkedAlarms();
  return <Shell map={<MapView foot={<Legend />} />} dock={isReplaying && <ReplayDock />} note={useCatchUpNote()} />;
}

/** Has the height of the legend, so that the map keeps its own. */
function LegendSkeleton() {
  const [{ legendOpen }] = usePreferences();
  return legendOpen && <div aria-hidden className="h-[33px] flex-1" />;
}

/** Opens the alarms where another page led to them. */
function useLinkedAlarms(): void {
  const { zones } = useLookout();
  useEffect(() => {
    const open = () => {
      if (takeAlarmsLink()) zones.openAlarms();
    };
    open();
    window.addEventListener('hashchange', open);
    return () => window.removeEventListener('hashchange', open);
  }, [zones]);
}
