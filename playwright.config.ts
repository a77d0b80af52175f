import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** Debian's package; elsewhere Playwright's own browser is used, or what CHROMIUM_PATH names. */
const usualPath = '/usr/bin/chromium';
const executablePath = process.env.CHROMIUM_PATH || (existsSync(usualPath) ? usualPath : undefined);

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // The map is drawn without a graphics card here: more than two at a time only wait for each other.
  workers: 2,
  // On a machine that others share, a page can be slower than any patience; what only passed the second time is named.
  retries: process.env.CI === undefined ? 0 : 1,
  forbidOnly: process.env.CI !== undefined,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    colorScheme: 'dark',
    actionTimeout: 15_000,
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        '--use-angle=swiftshader',
        '--enable-unsafe-swiftshader',
      ],
    },
  },
});
