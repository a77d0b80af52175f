'use client';

import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useMediaQuery } from '#components/ui/use-media-query.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { useDeskPreferences } from '#lib/client/page/desk.tsx';
import { PageFrame } from '../../components/frame/page-frame.tsx';
import { OverviewPage } from '../../components/overview/overview-page.tsx';

/** The map needs a browser. */
const CoverageMap = dynamic(() => import('#components/map/coverage-map.tsx').then((module) => module.CoverageMap), {
  ssr: false,
});

export interface OverviewViewProps {
  readonly viewer: PageViewer;
  readonly mapStyleUrl: string | undefined;
}

export function OverviewView({ viewer, mapStyleUrl }: OverviewViewProps) {
  return (
    <PageFrame viewer={viewer} title="Overview" path="/overview">
      {() => <Overview mapStyleUrl={mapStyleUrl} />}
    </PageFrame>
  );
}

/** It is rendered in the browser alone, once the frame knows the preferences. */
function Overview({ mapStyleUrl }: Pick<OverviewViewProps, 'mapStyleUrl'>) {
  const [{ units, zone, theme: chosen }] = useDeskPreferences();
  const isLight = useMediaQuery('(prefers-color-scheme: light)');
  const isPrinting = useIsPrinting();
  const onScreen = chosen === 'system' ? (isLight ? 'light' : 'dark') : chosen;
  const theme = isPrinting ? 'light' : onScreen;
  return (
    <OverviewPage
      zone={zone}
      units={units}
      theme={theme}
      drawMap={(drawn) => <CoverageMap {...drawn} theme={theme} mapStyleUrl={mapStyleUrl} />}
    />
  );
}

/** The browser lays out the printed page as soon as the event ends, so that the map changes within it. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, []);
  return isPrinting;
}
