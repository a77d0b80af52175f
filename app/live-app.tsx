'use client';

import '#lib/client/request/zod-without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { MapView } from '#components/map/map-view.tsx';
import { ReplayDock } from '#components/replay/replay-dock.tsx';
import { useReplayTitle } from '#components/replay/use-replay-title.ts';
import { Shell } from '#components/shell/shell.tsx';
import { LookoutProvider } from '#lib/client/page/lookout-context.tsx';
import { useCatchUpNote } from '#lib/client/page/use-catch-up-note.ts';
import { useLinkedReplay } from '#lib/client/page/use-linked-replay.ts';
import { useSavedTtl } from '#lib/client/page/use-saved-ttl.ts';
import type { ViewState } from '#lib/client/page/view-state.ts';

export interface LiveAppProps {
  readonly home: ViewState;
  readonly mapStyleUrl: string | undefined;
  readonly operator: string | undefined;
}

export function LiveApp({ home, mapStyleUrl, operator }: LiveAppProps) {
  const [queryClient] = useState(() => new QueryClient());
  const [address] = useState(() => window.location.search);
  return (
    <QueryClientProvider client={queryClient}>
      <LookoutProvider home={home} mapStyleUrl={mapStyleUrl} operator={operator} address={address}>
        <LiveShell />
      </LookoutProvider>
    </QueryClientProvider>
  );
}

function LiveShell() {
  useLinkedReplay();
  useReplayTitle();
  useSavedTtl();
  return <Shell map={<MapView />} dock={<ReplayDock />} note={useCatchUpNote()} />;
}
