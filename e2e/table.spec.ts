import { FilterPanel } from './driver/filter-panel.ts';
import { TrackTable } from './driver/track-table.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

/** Around 46.9° N 8.4° E: a degree of longitude is 76 km there. */
const BALLOONS = [
  { id: 'low and slow', lon: 8.2, lat: 46.9, alt_m: 500, gs_mps: 5 },
  { id: 'low and fast', lon: 8.5, lat: 46.9, alt_m: 500, gs_mps: 50 },
  { id: 'high', lon: 8.6, lat: 46.9, alt_m: 2000, gs_mps: 20 },
  { id: 'unknown', lon: 8.1, lat: 46.9 },
];

test('An operator chooses and orders columns, sorts by two, filters by row and groups; all of it outlasts a reload, and fits a phone', async ({
  startDesk,
}, info) => {
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', BALLOONS)) });
  const { page, tracks } = operator;
  const table = new TrackTable(page);
  const filter = new FilterPanel(page);
  await operator.watches('/?view=46.9,8.4,8');
  await expect(tracks.rows).toHaveCount(4);

  await test.step('columns are chosen; distances say from where they are', async () => {
    await table.opensOptions();
    for (const name of ['Distance in km from the middle of the map', 'Confidence label', 'Track reference'])
      await expect(table.columnBox(name)).toBeVisible();
    await expect(table.columnBox('Track reference')).toBeDisabled();
    await table.columnBox('Distance in km from the middle of the map').check();
    await table.columnBox('Heading in degrees from north').uncheck();
    expect(await table.headers()).toEqual(['Kind', 'Reference', 'Alt m', 'AGL m', 'm/s', 'Age', 'Dist km']);
  });

  await test.step('a column is moved by keyboard, key after key', async () => {
    const earlier = page.getByRole('button', { name: /^Earlier: Distance/ });
    await earlier.focus();
    for (let press = 0; press < 6; press++) {
      await page.keyboard.press('Enter');
      await expect(earlier).toBeFocused();
    }
    expect((await table.headers()).slice(0, 3)).toEqual(['Kind', 'Dist km', 'Reference']);
    await page.keyboard.press('Escape');
    await expect(table.columnBox('Confidence label')).toHaveCount(0);
    await expect(page.getByText('Distance and bearing from the middle of the map')).toBeVisible();
  });

  await test.step('a click sorts, largest first, Shift and Enter sorts by a second column; unknown values stay last', async () => {
    await tracks.sortsBy(/^Altitude/);
    expect(await table.column('Alt m')).toEqual(['2000', '500', '500', '—']);
    await table.header(/^Ground speed/).focus();
    await page.keyboard.press('Shift+Enter');
    expect(await table.column('m/s')).toEqual(['20', '50', '5', '—']);
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => table.column('m/s')).toEqual(['20', '5', '50', '—']);
    await expect(table.header(/^Ground speed/)).toHaveAccessibleName(/second, ascending/);
    await expect(page.locator('[aria-sort="descending"]')).toHaveAccessibleName(/^Altitude/);
    await expect(table.sortPlaces).toHaveText(['1', '2']);
  });

  await test.step('no header touches the next in feet and miles an hour, sorted or not', async () => {
    await page.keyboard.press('u');
    await page.keyboard.press('u');
    expect(await table.headers()).toContain('mph');
    await expect.poll(() => table.touchingHeaders()).toEqual([]);
    await page.keyboard.press('u');
  });

  await test.step('a filter below a header is the page’s own, on the map and in the link', async () => {
    await operator.button('Filter row').click();
    await table.filters(/^Altitude in m/, '..1000');
    await expect.poll(() => filter.count()).toEqual({ shown: 3, received: 4 });
    expect(new URL(page.url()).searchParams.get('alt')).toBe('..1000');
    await expect(filter.line).toContainText('1 with unknown altitude is shown');
    await expect(tracks.rows).toHaveCount(3);
  });

  await test.step('where the page has no filter the table alone is narrowed, and says so; what is no range changes nothing', async () => {
    await table.filters(/^Distance in km/, '..20');
    await expect(table.only).toContainText('Table only: 2 of 3 rows · distance ..20');
    await expect.poll(() => operator.marksDrawn()).toBe(3);
    await table.filters(/^Ground speed/, 'fast');
    await expect(page.getByRole('alert').filter({ hasText: 'Ground speed' })).toContainText('two dots');
    await page.keyboard.press('Escape');
    await expect(tracks.rows).toHaveCount(2);
  });

  await test.step('groups have headings that keys meet; rows are as dense as one likes', async () => {
    await table.opensOptions();
    await page.getByRole('switch', { name: 'Group by kind' }).click();
    await page.getByRole('radio', { name: 'Compact' }).click();
    await page.keyboard.press('Escape');
    await expect(table.headings).toHaveText(['Aircraft: 2 simulated']);
    expect((await tracks.rows.first().boundingBox())?.height).toBe(24);
    await tracks.table.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => table.active()).toBe('heading');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => table.active()).toBe('track');
  });

  await test.step('a reload brings columns, order, filters, groups and the narrowed table back', async () => {
    await tracks.search.fill('-');
    await operator.button('In view').click();
    await page.reload();
    await operator.seesPositions();
    await expect(table.only).toContainText('Table only: 2 of 3 rows · “-” · in view · distance ..20');
    expect((await table.headers()).slice(0, 3)).toEqual(['Kind', 'Dist km', 'Reference']);
    await expect(table.sortPlaces).toHaveText(['1', '2']);
    await expect(table.headings).toHaveText(['Aircraft: 2 simulated']);
    await expect(tracks.search).toHaveValue('-');
    await expect(operator.button('In view')).toHaveAttribute('aria-pressed', 'true');
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await expect(tracks.rows).toHaveCount(3);
  });

  await test.step('on a phone head and rows scroll sideways together, and the page does not', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await operator.button('Expand: Tracks, filter, zones, view and allowance').click();
    await expect(tracks.rows).toHaveCount(3);
    const before = await table.offsets('Age');
    await table.scrollsSideways(120);
    const after = await table.offsets('Age');
    expect(after.cell - before.cell).toBeCloseTo(-120, 0);
    expect(after.header - before.header).toBeCloseTo(-120, 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
