import type { Page } from '@playwright/test';
import { HandingOn } from './driver/handing-on.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import type { OperatorAccount } from './running/operators.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('S copies the link of what is seen; where copying is refused, the link is selected', async ({
  operator,
  page,
  context,
}) => {
  const handing = new HandingOn(page);
  await operator.watches('/?view=46.9,8.2,8&layers=adsb');
  const [seen] = [page.url()];

  await test.step('the key copies what the address bar says, and says so', async () => {
    await page.keyboard.press('s');
    await expect(handing.outcome).toHaveText('Link copied.');
    expect(await handing.clipboardText()).toBe(seen);
    await expect(handing.shareDialog).toContainText('Opens this place live');
  });

  await test.step('a page that could print with the dialog open can print without it', async () => {
    await handing.canPrint();
    await page.keyboard.press('Escape');
    await expect(handing.shareDialog).toHaveCount(0);
    await handing.previewsPrint();
    expect(await handing.printSheet.count(), 'the sheet is there at once').toBe(1);
    await handing.leavesPreview();
    await expect(handing.printSheet).toHaveCount(0);
  });

  await test.step('where the system has a share sheet, it is handed the same link', async () => {
    await handing.hasShareSheet();
    await page.keyboard.press('s');
    await handing.shareDialog.getByRole('button', { name: 'Send…' }).click();
    expect(await handing.sentLink()).toBe(seen);
    await page.keyboard.press('Escape');
    await expect(handing.shareDialog).toHaveCount(0);
  });

  await test.step('a refusal is shown, and the link is selected to be copied by hand', async () => {
    await handing.forbidCopying();
    await operator.button('Share').click();
    await expect(handing.outcome).toContainText('did not let Lookout copy');
    expect(await handing.selectedText()).toBe(seen);
  });

  await test.step('Two windows share preferences but not their panels, and a reload brings back the same state', async () => {
    await page.keyboard.press('Escape');
    const other = new LookoutDriver(await context.newPage(), new URL(page.url()).origin);
    await other.watches('/?view=46.9,8.2,8');

    await test.step('a change in one window applies to the other, both ways', async () => {
      await operator.button('m, m/s: units. Change').click();
      await expect(other.button('ft, kt: units. Change')).toBeVisible();
      await other.choosesTheme('light');
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    });

    await test.step('each has its own panel and tab, which a reload brings back with the selection', async () => {
      await other.button('Hide the panel').click();
      await expect(operator.tracks.search).toBeVisible();
      await operator.tracks.firstReceived.click();
      await expect(operator.tracks.card).toBeVisible();
      await page.getByRole('tab', { name: 'View' }).click();
      await expect.poll(() => page.url()).toContain('sel=');
      await page.reload({ waitUntil: 'domcontentloaded' });
      await operator.seesPositions();
      await expect(page.getByRole('tab', { name: 'View', selected: true })).toBeVisible();
      await expect(operator.button('ft, kt: units. Change')).toBeVisible();
      await other.page.reload({ waitUntil: 'domcontentloaded' });
      await expect(other.button('Show the panel')).toBeVisible();
    });
  });
});

