'use client';

import dynamic from 'next/dynamic';
import { PageSkeleton } from '#components/shell/skeletons.tsx';

/** It is not rendered on the server, since the map needs a browser. */
export const LivePage = dynamic(() => import('./live-app.tsx').then(({ LiveApp }) => LiveApp), {
  ssr: false,
  loading: () => <PageSkeleton />,
});
