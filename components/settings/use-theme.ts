'use client';

import { useEffect } from 'react';
import type { Preferences } from '#lib/client/page/preferences.ts';

/** Hands the choice to app/globals.css; `system` leaves it to the media query. */
export function useTheme(theme: Preferences['theme']): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset.theme;
    else dataset.theme = theme;
  }, [theme]);
}
