import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Path of the browser for the tests: `CHROMIUM_PATH` or one of the usual places; `undefined` means Playwright's own. If
 * there is none, installs Debian's package, provided that this process is root.
 * @throws Error that says how to get one
 */
export async function findChromium(say: (progress: string) => void): Promise<string | undefined> {
  const configured = process.env.CHROMIUM_PATH?.trim();
  if (configured) {
    if (existsSync(configured)) return configured;
    throw new Error(`CHROMIUM_PATH is ${configured}, which does not exist: set it to a browser that is installed`);
  }
  const found = usualPlaces.find((place) => existsSync(place));
  if (found) return found;
  if (existsSync(chromium.executablePath())) return undefined;

  if (existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
    say('Installing Debian’s chromium for the tests (once) …');
    const apt = (...args: string[]) =>
      spawnSync('apt-get', args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    apt('update', '-qq');
    apt('install', '-y', '-qq', '--no-install-recommends', 'chromium');
    const installed = usualPlaces.find((place) => existsSync(place));
    if (installed) return installed;
  }
  throw new Error(
    'The browser tests need Chromium. Get it with: sudo apt-get install chromium (Debian, Ubuntu), or ' +
      'npx playwright install chromium (elsewhere); or set CHROMIUM_PATH to a browser that is installed.',
  );
}
