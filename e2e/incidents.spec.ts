import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const BALLOON = { lon: 8.2, lat: 46.9 };
const RADIUS_M = 4000;
const NORTH = { ...BALLOON, lat: BALLOON.lat + RADIUS_M / 111_195 };
/** The name of a zone lies this far above its place. */
const NAME_PX = 14;

test('An alarm becomes an incident with two notes and a sighting, which is closed and sealed, and answers what was received', async ({
  startDesk,
  page,
}, info) => {
  const { operator } = await startDesk({
    service: playing(makeRecording(info.outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
  });
  const zones = new ZonesPanel(operator);
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog');
  await operator.watches(`/?view=${BALLOON.lat},${BALLOON.lon},10`);
  await page.evaluate(
    async ({ centre, radius_m }) => {
      const zone = {
        name: 'Runway 14',
        shape: { type: 'Circle', centre, radius_m },
        vertical: null,
        hours: null,
        rules: [{ kind: 'entered', layers: ['adsb'], simulated: true }],
      };
      const headers = { 'content-type': 'application/json' };
      await fetch('/api/zones', { method: 'POST', headers, body: JSON.stringify(zone) });
    },
    { centre: [BALLOON.lon, BALLOON.lat], radius_m: RADIUS_M },
  );
  await page.reload();
  await expect(zones.chip).toHaveAttribute('data-new', '1');

  await test.step('the name of the zone on the map leads to its alarm, and the alarm to an incident', async () => {
    await expect(async () => {
      const { x, y } = await operator.pointOf(NORTH);
      await page.mouse.click(x, y - NAME_PX);
      await expect(zones.alarms.first().getByRole('button', { expanded: true })).toBeFocused({ timeout: 1000 });
    }).toPass();
    await button('New incident').last().click();
    await expect(dialog.getByLabel('Title')).toHaveValue(/^SIM Aircraft .* in Runway 14$/);
    await expect(dialog.getByLabel('Area')).toHaveValue('0');
    await button('Open incident').click();
    await expect(dialog).toContainText('is open');
    await button('Stay on the map').click();
    await expect(page.getByTestId('chip-incidents')).toBeVisible();
  });

  await test.step('a key writes two notes, the second with the place that is marked', async () => {
    await page.keyboard.press('n');
    await dialog.getByLabel('Note').fill('Runway 14 closed');
    await dialog.getByLabel('Kind').selectOption('Decision');
    await button('Write note').click();
    await expect(dialog).toHaveCount(0);
    const { x, y } = await operator.pointOf({ lat: 46.88, lon: 8.25 });
    await page.mouse.click(x, y, { button: 'right' });
    await page.keyboard.press('n');
    await expect(dialog.getByLabel('Place')).toHaveValue(/^46\.\d+, 8\.\d+$/);
    await dialog.getByLabel('Note').fill('Tower sees a white balloon.');
    await page.keyboard.press('Control+Enter');
    await expect(dialog).toHaveCount(0);
  });

  await test.step('the sighting of a person is checked against what was received', async () => {
    await page.getByTestId('chip-incidents').click();
    await button('Add sighting').click();
    await page.getByLabel('Place of the person').fill('46.85, 8.2');
    await page.getByLabel('Bearing', { exact: true }).fill('0');
    await button('Add and check').click();
    const notes = page.getByRole('list', { name: 'Notes, latest first' }).getByRole('listitem');
    await expect(notes.filter({ hasText: 'Runway 14 closed' })).toHaveCount(1);
    await expect(notes.filter({ hasText: /^Fits: / }).first()).toBeVisible();
  });

  await test.step('the keyboard corrects it; a text that is too long stays, and is refused', async () => {
    const stored = page.locator('li:focus');
    await expect(stored).toContainText(/^Sighting.*Stored.*Fits: /);
    await button(/^Correct the sighting of /).press('Enter');
    const note = page.getByLabel('Note', { exact: true });
    await expect(note).toBeFocused();
    await page.keyboard.insertText('a'.repeat(5000));
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText(/^5.000 characters: at most 4.000\.$/)).toBeVisible();
    await expect(note).toHaveValue('a'.repeat(5000));
    await note.fill('It was a balloon.');
    await page.keyboard.press('Control+Enter');
    await expect(stored).toContainText(/^Observation.*Stored.*It was a balloon\.Corrects the /);
  });

  await test.step('paper has it, too', async () => {
    await page.emulateMedia({ media: 'print' });
    const sheet = page.getByTestId('incident-sheet');
    await expect(sheet).toContainText('It was a balloon.');
    await expect(sheet).toBeVisible();
    await expect(page.getByRole('main')).toBeHidden();
    await page.emulateMedia({ media: null });
  });

  await test.step('it is closed and sealed, and answers', async () => {
    await button('Close').click();
    await button(/^Close 2/).click();
    await expect(page.getByLabel('Facts')).toContainText('Closed by');
    await button('Seal').click();
    await button(/^Seal 2/).click();
    await expect(page.getByTestId('sha256')).toHaveText(/^[0-9a-f]{64}$/);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /\.zip/ }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^incident-\d{4}-001\.zip$/);
    await expect(page.getByTestId('verdicts').getByRole('region', { name: 'Aircraft' })).toContainText(/[Rr]eceived/);
  });
});
