import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { pictureArchive, protomapsArchive, REGION_LAKE } from '#testing/region-archive.ts';
import { expect, test } from './lookout-test.ts';

test.use({ basemap: 'built-in', deviceScaleFactor: 0.5 });

/** South of where the files end at this zoom. */
const LAKE_OUTSIDE = { lon: 8.549, lat: 47.345 };

/** Brightness of the dark theme's water and land, and of neither. */
const WATER = 52;
const LAND = 36;

const HOSTILE =
  '© <a href="https://survey.example/terms" onclick="alert(1)">Survey</a><img src="https://spy.example/x.png" onerror="alert(1)"><script>alert(1)</script> <a href="javascript:alert(1)">2026</a>';

function choice(page: Page, label: string, name: string): Locator {
  return page.getByRole('radiogroup', { name: label, exact: true }).getByRole('radio', { name, exact: true });
}

const INSIDE = { lon: 8.66, lat: 47.44 };

const OVERLAY = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: 'Zone 4', fill: '#ffffff', 'fill-opacity': 0.9, description: '<img src=x onerror=alert(1)>' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [8.65, 47.43],
            [8.67, 47.43],
            [8.67, 47.45],
            [8.65, 47.45],
            [8.65, 47.43],
          ],
        ],
      },
    },
  ],
});

