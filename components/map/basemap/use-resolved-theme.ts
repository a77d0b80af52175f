import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import type { BasemapTheme } from './basemap-palette.ts';

export function useResolvedTheme(): BasemapTheme {
  const [{ theme }] = usePreferences();
  const printed = useValue(useLookout().printedTheme);
  const systemIsLight = useMediaQuery('(prefers-color-scheme: light)');
  if (printed !== undefined) return printed;
  if (theme !== 'system') return theme;
  return systemIsLight ? 'light' : 'dark';
}
