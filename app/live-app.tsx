'use client';

import '#lib/client/zod-without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { MapView } from '#components/map/map-view.tsx';
import { Shell } from '#components/panels/shell.tsx';
import { ReplayDock } from '#components/replay/replay-dock.tsx';
import { useReplayTitle } from '#components/replay/use-replay-title.ts';
import { LookoutProvider } from '#lib/client/lookout-context.tsx';
import type { MapView as View } from '#lib/client/map-view.ts';
import { useKeptLifetimes } from '#lib/client/replay/use-kept-lifetimes.ts';
import { useCatchUpNote } from '#lib/client/use-catch-up-note.ts';
import { useLinkedReplay } from '#lib/client/use-linked-replay.ts';

export interface LiveAppProps {
  readonly home: View;
  readonly mapStyleUrl: string | undefined;
  readonly operator: string | undefined;
}

export function LiveApp({ home, mapStyleUrl, operator }: LiveAppProps) {
  const [queryClient] = useState(() => new QueryClient());
  const [address] = useState(() => window.location.search);
  return (
    <QueryClientProvider client={queryClient}>
      <LookoutProvider home={home} mapStyleUrl={mapStyleUrl} operator={operator} address={address}>
        <LivePicture />
      </LookoutProvider>
    </QueryClientProvider>
  );
}

function LivePicture() {
  useLinkedReplay();
  useReplayTitle();
  useKeptLifetimes();
  return <Shell map={<MapView />} dock={<ReplayDock />} note={useCatchUpNote()} />;
}
