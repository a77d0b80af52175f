import { FilterPanel } from './driver/filter-panel.ts';
import type { LookoutDriver } from './driver/lookout-driver.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { PILE, SPEEDS } from './running/recorded-world.ts';

test.use({ world: 'recorded' });

test('Marks are explained, coloured, selected by clicks and boxes, and filtered by a drawn area and in a replay; a link brings colours and selection back', async ({
  operator,
}) => {
  const { page, tracks } = operator;
  const { selectedList } = tracks;
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
  const linked = () => parameter('sel')?.split(',') ?? [];

  await test.step('Repeated clicks on a pile select one after the other, as dots and as silhouettes', async () => {
    await operator.watches('/?view=46.9,20.2,5');
    for (const zoom of [5, 9]) {
      await zoomsTo(operator, zoom);
      await expect.poll(() => operator.marksDrawn()).toBeGreaterThanOrEqual(3);
      const picked = new Set<string>();
      for (let click = 0; click < 3; click++) {
        const before = await tracks.selectedRow.getAttribute('data-ref', { timeout: 1 }).catch(() => null);
        await operator.clicksMapAt(PILE);
        await expect(tracks.card).toBeVisible();
        await expect.poll(() => tracks.selectedReference()).not.toBe(before);
        picked.add(await tracks.selectedReference());
      }
      await page.keyboard.press('Escape');
      expect(picked.size, `marks selected by three clicks at zoom ${zoom}`).toBe(3);
    }
  });

  await operator.watches('/?view=46.85,8.4,9&colour=speed');
  await expect.poll(() => operator.marksDrawn()).toBe(4);

  await test.step('Pointing at a mark says what it is, and how far its position is to be trusted', async () => {
    const tip = page.getByTestId('hover-tip');
    await operator.pointsAt(SPEEDS.slow);
    await expect(tip).toContainText('Aircraft');
    await expect(tip).toContainText('1000 m');
    await expect(tip).toContainText('Confidence not reported');
    await operator.pointsAt({ lon: 8.3, lat: 46.8 });
    await expect(tip).toHaveCount(0);
  });

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

  await test.step('A click with Shift on a mark adds it, and once more removes it', async () => {
    await operator.clicksMapAt(SPEEDS.slow);
    await expect.poll(linked).toHaveLength(1);
    const slow = await tracks.selectedReference();
    await operator.clicksMapAt(SPEEDS.south, 'Shift');
    await expect(selectedList.getByRole('heading')).toHaveText('2 selected');
    await expect.poll(linked).toHaveLength(2);
    expect(await tracks.selectedReference(), 'the card stays').toBe(slow);
    await expect.poll(async () => (await tracks.selectedRows()).toSorted()).toEqual(linked().toSorted());
    await operator.clicksMapAt(SPEEDS.fast, 'Control');
    await expect(selectedList.getByRole('heading')).toHaveText('3 selected');
    await operator.clicksMapAt(SPEEDS.fast, 'Shift');
    await expect(selectedList.getByRole('heading')).toHaveText('2 selected');
    await operator.clicksMapAt({ lat: 46.6, lon: 8.6 }, 'Shift');
    await expect(selectedList.getByRole('heading'), 'nothing was there').toHaveText('2 selected');
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

  await test.step('A link brings back the colours and the selection', async () => {
    const before = linked();
    await page.reload({ waitUntil: 'domcontentloaded' });
    await operator.seesPositions();
    await expect(operator.legend.getByRole('list')).toHaveText('AircraftDrone');
    await expect(tracks.rows).toHaveCount(4);
    expect(new Set(await tracks.markColours()).size, 'all of one kind').toBe(1);
    await expect(selectedList.getByRole('heading')).toHaveText('4 selected');
    expect(await tracks.selectedReference()).toBe(before[0]);
  });

  const panel = new FilterPanel(page);
  const shows = async (shown: number) => {
    await expect.poll(() => panel.count(), 'shown of received').toEqual({ shown, received: 4 });
    await expect.poll(() => operator.marksDrawn(), 'marks').toBe(shown);
  };
  await operator.watches('/?view=46.9,8.4,8');
  await panel.opens();
  await shows(4);

  await test.step('an area that is drawn on the map', async () => {
    await panel.drawsCircle({ x: 100, y: 280 }, { x: 410, y: 280 });
    await expect(panel.line).toContainText('In a circle of radius');
    await expect.poll(async () => (await panel.count()).shown).toBeLessThan(4);
    expect(parameter('inside')).toMatch(/^circle,[\d.,-]+m$/);
    await panel.clears();
    await shows(4);
    expect(parameter('inside')).toBeNull();
  });

  await test.step('all that is shown is fitted into the map', async () => {
    await operator.button('Fit all positions').click();
    await expect.poll(() => operator.viewInAddress()?.zoom).toBeGreaterThan(9);
    expect(operator.viewInAddress()?.lon).toBeCloseTo(8.4, 2);
    expect(operator.viewInAddress()?.lat).toBeCloseTo(46.8, 2);
  });

  await test.step('a filter applies in a replay, independent of the replay’s speed', async () => {
    await operator.goesTo(`${replayPath(pastWindow(3))}&speed=10&speed=100..&kind=aircraft`);
    await new ReplayDock(page).loadsFully();
    await page.keyboard.press('End');
    await operator.seesPositions();
    await expect
      .poll(async () => {
        const { shown, received } = await panel.count();
        return shown > 0 && shown < received && shown === (await operator.marksDrawn());
      })
      .toBe(true);
    await expect(operator.notice('ignored')).toHaveCount(0);
    expect(new URL(page.url()).searchParams.getAll('speed')).toEqual(['10', '100_mps']);
  });
});

async function zoomsTo(operator: LookoutDriver, zoom: number): Promise<void> {
  while (operator.viewInAddress()?.zoom !== zoom) {
    const before = operator.viewInAddress()?.zoom;
    await operator.page.keyboard.press('+');
    await expect.poll(() => operator.viewInAddress()?.zoom).not.toBe(before);
  }
}
