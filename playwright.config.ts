import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';
import { BROWSER_FLAGS, installedChromium } from './scripts/setup/find-chromium.ts';

const executablePath = installedChromium();

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  // A test waits for its page, its app and its browser by turns: one worker for each processor would leave processors idle. More than
  // this would slow down pages while the unit tests run. `npm test` prints for each step how idle the processors were.
  workers: Math.ceil(1.5 * availableParallelism()),
  forbidOnly: process.env.CI !== undefined,
  // A machine that others share can be many times slower; a test that hangs is still ended.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 640 },
    locale: 'en-GB',
    colorScheme: 'dark',
    actionTimeout: 60_000,
    // Without a graphics card the map is drawn by the processor, and every pixel costs: the page is laid out in full, and drawn coarsely.
    deviceScaleFactor: 0.25,
    contextOptions: { reducedMotion: 'reduce' },
    // The processors are busy anyway: so no GPU process, no optimising compiler for code that runs for seconds, and no threads for
    // compilation or garbage collection. Benchmarks keep all three, as operators have them.
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        ...BROWSER_FLAGS,
        '--disable-gpu-compositing',
        '--in-process-gpu',
        '--js-flags=--no-opt,--single-threaded',
      ],
    },
  },
});
