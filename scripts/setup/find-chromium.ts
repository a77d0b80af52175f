import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { installMissing } from './debian-packages.ts';

/** Opens a page at two thirds of the work; Playwright's default too. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const usualPlaces = [HEADLESS_SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** WebGL runs on the processor, so that no machine needs a graphics card. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

export function installedChromium(): string | undefined {
  return process.env.CHROMIUM_PATH?.trim() || usualPlaces.find((place) => existsSync(place));
}

/**
 * `undefined` means Playwright's own. As root, installs a missing headless shell.
 * @throws Error that says how to get a browser
 */
export async function findChromium(say: (progress: string) => void): Promise<string | undefined> {
  const configured = process.env.CHROMIUM_PATH?.trim();
  if (configured && !existsSync(configured))
    throw new Error(`CHROMIUM_PATH is ${configured}, which does not exist: set it to a browser that is installed`);
  if (!configured) await installMissing(['chromium-headless-shell'], say);
  const installed = installedChromium();
  if (installed !== undefined || existsSync(chromium.executablePath())) return installed;
  throw new Error(
    'The browser tests need Chromium. Get it with: sudo apt-get install chromium-headless-shell (Debian), or ' +
      'npx playwright install chromium (elsewhere); or set CHROMIUM_PATH to a browser that is installed.',
  );
}
