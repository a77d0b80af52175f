/** The tokens of app/globals.css that a canvas is drawn with. */
export type ColourToken = 'text' | 'dim' | 'line' | 'focus';

/**
 * Reads tokens as a canvas takes them. A token is written as `light-dark(…)`, which only an element resolves: a hidden one
 * inside `host` is asked at each reading, so that what is drawn next is in the theme of then.
 */
export function tokenColours(host: HTMLElement): (token: ColourToken) => string {
  const asked = document.createElement('span');
  asked.hidden = true;
  host.append(asked);
  return (token) => {
    asked.style.color = `var(--${token})`;
    return getComputedStyle(asked).color;
  };
}

/** Calls back after the theme changed, by choice or by the system. Returns how to stop. */
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
