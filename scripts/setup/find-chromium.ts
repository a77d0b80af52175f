import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

const usualPlaces = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * The browser for the tests: `CHROMIUM_PATH`, one of the usual places, or `undefined` for Playwright's own. Where there is
 * none, it is installed where that can be done without asking (Debian's package, as root).
 * @throws Error that says how to get one
 */
export async function findChromium(say: (progress: string) => void): Promise<string | undefined> {
  const asked = process.env.CHROMIUM_PATH?.trim();
  if (asked) {
    if (existsSync(asked)) return asked;
    throw new Error(`CHROMIUM_PATH is ${asked}, and there is nothing`);
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
      'npx playwright install chromium (elsewhere); or set CHROMIUM_PATH to a browser that is there.',
  );
}
