import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { startMovingAircraft } from '#service/receivers/moving-aircraft.fixture.ts';
import { statusSocketPath } from '#service/receivers/status-socket.ts';
import { freePort } from '#testing/free-port.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { addOperator } from './running/operators.ts';
import { startApp } from './running/running-app.ts';
import { startServiceProcess } from './running/service-process.ts';

async function faults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
}

test('An admin sees the status of each receiver: one receives, one is down and why; and after the service ended, that the status is unknown', async ({
  startDesk,
  page,
}) => {
  test.slow();
  const dataDir = mkdtempSync(join(tmpdir(), 'lookout-receivers-'));
  const receiver = await startMovingAircraft({ count: 5 });
  const downAt = `sbs://127.0.0.1:${await freePort()}`;
  const service = await startServiceProcess([
    '--receivers',
    `${receiver.url},${downAt}`,
    '--data',
    dataDir,
    '--one-key',
  ]);
  const settings = {
    POSITIONS_API_URL: service.baseUrl,
    POSITIONS_API_KEY: service.apiKey,
    RECEIVERS_SOCKET: statusSocketPath(dataDir),
  };
  try {
    const { lookout, operator } = await startDesk({ settings });
    const station = (name: string) => page.getByRole('listitem', { name, exact: true });
    const fact = (name: string, what: string) =>
      station(name)
        .locator('div')
        .filter({ has: page.locator('dt', { hasText: what }) })
        .locator('dd')
        .last();
    const roof = '127.0.0.1';
    const down = '127.0.0.1-2';

    await test.step('without sign-in it is found in the View tab', async () => {
      await operator.goesTo('/?view=47,8,7');
      await page.getByRole('tab', { name: 'View' }).click();
      await page.getByRole('button', { name: 'Receivers' }).click();
      await expect(page).toHaveURL(`${lookout.url}/admin/receivers`);
      await expect(page.getByRole('link')).toHaveText(['Outputs', 'Overview', 'Back to the map']);
    });

    await test.step('one receives, and the other is down: each in words', async () => {
      await expect(station(roof)).toContainText('receiving');
      await expect(fact(roof, 'Positions in the last minute')).toHaveText(/^[1-9]\d*$/);
      await expect(fact(roof, 'Last heard')).toHaveText(/^\d+ s ago$/);
      await expect(station(down)).toContainText('nothing listens there');
      await expect(fact(down, 'Positions in the last minute')).toHaveText('none yet');
      await expect(fact(down, 'Last heard')).toHaveText('not yet heard');
      await expect(fact(down, 'Clock error')).toHaveText('not known');
      expect(await (await page.request.get(`${lookout.url}/api/admin/receivers`)).text()).not.toMatch(
        /"(lat|lon|view)"/,
      );
    });

    await test.step('each has its hours, as a picture, a table and a file', async () => {
      // Hours are read once a minute.
      await page.reload();
      const hours = (name: string) => page.getByRole('listitem', { name: `Hours of ${name}`, exact: true });
      await expect(hours(roof).getByRole('img', { name: /[12] hours? with positions, 0 hours/ })).toBeVisible();
      await expect(hours(down).getByRole('img', { name: /: 0 hours with positions, 0 hours connected/ })).toBeVisible();
      await page.getByRole('radio', { name: '30 days' }).click();
      await page.getByRole('button', { name: 'Tables' }).click();
      // A head and 31 days; in the last hour of a day, 720 hours are 30.
      await expect.poll(() => hours(roof).getByRole('row').count()).toBeGreaterThan(30);
      await expect(hours(roof).getByRole('row').nth(5)).toContainText('not recorded');
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      expect((await saving).suggestedFilename()).toMatch(/^lookout-receivers-720h-\d{8}T\d{4}\.csv$/);
    });

    await test.step('on a phone and a desktop, dark and light, nothing is cut and axe finds no fault', async () => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const [width, height] of [
          [390, 844],
          [1280, 800],
        ] as const) {
          await page.setViewportSize({ width, height });
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
          expect(await faults(page)).toEqual([]);
        }
      }
    });

    await test.step('with sign-in it is in the menu of an admin, and closed to others', async () => {
      const at = { DATA_DIR: join(lookout.folder, 'signed-in') };
      const { name, password } = await addOperator(at, 'ada', 'admin');
      const vic = await addOperator(at, 'vic', 'viewer');
      const app = await startApp({ ...settings, ...at });
      try {
        const signIn = new SignInDriver(page, app.url);
        await signIn.opens('/');
        await signIn.submits({ name, password });
        await page.getByRole('button', { name: 'Account of ada' }).click();
        await page.getByRole('menuitem', { name: 'Receivers' }).click();
        await expect(station(roof)).toContainText('receiving');
        await page.getByRole('link', { name: 'People' }).click();
        await page.getByRole('link', { name: 'Receivers' }).click();
        await expect(station(down)).toContainText('nothing listens there');
        await page.context().clearCookies();
        await signIn.opens('/admin/receivers');
        await signIn.submits(vic);
        await expect(page.getByRole('status')).toContainText('This page is for admins');
      } finally {
        await page.goto('about:blank');
        await app.stop();
      }
    });

    await test.step('once the service is gone, the page says that, and no longer claims the last status', async () => {
      await page.goto(`${lookout.url}/admin/receivers`);
      await expect(station(roof)).toContainText('receiving');
      await service.stop();
      await expect(page.getByRole('alert').filter({ hasText: 'does not run' })).toContainText(/Noticed at .*Z\.$/);
      await expect(station(roof)).toContainText('was receiving');
      await expect(fact(roof, 'Last heard')).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
      await expect(page.getByText('What follows was so at')).toBeVisible();
    });
  } finally {
    await service.stop();
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
