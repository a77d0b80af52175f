import manifest from '../package.json' with { type: 'json' };

/** The oldest browsers, such as `Chrome or Edge 111, Firefox 128, or Safari 16.4`, as package.json has them. */
export function oldestBrowsersText(list: readonly string[]): string {
  const oldest = new Map(list.map((entry) => entry.split(' >= ') as [string, string]));
  return `Chrome or Edge ${oldest.get('chrome')}, Firefox ${oldest.get('firefox')}, or Safari ${oldest.get('safari')}`;
}

const NEEDED = `Lookout needs a newer browser: ${oldestBrowsersText(manifest.browserslist)}.`;

/**
 * Replaces the page by a sentence where the browser lacks what the page cannot do without. In the language of browsers
 * from before 2015, since the code of the page does not parse in them. The rest of the page becomes hidden text, so that
 * none of its scripts runs. It must contain no tag that closes the head: Next inserts scripts there.
 */
export const BROWSER_CHECK = `(function () {
  function has() {
    try {
      return !!(
        Array.prototype.toSorted &&
        Object.hasOwn &&
        String.prototype.toWellFormed &&
        window.structuredClone &&
        window.ResizeObserver &&
        window.AbortSignal && AbortSignal.timeout &&
        window.CSS && CSS.supports('color', 'color-mix(in srgb, red, red)') &&
        new RegExp('(?<!a)b') &&
        new DecompressionStream('deflate-raw') &&
        new CompressionStream('deflate-raw')
      );
    } catch (error) {
      return false;
    }
  }
  if (!has()) document.write('<main role="alert"><p>${NEEDED}</p></main><plaintext hidden>');
})();`;
