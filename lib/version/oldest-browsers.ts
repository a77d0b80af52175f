import manifest from '../../package.json' with { type: 'json' };

/** The oldest browsers, such as `Chrome or Edge 111, Firefox 128, or Safari 16.4`, as package.json has them. */
export function oldestBrowsersText(list: readonly string[]): string {
  const oldest = new Map(list.map((entry) => entry.split(' >= ') as [string, string]));
  return `Chrome or Edge ${oldest.get('chrome')}, Firefox ${oldest.get('firefox')}, or Safari ${oldest.get('safari')}`;
}

export const OLDEST_BROWSERS = oldestBrowsersText(manifest.browserslist);
