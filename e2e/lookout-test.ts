import { type BrowserContext, test as base, type PlaywrightWorkerArgs } from '@playwright/test';
import { HINTS } from '#components/hints/hints.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { measureTest } from './running/measured-test.ts';
import { servePlainBasemap } from './running/plain-basemap.ts';
import { recordedWorld } from './running/recorded-world.ts';
import { type LookoutSetting, type RunningLookout, startLookout } from './running/running-lookout.ts';
import type { RunningService } from './running/running-service.ts';

export interface Desk {
  readonly lookout: RunningLookout;
  readonly operator: LookoutDriver;
}

interface TestFixtures {
  readonly measured: undefined;
  /** Without a graphics card the basemap is most of a page's work. */
  readonly basemap: 'plain' | 'built-in';
  readonly basemapSettings: Readonly<Record<string, string>>;
  /** Source of the shared service: a few recorded tracks that do not move, or the simulator. */
  readonly world: 'recorded' | 'simulated';
  /** Shared by a worker's tests with the same basemap and world, without sign-in. */
  readonly sharedLookout: RunningLookout;
  readonly firstVisit: boolean;
  readonly operator: LookoutDriver;
  /** Faults are mended after the test. */
  readonly service: RunningService;
  /** For this test alone, without a page. */
  readonly startOwn: (setting?: LookoutSetting) => Promise<RunningLookout>;
  readonly startDesk: (setting?: LookoutSetting) => Promise<Desk>;
}

/** Own worker fixtures would give a file its own process and browser. */
interface WorkerFixtures {
  readonly plainBasemap: Readonly<Record<string, string>>;
  readonly lookoutWith: (setting: Required<Pick<LookoutSetting, 'service' | 'settings'>>) => Promise<RunningLookout>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  measured: [measureTest, { auto: true }],
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
      await use(async (setting) => {
        const name = JSON.stringify(setting);
        const lookout = started.get(name) ?? (await startLookout(setting));
        started.set(name, lookout);
        return lookout;
      });
      for (const lookout of started.values()) await lookout.stop();
    },
    { scope: 'worker' },
  ],
  world: ['simulated', { option: true }],
  sharedLookout: async ({ basemapSettings, world, lookoutWith }, use) => {
    const service = world === 'recorded' ? recordedWorld() : {};
    await use(await lookoutWith({ service, settings: basemapSettings }));
  },
  firstVisit: [false, { option: true }],
  context: async ({ context, firstVisit }, use) => {
    if (!firstVisit) await hidesHints(context);
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
    // An open page would delay the app's stop.
    await page.close();
  },
});

/** As in a browser that was here before. */
export async function hidesHints(context: BrowserContext): Promise<void> {
  const seen = JSON.stringify({ hintsSeen: HINTS.map(({ name }) => name) });
  await context.addInitScript((preferences) => {
    if (window.localStorage.getItem('lookout.preferences') === null)
      window.localStorage.setItem('lookout.preferences', preferences);
  }, seen);
}

type ForFile = Pick<WorkerFixtures, 'plainBasemap'> & Pick<PlaywrightWorkerArgs, 'playwright'>;

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
