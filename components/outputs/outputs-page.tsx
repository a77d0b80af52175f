'use client';

import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { DestinationsPart } from './destinations-part.tsx';
import { TokensPart } from './tokens-part.tsx';

interface OutputsPageProps {
  readonly viewer: PageViewer;
  /** The origin in `PUBLIC_URL`. */
  readonly publicOrigin: string | undefined;
}

/** Outputs for admins: destinations of alarms, and tokens of programs and walls. */
export function OutputsPage({ viewer, publicOrigin }: OutputsPageProps) {
  return (
    <PageFrame viewer={viewer} title="Outputs" path="/admin/outputs">
      {(zone) => (
        <>
          <DestinationsPart zone={zone} />
          <TokensPart zone={zone} publicOrigin={publicOrigin} />
        </>
      )}
    </PageFrame>
  );
}
