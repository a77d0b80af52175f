'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { useMediaQuery } from '#components/ui/use-media-query.ts';
import { localStore } from '#lib/client/browser/storage.ts';
import { readPreferences } from '#lib/client/page/preferences.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { AccountLayout } from '../../components/account/account-layout.tsx';
import { OverviewPage } from '../../components/overview/overview-page.tsx';

/** The map needs a browser. */
const CoverageMap = dynamic(() => import('#components/map/coverage-map.tsx').then((module) => module.CoverageMap), {
  ssr: false,
});

export interface OverviewViewProps {
  readonly operator: string | undefined;
  readonly isAdmin: boolean;
  readonly hasReceivers: boolean;
  readonly mapStyleUrl: string | undefined;
}

export function OverviewView({ operator, isAdmin, hasReceivers, mapStyleUrl }: OverviewViewProps) {
  return (
    <AccountLayout
      operator={operator}
      title="Overview"
      width="full"
      path="/overview"
      isAdmin={isAdmin}
      hasReceivers={hasReceivers}
    >
      {(zone) => <Overview zone={zone} operator={operator} mapStyleUrl={mapStyleUrl} />}
    </AccountLayout>
  );
}

interface OverviewProps extends Pick<OverviewViewProps, 'operator' | 'mapStyleUrl'> {
  readonly zone: ClockZone;
}

/** It is rendered in the browser alone, once the layout knows the preferences. */
function Overview({ zone, operator, mapStyleUrl }: OverviewProps) {
  const [{ units, theme: chosen }] = useState(() => readPreferences(localStore, operator));
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
