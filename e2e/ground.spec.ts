import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { protomapsArchive, REGION_LAKE } from '#testing/region-archive.ts';
import { expect, test } from './lookout-test.ts';

test.use({ basemap: 'built-in', deviceScaleFactor: 0.5 });

/** The middle of the overlay's area, where the built-in map has land. */
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

test('An admin learns how to install a street map, and it is drawn without a restart; overlays are drawn, hidden, kept and removed', async ({
  startDesk,
  page,
}) => {
  const { lookout, operator } = await startDesk();
  const hint = page.getByTestId('no-street-map');
  const map = page.getByTestId('map');

  await operator.goesTo('/?view=47.44,8.64,11&layers=rid');
  await test.step('where the built-in map is thin, the command for this place is shown', async () => {
    await expect(map).toHaveAttribute('data-ready', 'true');
    await expect(hint).toHaveCount(0);
    await operator.button('Zoom in').click();
    await hint.getByRole('button', { name: 'No street map installed' }).click();
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

  await test.step('a map that is put into DATA_DIR/maps, and the overlays, are there after a reload', async () => {
    mkdirSync(join(lookout.dataDir, 'maps'));
    writeFileSync(join(lookout.dataDir, 'maps', 'Airfield.pmtiles'), protomapsArchive());
    await page.reload({ waitUntil: 'domcontentloaded' });
    await expect(map).toHaveAttribute('data-region', 'shown');
    await expect.poll(() => operator.luminanceAt(INSIDE)).toBeGreaterThan(land + 100);
    await expect(page.locator('.maplibregl-ctrl-attrib-inner')).toContainText('© OpenStreetMap');
    expect(Math.abs((await operator.luminanceAt(REGION_LAKE)) - land)).toBeGreaterThan(3);
  });

  await test.step('a removed overlay is gone', async () => {
    await page.getByRole('tab', { name: 'View' }).click();
    await page.getByRole('button', { name: 'Remove zones' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect(done).toHaveText('Removed “zones”.');
    await expect(row).toHaveCount(0);
    await expect.poll(() => operator.luminanceAt(INSIDE)).toBeLessThan(land + 50);
  });
});