test('A view is saved, renamed, opened, set as start and deleted; another operator sees what is shared', async ({
  startOwn,
  page,
  browser,
}) => {
  const lookout = await startOwn({ operators: ['al', 'bea'] });
  const [al, bea] = lookout.operators;
  if (!al || !bea) throw new Error('two operators were wanted');
  const desk = async (at: Page, account: OperatorAccount, path: string) => {
    const signIn = new SignInDriver(at, lookout.url);
    await signIn.opens(path);
    await signIn.submits(account);
    const operator = signIn.asOperator();
    await operator.seesPositions();
    return { operator, handing: new HandingOn(at) };
  };
  const { operator, handing } = await desk(page, al, '/?view=46.9,8.2,9&layers=adsb');
  await handing.opensViews();

  await test.step('saved by keyboard, under a name that is not taken yet', async () => {
    await handing.savesView('North gate');
    await page.keyboard.type('North gate');
    await page.keyboard.press('Enter');
    await expect(handing.views.getByRole('alert')).toContainText('have a view of this name already');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Apron');
    await page.keyboard.press('Enter');
    await expect.poll(() => handing.viewNames()).toEqual(['Apron', 'North gate']);
  });

  await test.step('renamed, shared, and opened from elsewhere without reloading the page', async () => {
    await handing.chooses('North gate', 'Rename');
    await page.keyboard.type('Gate N');
    await page.keyboard.press('Enter');
    await expect(handing.done).toHaveText('Renamed to “Gate N”.');
    await handing.chooses('Gate N', 'Share with everybody');
    await expect(handing.views).toContainText('Yours, shared with everybody');
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    await page.getByRole('switch', { name: 'Drones layer' }).click();
    await operator.drags(200, 100);
    await expect.poll(() => operator.viewInAddress()?.lon).not.toBe(8.2);
    await handing.opensView('Gate N');
    await expect.poll(() => page.url()).toContain('?view=46.9,8.2,9&layers=adsb');
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  await test.step('the start view opens without a link and with H; the page says how to unset it', async () => {
    await handing.chooses('Gate N', 'Start here');
    await expect(handing.views).toContainText('Lookout opens at “Gate N”, live, and H goes there.');
    await operator.drags(200, 100);
    await expect.poll(() => operator.viewInAddress()?.lon).not.toBe(8.2);
    await page.getByTestId('map').click();
    await page.keyboard.press('h');
    await expect.poll(() => operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 9 });
    await operator.watches('/');
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 9 });
    await expect(operator.state('Drones')).toHaveText('Drones: layer is off, not requested');
  });

  await test.step('another operator sees what is shared, and cannot change it', async () => {
    const context = await browser.newContext();
    const other = await desk(await context.newPage(), bea, '/');
    await other.handing.opensViews();
    await expect.poll(() => other.handing.viewNames()).toEqual(['Gate N']);
    await expect(other.handing.views).toContainText('Shared by al');
    await other.handing.views.getByRole('button', { name: 'More for Gate N' }).click();
    await expect(other.operator.page.getByRole('menuitem')).toHaveText(['Start here']);
    await context.close();
  });

  await test.step('deleting asks first; without the view H goes to Lookout’s own start', async () => {
    await handing.opensViews();
    await handing.chooses('Gate N', 'Delete…');
    await expect(page.getByRole('button', { name: 'Keep' })).toBeFocused();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    // The question replaces the view's name, so only the rows tell that it is gone.
    await expect(handing.rows).toHaveCount(1);
    expect(await handing.viewNames()).toEqual(['Apron']);
    await page.getByTestId('map').click();
    await page.keyboard.press('h');
    await expect.poll(() => operator.viewInAddress()?.zoom).not.toBe(9);
  });
});

