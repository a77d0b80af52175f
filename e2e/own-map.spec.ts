import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { pictureArchive, protomapsArchive, REGION_LAKE } from '#testing/region-archive.ts';
import { expect, test } from './lookout-test.ts';

test.use({ basemap: 'built-in', deviceScaleFactor: 0.5 });

/** The lake of the built-in map, south of where the files end at the zoom that is looked at. */
const LAKE_OUTSIDE = { lon: 8.549, lat: 47.345 };

/** Brightness of the dark theme's water and land, and of neither. */
const WATER = 52;
const LAND = 36;

const HOSTILE =
  '© <a href="https://survey.example/terms" onclick="alert(1)">Survey</a><img src="https://spy.example/x.png" onerror="alert(1)"><script>alert(1)</script> <a href="javascript:alert(1)">2026</a>';

function choice(page: Page, label: string, name: string): Locator {
  return page.getByRole('radiogroup', { name: label, exact: true }).getByRole('radio', { name, exact: true });
}

test('A map of one’s own region lies over the built-in one, is chosen and dimmed, and says when its file is gone or another', async ({
  startDesk,
  page,
}, { outputDir }) => {
  mkdirSync(outputDir, { recursive: true });
  const write = (name: string, archive: Uint8Array) => {
    writeFileSync(join(outputDir, 'new'), archive);
    renameSync(join(outputDir, 'new'), join(outputDir, name));
  };
  write('airfield.pmtiles', protomapsArchive());
  write('survey.pmtiles', pictureArchive([230, 180, 60], HOSTILE));
  const foreign: string[] = [];
  const { lookout, operator } = await startDesk({
    settings: { MAP_PMTILES_FILE: `Airfield=${outputDir}/airfield.pmtiles,Survey=${outputDir}/survey.pmtiles` },
  });
  page.on('request', (request) => {
    if (request.url().startsWith('http') && !request.url().startsWith(lookout.url)) foreign.push(request.url());
  });
  const map = page.getByTestId('map');
  const attribution = page.locator('.maplibregl-ctrl-attrib-inner');
  const sees = (place: { lon: number; lat: number }, brightness: number) =>
    expect.poll(() => operator.luminanceAt(place), `brightness at ${place.lat}`).toBeCloseTo(brightness, -1);

  await operator.goesTo('/?view=47.39,8.64,11&layers=rid');
  await expect(map).toHaveAttribute('data-region', 'shown');
  await test.step('the first map is drawn where it has something, the built-in one elsewhere', async () => {
    await sees(REGION_LAKE, WATER);
    await sees(LAKE_OUTSIDE, WATER);
    await expect(attribution).toContainText('© OpenStreetMap');
  });

  await page.getByRole('tab', { name: 'View' }).click();
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
    write('survey.pmtiles', protomapsArchive());
    await operator.button('Zoom out').click();
    await expect(attribution).toContainText('© OpenStreetMap');
    await page.getByRole('tab', { name: 'View' }).click();
    await choice(page, 'Dimming of the map', 'None').click();
    await sees(REGION_LAKE, WATER);
  });

  await test.step('a file that is gone leaves the built-in map, and a word; back, it is drawn again', async () => {
    rmSync(join(outputDir, 'survey.pmtiles'));
    await operator.button('Zoom out').click();
    await expect(operator.notice('map')).toHaveText(/Map “Survey”: .*cannot be read \(ENOENT\)/);
    await sees(REGION_LAKE, LAND);
    write('survey.pmtiles', protomapsArchive());
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(operator.notice('map')).toHaveCount(0);
    await expect(map).toHaveAttribute('data-region', 'shown');
  });
  expect(foreign).toEqual([]);
});
