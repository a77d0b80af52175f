'use client';

import dynamic from 'next/dynamic';
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
  const theme = chosen === 'system' ? (isLight ? 'light' : 'dark') : chosen;
  return (
    <OverviewPage
      zone={zone}
      units={units}
      theme={theme}
      drawMap={(drawn) => <CoverageMap {...drawn} theme={theme} mapStyleUrl={mapStyleUrl} />}
    />
  );
}
