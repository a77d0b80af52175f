import type { Page } from '@playwright/test';
import { axeFaults, LOOK_RULES } from './driver/axe-faults.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'dark' | 'light';
}

const DESK: Screen = { width: 1280, height: 800, colorScheme: 'dark' };
const PHONE: Screen = { width: 390, height: 844, colorScheme: 'light' };
/** One of each layout; the look of the first and the last in the other theme too. */
const LAYOUTS: readonly Screen[] = [
  DESK,
  { width: 844, height: 390, colorScheme: 'dark' },
  { width: 768, height: 1024, colorScheme: 'light' },
  PHONE,
];
const OTHER_THEMES: readonly Screen[] = [
  { ...DESK, colorScheme: 'light' },
  { ...PHONE, colorScheme: 'dark' },
];
/** Dialogs and popovers scroll there. */
const LITTLE_ROOM: readonly Screen[] = [
  { width: 390, height: 400, colorScheme: 'dark' },
  { width: 1280, height: 320, colorScheme: 'dark' },
];

test.use({ firstVisit: true });

const checking =
  (page: Page) =>
  async (screens: readonly Screen[], part?: string, rules?: readonly string[]): Promise<void> => {
    for (const { width, height, colorScheme } of screens) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      expect.soft(await axeFaults(page, rules, part), `${width} × ${height}, ${colorScheme}`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };

test('axe finds no fault in what opens over the map; what scrolls is reached by keyboard, however little room there is', async ({
  operator,
  page,
}) => {
  const check = checking(page);
  await operator.watches('/?view=47.2,8.2,8');

  await test.step('help, find and share, on a first visit', async () => {
    for (const key of ['?', '/', 's']) {
      await page.keyboard.press(key);
      await expect(page.getByRole('dialog')).toBeVisible();
      await check([DESK, PHONE, ...LITTLE_ROOM]);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
  });
  await test.step('a layer’s popover', async () => {
    await page.getByTestId('chip-adsb').click();
    await check([DESK, ...LITTLE_ROOM]);
    await page.keyboard.press('Escape');
  });
});

test('axe finds no fault live, in each panel and in a replay, in either theme, at any layout; changes are read out', async ({
  operator,
  page,
}) => {
  const check = checking(page);
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await operator.watches('/?view=47.2,8.2,8');

  await test.step('live, with the whole legend and a selected track', async () => {
    await page.getByRole('button', { name: 'Dismiss all hints' }).click();
    await operator.button('Marks').click();
    await operator.tracks.firstReceived.click();
    await expect(operator.tracks.card).toBeVisible();
    await check(LAYOUTS);
    await check(OTHER_THEMES, undefined, LOOK_RULES);
    await expect(page.getByTestId('spoken-summary')).toHaveText(/Aircraft: \d+ simulated/);
  });
  for (const tab of ['Filter', 'Zones', 'View', 'Allowance']) {
    await test.step(tab, async () => {
      await page.getByRole('tab', { name: tab }).click();
      await check([DESK, PHONE], '[role="tabpanel"][data-state="active"]');
    });
  }
  await test.step('nothing slides where motion is to be reduced', async () => {
    await page.getByRole('tab', { name: 'View' }).click();
    const thumb = page.getByRole('switch').first().locator('span');
    const slides = () => thumb.evaluate((element) => getComputedStyle(element).transitionDuration);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await slides()).not.toBe('0s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await slides()).toBe('0s');
    await page.getByRole('tab', { name: 'Allowance' }).click();
  });
  await test.step('measuring', async () => {
    await page.keyboard.press('m');
    await check([DESK, PHONE], '[data-testid="measuring"]');
    await page.keyboard.press('Escape');
  });
  await test.step('a replay, before it is loaded and loaded', async () => {
    await page.keyboard.press('r');
    await expect(page.getByTestId('replay-loading')).toBeVisible();
    await check([DESK], '[data-testid="replay-loading"]');
    const isReadOut = dock.plate.evaluate(
      (plate) => plate.closest('[aria-live], [role="status"], [role="alert"]') !== null,
    );
    expect(await isReadOut, 'the time of the plate is read out').toBe(false);
    await dock.loadsLastQuarter();
    await check(OTHER_THEMES);
  });
  await test.step('forced colours keep what is chosen apart from the rest', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    const background = (name: string) =>
      page.getByRole('tab', { name }).evaluate((tab) => getComputedStyle(tab).backgroundColor);
    expect(await background('Allowance')).not.toBe(await background('Filter'));
  });
});