test.describe('A picture', () => {
  test.use({ viewport: { width: 900, height: 640 }, deviceScaleFactor: 2 });

  test('has the map in the pixels of the screen, with SIM or REPLAY and its lines burnt in', async ({
    operator,
    page,
  }) => {
    const handing = new HandingOn(page);
    const dock = new ReplayDock(page);
    const { start, end } = pastWindow(5);
    const shown = start + 3 * 60_000;
    await operator.goesTo(replayPath({ start, end }, `&at=${addressTime(shown)}`));
    await dock.loadsFully();
    await operator.seesPositions();

    await test.step('of a replay: amber plate and frame, and its time in the name of the file', async () => {
      await page.keyboard.press('s');
      const { fileName, picture } = await handing.savesPicture();
      await expect(handing.pictureOutcome).toHaveText(`Saved as ${fileName}.`);
      expect(fileName).toBe(`lookout-replay-${iso(shown).slice(0, 19).replaceAll(/[-:]/g, '')}Z.png`);
      const map = await page.getByTestId('map').boundingBox();
      const mapHeight = 2 * Math.round(map?.height ?? 0);
      expect(picture.width).toBe(2 * Math.round(map?.width ?? 0));
      expect(picture.height).toBeGreaterThan(mapHeight + 5 * 2 * 15);
      const amber = 'rgb(255, 178, 36)';
      expect(picture.colourAt(picture.width / 2, 22)).toBe(amber);
      expect(picture.colourAt(1, mapHeight / 2)).toBe(amber);
      expect(picture.colourAt(1, mapHeight + 3)).not.toBe(amber);
      // Not an empty drawing buffer.
      expect(picture.coloursBetween(200, mapHeight - 100)).toBeGreaterThan(50);
      expect(picture.coloursBetween(mapHeight + 10, picture.height)).toBeGreaterThan(5);
    });

    await test.step('of simulated traffic: a plate in the colour of text, and a copy for the clipboard', async () => {
      await page.keyboard.press('Escape');
      await dock.button('Back to live').click();
      await operator.seesPositions();
      await page.keyboard.press('s');
      const { fileName, picture } = await handing.savesPicture();
      expect(fileName).toMatch(/^lookout-\d{8}T\d{6}Z\.png$/);
      const text = await page.evaluate(() => getComputedStyle(document.body).color);
      expect(picture.colourAt(picture.width / 2, 22)).toBe(text);
      expect(picture.colourAt(1, 300)).not.toBe('rgb(255, 178, 36)');
      await handing.shareDialog.getByRole('button', { name: 'Copy picture' }).click();
      await expect(handing.pictureOutcome).toHaveText('Picture copied.');
      expect(await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types))).toEqual(
        ['image/png'],
      );
    });

    await test.step('a print is one sheet, upright or not, with the map, its notice and the first rows of the table', async () => {
      await handing.canPrint();
      await page.keyboard.press('Escape');
      await expect(handing.shareDialog).toHaveCount(0);
      await operator.choosesTheme('dark');
      const map = await page.getByTestId('map').boundingBox();
      expect(await handing.printsSheets(false)).toBe(1);
      expect(await handing.printsSheets(true)).toBe(1);
      await handing.previewsPrint();
      await expect(handing.printSheet).toContainText('Coverage is not guaranteed');
      await expect(handing.printSheet.getByRole('row')).not.toHaveCount(0);
      await expect(page.getByRole('banner')).toBeHidden();
      const ticks = handing.printSheet.locator('.legend-ticks').first();
      await expect(ticks, 'of the light theme').toHaveCSS('color', 'rgb(71, 88, 102)');
      // On paper the plate is black in any theme.
      expect(await handing.printedColourAt(Math.round(map?.width ?? 0), 22)).toBe('rgb(0, 0, 0)');
      await handing.leavesPreview();
      await expect(handing.printSheet).toHaveCount(0);
      await expect(page.getByRole('banner')).toBeVisible();
    });
  });
});

test.describe('A first visit', () => {
  test.use({ firstVisit: true });

  test('has four hints at most, which cover nothing, go one by one or all at once, and come back from the help', async ({
    operator,
    page,
  }) => {
    const hints = page.getByRole('complementary', { name: 'Hints for a first visit' });
    await operator.watches('/?view=46.9,8.2,8');
    await expect(hints).toContainText('Hint 1 of 4');
    const [strip, map] = [await hints.boundingBox(), await page.getByTestId('map').boundingBox()];
    expect((strip?.y ?? 0) + (strip?.height ?? 0)).toBeLessThanOrEqual(map?.y ?? 0);

    await test.step('one by one, by keyboard, also after a reload', async () => {
      await hints.getByRole('button', { name: 'Next hint' }).focus();
      await page.keyboard.press('Enter');
      await expect(hints).toContainText('Hint 2 of 4');
      await operator.watches('/?view=46.9,8.2,8');
      await expect(hints).toContainText('Hint 2 of 4');
    });

    await test.step('all at once, and not again until the operator opens them from the help', async () => {
      await hints.getByRole('button', { name: 'Dismiss all hints' }).click();
      await expect(hints).toHaveCount(0);
      await page.keyboard.press('?');
      await operator.help.getByRole('button', { name: 'Show the first hints again' }).click();
      await expect(hints).toContainText('Hint 1 of 4');
    });
  });
});
