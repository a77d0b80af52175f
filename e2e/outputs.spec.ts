import { Webhook } from 'standardwebhooks';
import { Receiver } from '#lib/server/delivery/receiver.fixture.ts';
import { axeFaults } from './driver/axe-faults.ts';
import { movesTo } from './driver/keyboard-walk.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const BALLOON = { lon: 8.2, lat: 46.9 };

test('By keyboard alone an admin adds a webhook and tries it; an alarm of a rule that names it shows that it arrived', async ({
  startDesk,
  page,
}, info) => {
  const receiver = await Receiver.open();
  const { operator } = await startDesk({
    service: playing(makeRecording(info.outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
    settings: { OUTPUT_PRIVATE_ADDRESSES: 'loopback' },
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  try {
    await test.step('adds it, and sees its secret once', async () => {
      await operator.goesTo('/admin/outputs');
      await expect(page.getByText(/^No destination/)).toBeVisible();
      await movesTo(page, button('Add a destination'));
      await page.keyboard.press('Enter');
      await movesTo(page, page.getByRole('menuitem', { name: 'Webhook' }), 'ArrowDown');
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('Name').first()).toBeFocused();
      await page.keyboard.type('Control room');
      await page.keyboard.press('Tab');
      await page.keyboard.type('not an address');
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('Address')).toHaveAccessibleDescription(/must be an address/);
      await expect(page.getByLabel('Address')).toBeFocused();
      await page.getByLabel('Address').fill(receiver.url);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('heading', { name: 'Control room' })).toBeVisible();
      await expect(button('Add a destination')).toBeFocused();
    });

    const secret = await page.getByTestId('destination-secret').innerText();

    await test.step('a trial arrives, and its signature is that of the secret', async () => {
      await movesTo(page, button('Send a trial to Control room'));
      await page.keyboard.press('Enter');
      await expect(page.getByTestId('trial-result')).toHaveText(/^Trial: arrived /);
      await expect(page.getByText(/^Arrives: last .* ago$/)).toBeVisible();
      const [trial] = receiver.received;
      const headers = trial?.headers as Record<string, string>;
      expect(new Webhook(secret).verify(trial?.body ?? '', headers)).toMatchObject({
        type: expect.stringContaining('trial'),
      });
    });

    await test.step('nothing is cut on a phone, and axe finds no fault', async () => {
      const size = page.viewportSize() ?? { width: 1280, height: 640 };
      await movesTo(page, button('Change Control room'));
      await page.keyboard.press('Enter');
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(await axeFaults(page)).toEqual([]);
      await page.setViewportSize(size);
    });

    await test.step('a rule names it, and its alarm shows the time of arrival', async () => {
      const zones = new ZonesPanel(operator);
      await operator.watches('/?view=46.9,8.2,8');
      await zones.startsZone('North gate');
      await zones.form.getByLabel('Corners, one a line').fill('46.8, 8.0\n46.8, 8.4\n47.0, 8.2');
      await zones.form.getByLabel('Corners, one a line').press('Tab');
      await button(/^Entered — /).click();
      await button('Control room · Webhook').click();
      await zones.form.getByRole('switch', { name: 'Simulated positions too' }).click();
      await zones.saves();
      await expect(zones.list).toContainText('sent to 1 destination');
      await expect(zones.chip).toContainText('1 new alarm');
      await zones.showsAlarms();
      await zones.alarms.first().getByRole('button', { expanded: false }).click();
      const deliveries = page.getByRole('region', { name: 'Delivered to' });
      await expect(deliveries).toContainText(/Control room · WebhookOpened: arrived \d\d:\d\d:\d\dZ/);
      expect(receiver.events.at(-1)).toMatchObject({ type: expect.stringContaining('opened') });
      expect(JSON.stringify(receiver.events.at(-1))).toContain('North gate');
    });
  } finally {
    receiver.close();
  }
});
