'use client';

import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { DestinationsPart } from './destinations-part.tsx';
import { ReadTokensCard } from './read-tokens-card.tsx';

interface OutputsPageProps {
  readonly viewer: PageViewer;
  /** The origin in `PUBLIC_URL`. */
  readonly publicOrigin: string | undefined;
}

/** The outputs of Lookout, for admins: alarms to destinations, and positions to programs with a token. */
export function OutputsPage({ viewer, publicOrigin }: OutputsPageProps) {
  return (
    <PageFrame viewer={viewer} title="Outputs" path="/admin/outputs">
      {(zone) => (
        <>
          <DestinationsPart zone={zone} />
          <ReadTokensCard zone={zone} publicOrigin={publicOrigin} />
        </>
      )}
    </PageFrame>
  );
}
