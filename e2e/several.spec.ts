import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

/** Three in a row from west to east, and one south of them. */
const balloons = [
  { id: 'slow', lon: 8.2, lat: 46.9, alt_m: 1000, gs_mps: 5 },
  { id: 'fast', lon: 8.4, lat: 46.9, alt_m: 1000, gs_mps: 280 },
  { id: 'unknown', lon: 8.6, lat: 46.9, alt_m: 1000 },
  { id: 'south', lon: 8.4, lat: 46.7, alt_m: 1000, gs_mps: 90 },
];

test('Colours stand for what is chosen; several tracks are selected, each with its card and path; a link brings both back', async ({
  startDesk,
}, info) => {
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', balloons)) });
  const { page, tracks } = operator;
  const { selectedList } = tracks;
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
  const linked = () => parameter('sel')?.split(',') ?? [];
  await operator.watches('/?view=46.85,8.4,9&colour=speed');
  await expect.poll(() => operator.marksDrawn()).toBe(4);

  await test.step('Colours: from a link, with the scales of what they stand for', async () => {
    await expect(operator.legend).toContainText('Aircraft speed, m/s');
    await expect(operator.legend).toContainText('Drone speed, m/s');
    await expect(tracks.rows).toHaveCount(4);
    const colours = await tracks.markColours();
    expect(new Set(colours).size, 'three speeds and one unknown').toBe(4);
  });

  await test.step('Colours: chosen in the View tab, and in the link', async () => {
    const answered = Promise.withResolvers<void>();
    await page.route('**/api/views', async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.getByRole('tab', { name: 'View' }).click();
    const choice = page.getByRole('radiogroup', { name: 'Colour by' });
    await expect(page.getByText('Reading the saved views…')).toBeVisible();
    const before = await choice.boundingBox();
    answered.resolve();
    await expect(page.getByText('None yet.')).toBeVisible();
    expect(await choice.boundingBox(), 'nothing moves under the pointer').toEqual(before);
    await choice.getByRole('radio', { name: 'Altitude' }).click();
    await expect(operator.legend).toContainText('Aircraft altitude, m');
    await expect.poll(() => parameter('colour')).toBeNull();
    await choice.getByRole('radio', { name: 'Kind' }).click();
    await expect(operator.legend.getByRole('list')).toHaveText('AircraftDrone');
    await expect.poll(() => parameter('colour')).toBe('kind');
    await page.getByRole('tab', { name: 'Tracks' }).click();
  });

  await test.step('A click with Shift on a mark or row adds it, and once more removes it', async () => {
    await operator.clicksMapAt({ lat: 46.9, lon: 8.2 });
    await expect.poll(linked).toHaveLength(1);
    const slow = await tracks.selectedReference();
    await operator.clicksMapAt({ lat: 46.7, lon: 8.4 }, 'Shift');
    await expect(selectedList.getByRole('heading')).toHaveText('2 selected');
    await expect.poll(linked).toHaveLength(2);
    expect(await tracks.selectedReference(), 'the card stays').toBe(slow);
    await expect.poll(async () => (await tracks.selectedRows()).toSorted()).toEqual(linked().toSorted());
    await operator.clicksMapAt({ lat: 46.9, lon: 8.4 }, 'Control');
    await expect(selectedList.getByRole('heading')).toHaveText('3 selected');
    await operator.clicksMapAt({ lat: 46.9, lon: 8.4 }, 'Shift');
    await expect(selectedList.getByRole('heading')).toHaveText('2 selected');
    await operator.clicksMapAt({ lat: 46.6, lon: 8.6 }, 'Shift');
    await expect(selectedList.getByRole('heading'), 'nothing was there').toHaveText('2 selected');
  });

  await test.step('Isolating makes the other rows of the table faint, as their marks on the map', async () => {
    await page.keyboard.press('i');
    await expect(page.locator('tr[data-ref][data-faint="true"]')).toHaveCount(2);
    await expect(tracks.selectedRow.and(page.locator('[data-faint="false"]'))).toHaveCount(2);
    await page.keyboard.press('i');
    await expect(page.locator('tr[data-ref][data-faint="true"]')).toHaveCount(0);
  });

  await test.step('The list opens the card of each, which then comes first in the link', async () => {
    const [slow, south] = linked();
    await selectedList.getByRole('button', { expanded: false }).click();
    await expect.poll(() => tracks.selectedReference()).toBe(south);
    await expect.poll(linked).toEqual([south, slow]);
  });

  await test.step('A box that is drawn with Shift adds the marks in it, and draws no filter', async () => {
    await operator.drawsBox({ lat: 47, lon: 8.1 }, { lat: 46.8, lon: 8.7 });
    await expect(selectedList.getByRole('heading')).toHaveText('4 selected');
    expect(parameter('inside')).toBeNull();
    expect(operator.viewInAddress()?.zoom).toBe(9);
    const cutPx = () => selectedList.locator('ul').evaluate((list) => list.scrollHeight - list.clientHeight);
    await expect.poll(cutPx, 'all four are whole').toBe(0);
    await expect.poll(async () => (await operator.trailLines()).solid, 'a path of each').toBeGreaterThanOrEqual(4);
  });

  await test.step('By keyboard, rows of the grid are removed and added', async () => {
    await expect(tracks.table).toHaveAttribute('aria-multiselectable', 'true');
    // The primary track, so that another becomes it: the row stays the active one.
    await selectedList.getByRole('button').and(page.locator('[aria-expanded]')).last().click();
    await tracks.table.focus();
    await page.keyboard.press('Shift+Enter');
    await expect(selectedList.getByRole('heading')).toHaveText('3 selected');
    await expect(tracks.selectedRow).toHaveCount(3);
    await page.keyboard.press('Shift+Space');
    await expect(tracks.selectedRow).toHaveCount(4);
    await selectedList
      .getByRole('button', { name: /^Remove / })
      .last()
      .click();
    await expect(tracks.selectedRow).toHaveCount(3);
  });

  await test.step('A link brings back colours and selection, and says what is not received', async () => {
    const before = linked();
    const link = page.url().replace(/sel=[^&]*/, (selected) => `${selected},LKT-A-00000000000000FF`);
    await page.goto(link, { waitUntil: 'domcontentloaded' });
    await operator.seesPositions();
    await expect(operator.legend.getByRole('list')).toHaveText('AircraftDrone');
    await expect(tracks.rows).toHaveCount(4);
    expect(new Set(await tracks.markColours()).size, 'all of one kind').toBe(1);
    await expect(selectedList.getByRole('heading')).toHaveText('4 selected');
    await expect(selectedList).toContainText('Not received since it was selected');
    expect(await tracks.selectedReference()).toBe(before[0]);
    await expect.poll(async () => (await tracks.selectedRows()).toSorted()).toEqual(before.toSorted());
    await expect(operator.notice('ignored')).toHaveCount(0);
  });

  await test.step('Esc clears all', async () => {
    await page.keyboard.press('Escape');
    await expect(selectedList).toHaveCount(0);
    await expect(tracks.selectedRow).toHaveCount(0);
    await expect.poll(linked).toEqual([]);
  });
});
