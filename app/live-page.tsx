'use client';

import dynamic from 'next/dynamic';

/** The map needs a browser; nothing of the page is worth drawing without it. */
export const LivePage = dynamic(() => import('./live-app.tsx').then(({ LiveApp }) => LiveApp), { ssr: false });
