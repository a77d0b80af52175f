import { readFileSync } from 'node:fs';
import { axeFaults } from './driver/axe-faults.ts';
import { movesTo } from './driver/keyboard-walk.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const DRONES = [{ id: 'hovering', lon: 8.5, lat: 47.1, alt_m: 80 }];

test('The overview shows by keyboard, on a phone and in both themes what was received where and when, and as files', async ({
  startDesk,
}, info) => {
  const { operator, lookout } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'rid', DRONES)) });
  await operator.watches('/?view=47.1,8.5,10&layers=rid');
  await operator.page.getByRole('tab', { name: 'View' }).click();
  const link = operator.page.getByRole('link', { name: 'Overview, hour by day' });
  await expect(link).toHaveAttribute('href', /bbox=/);
  const page = await operator.page.context().newPage();
  const open = async () => page.goto(`${lookout.url}${await link.getAttribute('href')}`);
  const showSimulated = page
    .getByRole('region', { name: /^Coverage,/ })
    .getByRole('button', { name: /^Simulated data Show/ });

  await test.step('simulated positions are never shown as real, and are one key away', async () => {
    await expect(async () => {
      await open();
      await expect(showSimulated).toBeVisible({ timeout: 5000 });
    }).toPass({ timeout: 90_000 });
    await movesTo(page, showSimulated);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/counted=simulated/);
    await expect(page.locator('[data-look="received"]')).toHaveCount(1);
  });

  const hours = page.getByRole('region', { name: /arrow keys read an hour/ });
  await test.step('arrow keys read an hour', async () => {
    await movesTo(page, hours);
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByTestId('pointed-hour')).toContainText(
      /simulated positions of 1 references, watched .*so far/,
    );
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByTestId('pointed-hour')).toContainText(/: not watched|: nothing received/);
  });

  await test.step('files have the figures', async () => {
    for (const [name, file] of [
      ['Coverage as CSV', /^lookout-coverage-rid-/],
      ['Hours as CSV', /^lookout-hours-/],
    ] as const) {
      const started = page.waitForEvent('download');
      const csv = page.getByRole('link', { name });
      await movesTo(page, csv, name.startsWith('Hours') ? 'Tab' : 'Shift+Tab');
      await page.keyboard.press('Enter');
      const download = await started;
      expect(download.suggestedFilename()).toMatch(file);
      expect(readFileSync(await download.path(), 'utf8')).toMatch(/^layer,/);
    }
  });

  await test.step('nothing is too wide, and axe finds nothing', async () => {
    await page.getByText('The same as a table').click();
    for (const colorScheme of ['dark', 'light'] as const) {
      for (const [width, height] of [
        [390, 844],
        [1280, 800],
        [1920, 1080],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect.soft(await axeFaults(page), `${width} × ${height}, ${colorScheme}`).toEqual([]);
      }
    }
  });
});