test('An admin learns how to install a map; it is drawn without a restart, chosen, dimmed and read again as its file changes; overlays are drawn, hidden, kept and removed', async ({
  startDesk,
  page,
}, { outputDir }) => {
  const { lookout, operator } = await startDesk();
  const maps = join(lookout.dataDir, 'maps');
  const write = (name: string, archive: Uint8Array) => {
    for (const folder of [outputDir, maps]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(outputDir, 'new'), archive);
    renameSync(join(outputDir, 'new'), join(maps, name));
  };
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (request.url().startsWith('http') && !request.url().startsWith(lookout.url)) foreign.push(request.url());
  });
  const hint = page.getByTestId('no-street-map');
  const map = page.getByTestId('map');
  const attribution = page.locator('.maplibregl-ctrl-attrib-inner');
  const sees = (place: { lon: number; lat: number }, brightness: number) =>
    expect.poll(() => operator.luminanceAt(place), `brightness at ${place.lat}`).toBeCloseTo(brightness, -1);

  await operator.goesTo('/?view=47.44,8.64,11&layers=rid');
  await test.step('where the built-in map is thin, the command for this place is shown', async () => {
    await expect(map).toHaveAttribute('data-ready', 'true');
    await expect(hint).toHaveCount(0);
    await operator.button('Zoom in').click();
    await hint.getByRole('button', { name: 'Install a street map' }).click();
    await page.getByText('By command').click();
    await expect(page.getByRole('dialog', { name: 'Install a street map' })).toContainText(
      'npm run map -- fetch https://build.protomaps.com/YYYYMMDD.pmtiles --around 47.44,8.64,60km',
    );
    await page.keyboard.press('Escape');
    await hint.getByRole('button', { name: 'Dismiss' }).click();
    await expect(hint).toHaveCount(0);
  });

  await page.getByRole('tab', { name: 'View' }).click();
  const picker = page.getByLabel('File of an overlay');
  const done = page.getByTestId('overlays-done');
  const row = page.getByRole('switch', { name: 'zones' });
  let land = 0;
  await test.step('an overlay is drawn, and hidden', async () => {
    land = await operator.luminanceAt(INSIDE);
    await picker.setInputFiles({
      name: 'zones.geojson',
      mimeType: 'application/geo+json',
      buffer: Buffer.from(OVERLAY),
    });
    await expect(done).toHaveText('Added “zones”: 1 shape.');
    await expect.poll(() => operator.luminanceAt(INSIDE)).toBeGreaterThan(land + 100);
    await row.click();
    await expect.poll(() => operator.luminanceAt(INSIDE)).toBeCloseTo(land, -1);
    await row.click();
  });

  await test.step('an invalid overlay is refused with the reason, and the others stay', async () => {
    const problem = page.getByRole('alert').filter({ hasText: 'document type' });
    const hostile = '<!DOCTYPE kml [<!ENTITY x SYSTEM "file:///etc/passwd">]><kml>&x;</kml>';
    await picker.setInputFiles({ name: 'hostile.kml', mimeType: 'text/xml', buffer: Buffer.from(hostile) });
    await expect(problem).toBeVisible();
    const kml =
      '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><NetworkLink/><Placemark><name>Gate</name><Point><coordinates>8.6,47.5</coordinates></Point></Placemark></Document></kml>';
    await picker.setInputFiles({ name: 'gate.kml', mimeType: 'text/xml', buffer: Buffer.from(kml) });
    await expect(done).toHaveText('Added “gate”: 1 shape. Not drawn: 1 link to other files.');
    await expect(problem).toHaveCount(0);
  });

  await test.step('maps that are put into DATA_DIR/maps, and the overlays, are there after a reload', async () => {
    write('Airfield.pmtiles', protomapsArchive());
    write('Survey.pmtiles', pictureArchive([230, 180, 60], HOSTILE));
    await operator.goesTo('/?view=47.39,8.64,11&layers=rid');
    await expect(map).toHaveAttribute('data-region', 'shown');
    await expect.poll(() => operator.luminanceAt(INSIDE)).toBeGreaterThan(land + 100);
    await page.getByRole('tab', { name: 'View' }).click();
  });

  await test.step('a removed overlay is gone', async () => {
    await page.getByRole('button', { name: 'Remove zones' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect(done).toHaveText('Removed “zones”.');
    await expect(row).toHaveCount(0);
    await expect.poll(() => operator.luminanceAt(INSIDE)).toBeLessThan(land + 50);
  });

  await test.step('the first map is drawn where it has something, the built-in one elsewhere', async () => {
    await sees(REGION_LAKE, WATER);
    await sees(LAKE_OUTSIDE, WATER);
    await expect(attribution).toContainText('© OpenStreetMap');
  });

  await test.step('without it, the built-in map has land there', async () => {
    await choice(page, 'Map', 'Built-in').click();
    await expect(map).toHaveAttribute('data-region', 'off');
    await sees(REGION_LAKE, LAND);
  });

  let dimmed = 0;
  await test.step('pictures are drawn darker than they are, and darker still if it is chosen', async () => {
    await choice(page, 'Map', 'Survey').click();
    await expect.poll(() => operator.luminanceAt(REGION_LAKE)).toBeGreaterThan(LAND + 30);
    const lessDimmed = await operator.luminanceAt(REGION_LAKE);
    expect(lessDimmed).toBeLessThan(110);
    await sees(LAKE_OUTSIDE, WATER);
    await choice(page, 'Dimming of the map', 'Most').click();
    await expect.poll(() => operator.luminanceAt(REGION_LAKE)).toBeLessThan(lessDimmed - 20);
    dimmed = await operator.luminanceAt(REGION_LAKE);
  });

  await test.step('of a file’s attribution, text and links to the web are shown', async () => {
    await expect(attribution).toContainText('© Survey 2026');
    await expect(attribution.getByText('Survey', { exact: true })).toHaveAttribute(
      'href',
      'https://survey.example/terms',
    );
    expect(await attribution.innerHTML()).not.toMatch(/<img|<script|onclick|javascript:/);
  });

  await test.step('each map has its own dimming, and the choice outlives a reload', async () => {
    await choice(page, 'Map', 'Airfield').click();
    await expect(choice(page, 'Dimming of the map', 'None')).toBeChecked();
    await sees(REGION_LAKE, WATER);
    await choice(page, 'Map', 'Survey').click();
    await sees(REGION_LAKE, dimmed);
    await page.reload({ waitUntil: 'domcontentloaded' });
    await expect(map).toHaveAttribute('data-region', 'shown');
    await sees(REGION_LAKE, dimmed);
  });

  await test.step('a replaced file is opened again', async () => {
    write('Survey.pmtiles', protomapsArchive());
    await operator.button('Zoom out').click();
    await expect(attribution).toContainText('© OpenStreetMap');
    await page.getByRole('tab', { name: 'View' }).click();
    await choice(page, 'Dimming of the map', 'None').click();
    await sees(REGION_LAKE, WATER);
  });

  await test.step('a file that is gone leaves the built-in map, and a word; back, it is drawn again', async () => {
    rmSync(join(maps, 'Survey.pmtiles'));
    await operator.button('Zoom out').click();
    await expect(operator.notice('map')).toHaveText(/Map “Survey”: There is no map of that name/);
    await sees(REGION_LAKE, LAND);
    write('Survey.pmtiles', protomapsArchive());
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(operator.notice('map')).toHaveCount(0);
    await expect(map).toHaveAttribute('data-region', 'shown');
  });
  expect(foreign).toEqual([]);
});
