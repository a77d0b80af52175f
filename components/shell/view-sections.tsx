'use client';

import { OverlaysSection } from '../overlays/overlays-section.tsx';
import { CoverageSection } from '../overview/coverage-section.tsx';
import { SavedViewsSection } from '../views/saved-views-section.tsx';
import { WallSection } from '../wall/wall-section.tsx';

/**
 * The first sections of the view tab: saved views, the wall display, overlays and coverage. Few visits open the tab, so their code is a file
 * of its own.
 * @param onOpened lowers the sheet of a small screen
 */
export function ViewSections({ onOpened }: { readonly onOpened: () => void }) {
  return (
    <div className="flex flex-col gap-4 p-4 pb-0">
      <SavedViewsSection onOpened={onOpened} />
      <WallSection />
      <OverlaysSection />
      <CoverageSection />
    </div>
  );
}
