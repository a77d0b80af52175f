'use client';

import { usePreferences } from '#lib/client/page/lookout-context.tsx';

/** Has the height of the legend, so that the map keeps its own. */
export function LegendSkeleton() {
  const [{ legendOpen }] = usePreferences();
  return legendOpen && <div aria-hidden className="h-[33px] flex-1" />;
}
