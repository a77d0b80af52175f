import { HandingOn } from './driver/handing-on.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, iso, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('An operator finds a reference, a place, an airport and coordinates, copies them, and hands on the link of what is seen; two windows share preferences but not their panels', async ({
  operator,
  page,
  context,
}) => {
  const { find } = operator;
  const handing = new HandingOn(page);
  let seen = '';
  await operator.watches();
  const isAt = (lat: number, lon: number) =>
    expect
      .poll(async () => {
        const middle = await find.middle();
        return Math.hypot(middle.lat - lat, middle.lon - lon);
      })
      .toBeLessThan(0.01);

  const ref = (await operator.tracks.rows.first().getAttribute('data-ref')) ?? '';
  expect(ref).not.toBe('');
  await test.step('A reference is selected and centred', async () => {
    await find.goesTo(ref);
    await expect(operator.tracks.card).toBeVisible();
    await expect(operator.tracks.card).toContainText(ref);
  });

  await test.step('Its reference is short in the table, and copied in full', async () => {
    const row = operator.tracks.row(ref);
    await expect(row).toContainText(ref.slice(-5));
    await expect(row).not.toContainText(ref);
    await operator.tracks.card.getByRole('button', { name: 'Copy reference' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(ref);
  });

  await test.step('Near a pole there is no MGRS', async () => {
    await find.goesTo('-85 30');
    await expect(find.marked).toContainText('no MGRS here');
    await page.keyboard.press('Escape');
    await expect(find.marked).toHaveCount(0);
  });

  await test.step('An airport by ICAO, however it is typed, and by IATA; it is marked with its name', async () => {
    await find.goesTo('lszh');
    await isAt(47.458, 8.548);
    await expect(find.marked).toContainText('LSZH / ZRH Zürich Airport');
    await find.types('GVA');
    await expect(find.options.first()).toContainText('LSGG / GVA');
    await page.keyboard.press('Enter');
    await isAt(46.238, 6.109);
  });

  await test.step('A place without its diacritics; arrow keys choose another', async () => {
    await find.types('zurich');
    await expect(find.options.first()).toContainText('Zürich');
    const second = find.options.nth(1);
    await page.keyboard.press('ArrowDown');
    await expect(second).toHaveAttribute('aria-selected', 'true');
    await expect(find.field).toHaveAttribute('aria-activedescendant', (await second.getAttribute('id')) ?? '');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await isAt(47.367, 8.55);
  });

  await test.step('Coordinates are shown in all notations, and copied', async () => {
    await find.goesTo('47°27\'29"N 8°32\'53"E');
    await isAt(47.458, 8.548);
    await find.marked.getByRole('button', { name: /^32T MT/ }).click();
    await expect(find.marked.getByRole('status')).toContainText('Copied 32T MT');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^32T MT 659\d\d 561\d\d$/);
  });

  await test.step('An ambiguous or unsuccessful search says so, and says where it looked', async () => {
    await find.types('47 27 8', 'Control+k');
    await expect(find.state).toContainText('Not clear which numbers belong together');
    await find.field.fill('xyzzyplugh');
    await expect(find.state).toHaveText(
      /^Nothing found\. Searched: the \d+ references? on this page, \d+\s\d+ places, 69\s899 airports and heliports, and coordinates/,
    );
    await page.keyboard.press('Escape');
  });

  await test.step('C tells the coordinates of the middle of the map', async () => {
    await page.keyboard.press('c');
    await expect(find.marked).toContainText('Marked place');
    await page.keyboard.press('Escape');
    await expect(find.marked).toHaveCount(0);
  });

  await page.keyboard.press('Escape');
  await expect(operator.tracks.card).toHaveCount(0);
  await page.keyboard.press('h');
  await expect.poll(() => operator.viewInAddress()?.zoom).toBe(7);
  await expect.poll(() => page.url()).not.toContain('sel=');

  await test.step('the key copies what the address bar says, and says so', async () => {
    seen = page.url();
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
      // The bar of a smaller window has no units.
      for (const each of [page, other.page]) await each.setViewportSize({ width: 1440, height: 640 });
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

test('A view is saved, renamed, opened, set as start and deleted', async ({ operator, page }) => {
  const handing = new HandingOn(page);
  // A click could select a track, whose card would take the place of the views.
  const onMap = () => page.getByTestId('map').locator('canvas').first().focus();
  await operator.watches('/?view=46.9,8.2,9&layers=adsb');
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

  await test.step('renamed, and opened from elsewhere without reloading the page', async () => {
    await handing.chooses('North gate', 'Rename');
    await page.keyboard.type('Gate N');
    await page.keyboard.press('Enter');
    await expect(handing.done).toHaveText('Renamed to “Gate N”.');
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
    await onMap();
    await page.keyboard.press('h');
    await expect.poll(() => operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 9 });
    await operator.watches('/');
    expect(operator.viewInAddress()).toEqual({ lat: 46.9, lon: 8.2, zoom: 9 });
    await expect(operator.state('Drones')).toHaveText('Drones: layer is off, not requested');
  });

  await test.step('deleting asks first; without the view H goes to Lookout’s own start', async () => {
    await handing.opensViews();
    await handing.chooses('Gate N', 'Delete…');
    await expect(page.getByRole('button', { name: 'Keep' })).toBeFocused();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    // The question replaces the view's name, so only the rows tell that it is gone.
    await expect(handing.rows).toHaveCount(1);
    expect(await handing.viewNames()).toEqual(['Apron']);
    await onMap();
    await page.keyboard.press('h');
    await expect.poll(() => operator.viewInAddress()?.zoom).not.toBe(9);
    await handing.chooses('Apron', 'Delete…');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(handing.rows).toHaveCount(0);
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
      await handing.opensViews();
      await page.getByRole('radio', { name: 'Dark', exact: true }).click();
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
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
