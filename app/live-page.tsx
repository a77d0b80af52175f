'use client';

import dynamic from 'next/dynamic';
import { PageSkeleton } from '#components/shell/skeletons.tsx';

/** The map needs a browser, and the page is useless without it, so it is not rendered on the server. */
export const LivePage = dynamic(() => import('./live-app.tsx').then(({ LiveApp }) => LiveApp), {
  ssr: false,
  loading: () => <PageSkeleton />,
});
