'use client';

import { useSyncExternalStore } from 'react';
import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { BasemapTheme } from './basemap/basemap-palette.ts';

const prefersLight = '(prefers-color-scheme: light)';

/** The operator's choice, or what the system prefers. */
export function useResolvedTheme(): BasemapTheme {
  const [{ theme }] = usePreferences();
  const systemIsLight = useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(prefersLight);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => window.matchMedia(prefersLight).matches,
    () => false,
  );
  if (theme !== 'system') return theme;
  return systemIsLight ? 'light' : 'dark';
}
