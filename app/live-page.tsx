'use client';

import dynamic from 'next/dynamic';
import { PageSkeleton } from '#components/shell/skeletons.tsx';
import { prepareLiveClient } from '#lib/client/live/live-client.ts';

const importApp = () => import('./live-app.tsx').then(({ LiveApp }) => LiveApp);

// In a browser both begin before React takes over the page: the worker decodes the first answer meanwhile.
const arriving = typeof window === 'undefined' ? undefined : importApp();
if (typeof window !== 'undefined') prepareLiveClient();
// A rendering reports the failure.
arriving?.catch(() => undefined);

/** It is not rendered on the server, since the map needs a browser. */
export const LivePage = dynamic(() => arriving ?? importApp(), {
  ssr: false,
  loading: () => <PageSkeleton />,
});
