import { axeFaults } from './driver/axe-faults.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'dark' | 'light';
}

const DESK: Screen = { width: 1280, height: 800, colorScheme: 'dark' };
const PHONE: Screen = { width: 390, height: 844, colorScheme: 'light' };
const ALL_SCREENS: readonly Screen[] = [
  DESK,
  { ...DESK, colorScheme: 'light' },
  { width: 844, height: 390, colorScheme: 'dark' },
  { width: 768, height: 1024, colorScheme: 'light' },
  { ...PHONE, colorScheme: 'dark' },
  PHONE,
];

test('axe finds no fault on any screen, in either theme, at any layout; changes are read out', async ({
  operator,
  page,
}) => {
  const isAccessible = async (screens: readonly Screen[] = [DESK, PHONE]) => {
    for (const { width, height, colorScheme } of screens) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      expect.soft(await axeFaults(page), `${width} × ${height}, ${colorScheme}`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await operator.watches('/?view=47.2,8.2,8');

  await test.step('live, with the whole legend and a selected track', async () => {
    await operator.button('Marks').click();
    await operator.tracks.firstReceived.click();
    await expect(operator.tracks.card).toBeVisible();
    await isAccessible(ALL_SCREENS);
    await expect(page.getByTestId('spoken-summary')).toHaveText(/Aircraft: \d+ simulated/);
  });
  for (const tab of ['Filter', 'Zones', 'View', 'Allowance']) {
    await test.step(tab, async () => {
      await page.getByRole('tab', { name: tab }).click();
      await isAccessible();
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
  await test.step('help, find and share', async () => {
    for (const key of ['?', '/', 's']) {
      await page.keyboard.press(key);
      await expect(page.getByRole('dialog')).toBeVisible();
      await isAccessible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
  });
  await test.step('a layer’s popover, and measuring', async () => {
    await page.getByTestId('chip-adsb').click();
    await isAccessible([DESK]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('m');
    await isAccessible();
    await page.keyboard.press('Escape');
  });
  await test.step('a replay, before it is loaded and loaded', async () => {
    await page.keyboard.press('r');
    await expect(page.getByTestId('replay-loading')).toBeVisible();
    await isAccessible([DESK]);
    const isReadOut = dock.plate.evaluate(
      (plate) => plate.closest('[aria-live], [role="status"], [role="alert"]') !== null,
    );
    expect(await isReadOut, 'the time of the plate is read out').toBe(false);
    await dock.loadsLastQuarter();
    await isAccessible([
      { ...DESK, colorScheme: 'light' },
      { ...PHONE, colorScheme: 'dark' },
    ]);
  });
  await test.step('forced colours keep what is chosen apart from the rest', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    const background = (name: string) =>
      page.getByRole('tab', { name }).evaluate((tab) => getComputedStyle(tab).backgroundColor);
    expect(await background('Allowance')).not.toBe(await background('Filter'));
  });
});

test.describe('on a first visit', () => {
  test.use({ firstVisit: true });

  test('dialogs and popovers that scroll are reached by keyboard, however little room there is', async ({
    operator,
    page,
  }) => {
    await operator.watches('/?view=47.2,8.2,8');
    const isReached = async () => {
      for (const [width, height] of [
        [390, 400],
        [1280, 320],
      ] as const) {
        await page.setViewportSize({ width, height });
        expect.soft(await axeFaults(page), `${width} × ${height}`).toEqual([]);
      }
      await page.setViewportSize({ width: 1280, height: 640 });
    };
    for (const key of ['?', '/', 's']) {
      await page.keyboard.press(key);
      await expect(page.getByRole('dialog')).toBeVisible();
      await isReached();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    await page.getByTestId('chip-adsb').click();
    await isReached();
  });
});
