import { distanceM } from '#lib/geo/great-circle.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const BALLOON = { lon: 8.2, lat: 46.9 };
const JET = { lon: 8.9, lat: 47.3 };
/** The length of one pixel of the map on the ground, at the zoom of the test. */
const PIXEL_M = 420;
const CORNERS = [
  { lon: 8.0, lat: 46.8 },
  { lon: 8.4, lat: 46.8 },
  { lon: 8.4, lat: 47.0 },
  { lon: 8.0, lat: 47.0 },
];

test('An operator draws a zone, changes a corner, hears an alarm and acknowledges it; another page sees that', async ({
  startDesk,
  page,
  context,
}, info) => {
  const { lookout, operator } = await startDesk({
    service: playing(
      makeRecording(info.outputPath(), 'adsb', [
        { id: 'balloon', ...BALLOON },
        { id: 'jet', ...JET },
      ]),
    ),
  });
  const zones = new ZonesPanel(operator);
  await operator.watches('/?view=46.9,8.2,8');
  await expect.poll(() => operator.marksDrawn()).toBe(2);
  await expect(zones.chip, 'no zone, no count').toHaveCount(0);

  await test.step('draws the ground on the map, and moves a corner', async () => {
    await zones.startsZone('North gate');
    await zones.draws(CORNERS);
    const drawn = await zones.corners();
    expect(drawn).toHaveLength(4);
    for (const [index, corner] of CORNERS.entries())
      expect(distanceM(drawn[index] ?? { lon: 0, lat: 0 }, corner)).toBeLessThan(2 * PIXEL_M);
    const [from, to] = [await operator.pointOf(CORNERS[2] ?? BALLOON), await operator.pointOf({ lon: 8.5, lat: 47.1 })];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(async () => distanceM((await zones.corners())[2] ?? BALLOON, { lon: 8.5, lat: 47.1 }))
      .toBeLessThan(3 * PIXEL_M);
  });

  await test.step('the server’s error is shown at its field', async () => {
    await zones.form.getByRole('button', { name: /^Hours/ }).click();
    await zones.form.getByRole('radio', { name: 'Weekly' }).click();
    await zones.form.getByLabel('Time zone').fill('Europe/Nowhere');
    await zones.form.getByRole('button', { name: 'Save zone' }).click();
    await expect(zones.form.getByRole('group', { name: 'Hours' }).getByRole('alert')).toContainText('Europe/Nowhere');
    await zones.form.getByRole('radio', { name: 'Always' }).click();
  });

  await test.step('saves it with simulated positions, since all are', async () => {
    await zones.form.getByRole('button', { name: 'Include simulated' }).click();
    await expect(zones.price).toContainText(/price|requests a day/i);
    await zones.saves();
    await expect(zones.list.getByRole('listitem')).toHaveCount(1);
    await expect(zones.list).toContainText('North gate');
    await expect(zones.list).toContainText('simulated too');
  });

  await test.step('an alarm is counted, called and listed with its evidence', async () => {
    await expect(zones.chip).toContainText('1 new alarm');
    await expect(zones.call).toHaveText(/^Simulated\. North gate: first received inside\./);
    await zones.showsAlarms();
    await expect(zones.alarms).toHaveCount(1);
    await expect(zones.alarms.first()).toContainText('First received inside');
    await expect(zones.alarms.first()).toContainText('SIM');
    await zones.alarms.first().getByRole('button', { expanded: false }).click();
    await expect(zones.alarms.first()).toContainText('46.90000, 8.20000');
  });

  const other = await context.newPage();
  await test.step('acknowledges it by keyboard alone; another page sees that', async () => {
    await other.goto(`${lookout.url}/?view=46.9,8.2,8`);
    await expect(other.getByTestId('chip-alarms')).toContainText('1 new alarm');
    await zones.alarms.first().getByRole('button', { name: 'Acknowledge' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('hot-air balloon, on the programme');
    await page.keyboard.press('Enter');
    await expect(zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await expect(zones.alarms.first()).toContainText('hot-air balloon, on the programme');
    await expect(other.getByTestId('chip-alarms')).not.toContainText('new alarm');
  });
  await other.close();
});
