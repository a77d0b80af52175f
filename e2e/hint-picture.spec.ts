import { expect, test } from './lookout-test.ts';

const zone = {
  name: 'Runway 14/32', shared: true, vertical: null, hours: null,
  shape: { type: 'Circle', centre: [8.5, 47.4], radius_m: 2000 },
  rules: [{ kind: 'entered', layers: ['rid', 'adsb'] }],
};

test('pictures', async ({ sharedLookout, browser, request }) => {
  const { url } = sharedLookout;
  const made = await request.post(`${url}/api/zones`, { data: zone, headers: { origin: url } });
  expect(made.status()).toBe(201);
  for (const theme of ['dark', 'light'] as const)
    for (const [name, viewport] of [['desktop', { width: 1440, height: 900 }], ['phone', { width: 390, height: 844 }]] as const) {
      const context = await browser.newContext({ viewport, colorScheme: theme });
      const page = await context.newPage();
      await page.goto(`${url}/?view=47.4,8.5,9`);
      await page.getByRole('tab', { name: 'Zones' }).click();
      await expect(page.getByTestId('heartbeat-hint')).toBeVisible({ timeout: 30000 });
      await page.waitForTimeout(1500);
      await page.screenshot({ path: `/tmp/ops/hint-${name}-${theme}.png` });
      await context.close();
    }
});
