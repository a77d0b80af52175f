'use client';

import { useEffect } from 'react';
import type { Preferences } from './preferences.ts';

/** Sets the theme of the page. With `system`, the media query of the style sheet decides. */
export function useTheme(theme: Preferences['theme']): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset.theme;
    else dataset.theme = theme;
  }, [theme]);
}
