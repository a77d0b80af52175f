import { test as base, type PlaywrightWorkerArgs } from '@playwright/test';
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
  /** Without a graphics card the built-in basemap is most of the work of a page; it is drawn where it is looked at. */
  readonly basemap: 'plain' | 'built-in';
  readonly basemapSettings: Readonly<Record<string, string>>;
  /** A Lookout shared by all tests of a worker that have the same basemap: simulated traffic, no sign-in. */
  readonly sharedLookout: RunningLookout;
  /** Whether this browser has never been here: then it is shown the first hints. */
  readonly firstVisit: boolean;
  /** An operator of the shared Lookout. */
  readonly operator: LookoutDriver;
  /** The service of that Lookout, without recorded requests at first; a fault is mended at the end of the test. */
  readonly service: RunningService;
  /** Starts a Lookout for this test alone, without a page; it is stopped at the end of the test, passed or failed. */
  readonly startOwn: (setting?: LookoutSetting) => Promise<RunningLookout>;
  /** The same, with a page in front of it. */
  readonly startDesk: (setting?: LookoutSetting) => Promise<Desk>;
}

/**
 * The same for all files: a file with worker fixtures of its own would get its own process and browser. State that the tests of
 * a file share is made by `sharedInFile`.
 */
interface WorkerFixtures {
  readonly plainBasemap: Readonly<Record<string, string>>;
  /** Starts the shared Lookout with these settings, or finds it. */
  readonly lookoutWith: (settings: Readonly<Record<string, string>>) => Promise<RunningLookout>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  basemap: ['plain', { option: true }],
  plainBasemap: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
    async ({}, use) => {
      await use({ MAP_STYLE_URL: await servePlainBasemap() });
    },
    { scope: 'worker' },
  ],
  basemapSettings: async ({ basemap, plainBasemap }, use) => {
    await use(basemap === 'plain' ? plainBasemap : {});
  },
  lookoutWith: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
    async ({}, use) => {
      const started = new Map<string, RunningLookout>();
      await use(async (settings) => {
        const name = JSON.stringify(settings);
        const lookout = started.get(name) ?? (await startLookout({ settings }));
        started.set(name, lookout);
        return lookout;
      });
      for (const lookout of started.values()) await lookout.stop();
    },
    { scope: 'worker' },
  ],
  sharedLookout: async ({ basemapSettings, lookoutWith }, use) => {
    await use(await lookoutWith(basemapSettings));
  },
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
  startOwn: async ({ basemapSettings }, use) => {
    const started: RunningLookout[] = [];
    await use(async (setting) => {
      const lookout = await startLookout({ ...setting, settings: { ...basemapSettings, ...setting?.settings } });
      started.push(lookout);
      return lookout;
    });
    for (const lookout of started) await lookout.stop();
  },
  startDesk: async ({ startOwn, page }, use) => {
    await use(async (setting) => {
      const lookout = await startOwn(setting);
      return { lookout, operator: new LookoutDriver(page, lookout.url) };
    });
    // An open page's requests would keep the app from stopping at once.
    await page.close();
  },
});

/** The arguments of a file's hooks. */
type ForFile = Pick<WorkerFixtures, 'plainBasemap'> & Pick<PlaywrightWorkerArgs, 'playwright'>;

/** Starts something before the first test of a file, for all of its tests; stops it after the last. @returns what was started */
export function sharedInFile<Shared extends { stop(): Promise<void> }>(
  start: (given: ForFile) => Promise<Shared>,
): () => Shared {
  let shared: Shared | undefined;
  test.beforeAll(async ({ plainBasemap, playwright }) => {
    shared = await start({ plainBasemap, playwright });
  });
  test.afterAll(() => shared?.stop());
  return () => {
    if (shared === undefined) throw new Error('it is started before the first test');
    return shared;
  };
}

export { expect } from '@playwright/test';
