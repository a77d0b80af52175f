export type ColourToken = 'text' | 'dim' | 'line' | 'focus';

/**
 * Resolves tokens to colours for a canvas. A token is a `light-dark(…)` value, which only an element resolves, so a hidden element is
 * added to `host` and read at each call. The colours follow the theme.
 */
export function tokenColours(host: HTMLElement): (token: ColourToken) => string {
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  return (token) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
}

/** Calls back after the theme changed, by choice or by the system. @returns stops watching */
export function watchTheme(changed: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: light)');
  const choice = new MutationObserver(changed);
  choice.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  system.addEventListener('change', changed);
  return () => {
    choice.disconnect();
    system.removeEventListener('change', changed);
  };
}
