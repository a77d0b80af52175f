import { FilterPanel } from './driver/filter-panel.ts';
import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const threeBalloons = [
  { id: 'low', lon: 8.2, lat: 46.9, alt_m: 500, gs_mps: 5 },
  { id: 'high', lon: 8.4, lat: 46.9, alt_m: 2000, gs_mps: 50 },
  { id: 'unknown', lon: 8.6, lat: 46.9 },
];

test('A filter narrows map, table, counts and link alike, says what it hides and what it does not know, and is cleared at once', async ({
  startDesk,
}, info) => {
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', threeBalloons)) });
  const panel = new FilterPanel(operator.page);
  const shows = async (shown: number) => {
    await expect.poll(() => panel.count(), 'shown of received').toEqual({ shown, received: 3 });
    await expect.poll(() => operator.marksDrawn(), 'marks').toBe(shown);
  };
  await operator.watches('/?view=46.9,8.4,8&alt=0..1000');
  const parameter = (name: string) => new URL(operator.page.url()).searchParams.get(name);

  await test.step('from a link: an unknown altitude is shown, and counted as unknown', async () => {
    await shows(2);
    await expect(operator.tracks.rows).toHaveCount(2);
    await expect(operator.count('Aircraft')).toHaveText('2 of 3 simulated');
    await expect(panel.line).toContainText('1 with unknown altitude is shown');
  });

  await test.step('unknown values can be hidden, and are still counted', async () => {
    await panel.opens();
    await panel.chooses('Tracks without the filtered value', 'Hide');
    await shows(1);
    await expect(panel.line).toContainText('1 with unknown altitude is hidden');
    expect(parameter('unknown')).toBe('hide');
  });

  await test.step('each criterion has a button that removes it', async () => {
    await panel.removes('Altitude 0–1000 m');
    await shows(3);
    expect(parameter('alt')).toBeNull();
  });

  await test.step('a key that is let go before the page gets to it chooses all the same', async () => {
    await operator.page.getByRole('radiogroup', { name: 'Kind' }).getByRole('radio').first().focus();
    await operator.page.evaluate(() => {
      for (const type of ['keydown', 'keyup']) {
        document.activeElement?.dispatchEvent(new KeyboardEvent(type, { key: 'ArrowRight', bubbles: true }));
      }
    });
    await expect.poll(() => parameter('kind')).toBe('aircraft');
    await panel.chooses('Kind', 'All');
    await expect.poll(() => parameter('kind')).toBeNull();
  });

  await test.step('values are typed in the units on display, and stand in the link in metres per second', async () => {
    await operator.page.keyboard.press('u');
    await panel.types('Ground speed, from, kt', '20');
    await shows(1);
    await expect(panel.line).toContainText('Speed from 20 kt');
    expect(parameter('speed')).toBe('10.289..');
  });

  await test.step('an invalid range has an explanation, and changes nothing', async () => {
    await panel.types('Ground speed, below, kt', '10');
    await expect(panel.problem).toContainText('must be greater');
    await shows(1);
  });

  await test.step('an area that is drawn on the map', async () => {
    await panel.clears();
    await panel.drawsCircle({ x: 100, y: 280 }, { x: 410, y: 280 });
    await expect(panel.line).toContainText('In a circle of radius');
    await expect.poll(async () => (await panel.count()).shown).toBeLessThan(3);
    expect(parameter('inside')).toMatch(/^circle,[\d.,-]+m$/);
    await panel.clears();
    await shows(3);
    expect(parameter('inside')).toBeNull();
  });

  await test.step('all that is shown is fitted into the map', async () => {
    await operator.button('Fit all positions').click();
    await expect.poll(() => operator.viewInAddress()?.zoom).toBeGreaterThan(9);
    expect(operator.viewInAddress()?.lon).toBeCloseTo(8.4, 2);
    expect(operator.viewInAddress()?.lat).toBeCloseTo(46.9, 2);
  });
});

test('A filter applies in a replay, independent of the replay’s speed', async ({ operator }) => {
  const panel = new FilterPanel(operator.page);
  await operator.goesTo(`${replayPath(pastWindow(3))}&speed=10&speed=100..&kind=aircraft`);
  await new ReplayDock(operator.page).loadsFully();
  await operator.page.keyboard.press('End');
  await operator.seesPositions();
  await expect
    .poll(async () => {
      const { shown, received } = await panel.count();
      return shown > 0 && shown < received && shown === (await operator.marksDrawn());
    })
    .toBe(true);
  await expect(operator.notice('ignored')).toHaveCount(0);
  expect(new URL(operator.page.url()).searchParams.getAll('speed')).toEqual(['10', '100..']);
});
