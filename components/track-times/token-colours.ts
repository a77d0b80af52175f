export type ColourToken = 'text' | 'dim' | 'line' | 'focus';

/**
 * Only an element resolves `light-dark(…)` tokens: a hidden one in `host` is read at each call, to follow the theme.
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

/** @returns stops watching */
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
