import { test as base } from '@playwright/test';
import { HINTS } from '#components/hints/hints.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { servePlainBasemap } from './running/plain-basemap.ts';
import { type LookoutSetting, type RunningLookout, startLookout } from './running/running-lookout.ts';
import type { RunningService } from './running/running-service.ts';

/** A Lookout for one test, and an operator in front of it. */
export interface Desk {
  readonly lookout: RunningLookout;
  readonly operator: LookoutDriver;
}

interface TestFixtures {
  /** Whether this browser has never been here: then it is shown the first hints. */
  readonly firstVisit: boolean;
  /** An operator of the Lookout shared by all tests of a worker: simulated traffic, no sign-in. */
  readonly operator: LookoutDriver;
  /** The service of that Lookout, without recorded requests at first; a fault is mended at the end of the test. */
  readonly service: RunningService;
  /** Starts a Lookout for this test alone, without a page; it is stopped at the end of the test, passed or failed. */
  readonly startOwn: (setting?: LookoutSetting) => Promise<RunningLookout>;
  /** The same, with a page in front of it. */
  readonly startDesk: (setting?: LookoutSetting) => Promise<Desk>;
}

interface WorkerFixtures {
  /** Without a graphics card the built-in basemap is most of the work of a page; it is drawn where it is looked at. */
  readonly basemap: 'plain' | 'built-in';
  readonly basemapSettings: Readonly<Record<string, string>>;
  readonly sharedLookout: RunningLookout;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  basemap: ['plain', { option: true, scope: 'worker' }],
  basemapSettings: [
    async ({ basemap }, use) => {
      await use(basemap === 'plain' ? { MAP_STYLE_URL: await servePlainBasemap() } : {});
    },
    { scope: 'worker' },
  ],
  sharedLookout: [
    async ({ basemapSettings }, use) => {
      const lookout = await startLookout({ settings: basemapSettings });
      await use(lookout);
      await lookout.stop();
    },
    { scope: 'worker' },
  ],
  firstVisit: [false, { option: true }],
  context: async ({ context, firstVisit }, use) => {
    if (!firstVisit) {
      const seen = JSON.stringify({ hintsSeen: HINTS.map(({ name }) => name) });
      await context.addInitScript((preferences) => {
        if (window.localStorage.getItem('lookout.preferences') === null)
          window.localStorage.setItem('lookout.preferences', preferences);
      }, seen);
    }
    await use(context);
  },
  operator: async ({ page, sharedLookout }, use) => {
    await use(new LookoutDriver(page, sharedLookout.url));
  },
  service: async ({ sharedLookout }, use) => {
    await sharedLookout.service.forgetRequests();
    await use(sharedLookout.service);
    await sharedLookout.service.mend();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  startOwn: async ({}, use) => {
    const started: RunningLookout[] = [];
    await use(async (setting) => {
      const lookout = await startLookout(setting);
      started.push(lookout);
      return lookout;
    });
    for (const lookout of started) await lookout.stop();
  },
  startDesk: async ({ startOwn, basemapSettings, page }, use) => {
    await use(async (setting) => {
      const lookout = await startOwn({ ...setting, settings: { ...basemapSettings, ...setting?.settings } });
      return { lookout, operator: new LookoutDriver(page, lookout.url) };
    });
    // An open page's requests would keep the app from stopping at once.
    await page.close();
  },
});

export { expect } from '@playwright/test';
