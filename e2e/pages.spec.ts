import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Receiver } from '#lib/server/delivery/receiver.fixture.ts';
import { statusSocketPath } from '#service/receivers/status-socket.ts';
import { axeFaults } from './driver/axe-faults.ts';
import { movesTo } from './driver/keyboard-walk.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { fitsEverywhere, walksPage } from './driver/page-walk.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';
import { type ServiceProcess, startServiceProcess } from './running/service-process.ts';

const DRONES = [{ id: 'hovering', lon: 8.5, lat: 47.1, alt_m: 80 }];

/** Plays a recording, and shows the status of a service that receives from an address where nothing listens. */
const pagesLookout = sharedInFile(async ({ plainBasemap }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-pages-'));
  const receiving = await startServiceProcess(['--receivers', 'sbs://127.0.0.1:1', '--data', folder, '--one-key']);
  const lookout = await startLookout({
    service: playing(makeRecording(folder, 'rid', DRONES)),
    settings: { ...plainBasemap, OUTPUT_PRIVATE_ADDRESSES: 'loopback', RECEIVERS_SOCKET: statusSocketPath(folder) },
  });
  return {
    lookout,
    receiving,
    async stop() {
      await lookout.stop();
      await receiving.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
interface Fixtures {
  readonly lookout: RunningLookout;
  readonly receiving: ServiceProcess;
  readonly operator: LookoutDriver;
}
const test = lookoutTest.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  lookout: ({}, use) => use(pagesLookout().lookout),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  receiving: ({}, use) => use(pagesLookout().receiving),
  operator: ({ page, lookout }, use) => use(new LookoutDriver(page, lookout.url)),
});

// In sequence, to share one Lookout.
test.describe.configure({ mode: 'default' });

test('By keyboard alone an admin adds a webhook and tries it; an alarm of a rule that names it shows that it arrived', async ({
  operator,
  page,
}) => {
  const receiver = await Receiver.open();
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

    const secret = await page.getByTestId('shown-once').innerText();

    await test.step('a trial arrives, and its signature is that of the secret', async () => {
      await movesTo(page, button('Send a trial to Control room'));
      await page.keyboard.press('Enter');
      await expect(page.getByTestId('trial-result')).toHaveText(/^Trial: arrived /);
      await expect(page.getByText(/^Working, last sent .* ago$/)).toBeVisible();
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
      await operator.watches('/?view=47.1,8.5,8&layers=rid');
      await zones.startsZone('North gate');
      await zones.form.getByLabel('Corners, one per line').fill('47.0, 8.3\n47.0, 8.7\n47.2, 8.5');
      await zones.form.getByLabel('Corners, one per line').press('Tab');
      await button(/^Entered — /).click();
      await button('Control room · Webhook').click();
      await zones.form.getByRole('switch', { name: 'Simulated positions too' }).click();
      await zones.saves();
      await expect(zones.list).toContainText('sent to 1 destination');
      await expect(zones.chip).toHaveAccessibleName(/^1 new alarm/);
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

test('The page of receivers fits a phone and a desktop in either theme, and saves its hours', async ({
  operator,
  page,
}) => {
  await operator.goesTo('/admin/receivers');
  const station = page.getByRole('listitem', { name: '127.0.0.1', exact: true });
  await expect(station).toContainText('nothing listens there');
  await page.getByRole('radio', { name: '30 days' }).click();
  // The report of the span before stays until that is read.
  await expect(page.getByText(/^Last 30 days until/)).toBeVisible();
  await page.getByRole('button', { name: 'Tables' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  expect((await saving).suggestedFilename()).toMatch(/^lookout-receivers-720h-\d{8}T\d{4}\.csv$/);
  await fitsEverywhere(page);
});

// Near the end: the others are watched meanwhile, and the counts are written every 20 s.
test('The overview shows by keyboard what was received where and when, and as files', async ({ operator, lookout }) => {
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
    await expect(page.locator('[data-look="received"]')).not.toHaveCount(0);
  });

  const hours = page.getByRole('region', { name: /arrow keys read an hour/ });
  await test.step('arrow keys read an hour', async () => {
    await movesTo(page, hours);
    const pointed = page.getByTestId('pointed-hour');
    const read: string[] = [];
    for (let hour = 0; hour < 3; hour++) {
      const before = (await pointed.textContent()) ?? '';
      await page.keyboard.press('ArrowLeft');
      await expect(pointed).not.toHaveText(before);
      read.push((await pointed.textContent()) ?? '');
    }
    // Across the turn of an hour, both have some of it, or the later one is not counted yet.
    const latest = read.slice(0, 2).join('\n');
    expect(latest).toMatch(/simulated positions of 1 references, watched /);
    expect(latest).toContain(', so far');
    expect(read[2]).toMatch(/: not watched|: nothing received/);
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
});

test('Every page has the bell, a title and one navigation, by keyboard, without a fault at any size; the bell leads to the alarms', async ({
  operator,
  page,
}) => {
  test.slow();
  const bell = page.getByTestId('chip-alarms');
  const pages = [
    ['Overview', '/overview'],
    ['Incidents', '/incidents'],
    ['Outputs', '/admin/outputs'],
    ['Receivers', '/admin/receivers'],
    ['Health', '/admin/doctor'],
  ] as const;
  await operator.watches('/?view=47.1,8.5,9&layers=rid');
  await expect(page).toHaveTitle(/Live map · Lookout$/);
  for (const [name, path] of pages) {
    await test.step(name, async () => {
      await operator.goesTo(path);
      await walksPage(page, name);
    });
  }
  await test.step('the bell leads to the alarms of the map as it was shown', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await bell.click();
    await expect(page).toHaveURL(/\/\?view=47\.1,8\.5,9&layers=rid$/);
    await expect(page.getByRole('radio', { name: /^Alarms/ })).toBeChecked();
  });
  await test.step('so does W', async () => {
    await operator.goesTo('/admin/outputs');
    await expect(bell).toBeVisible();
    await page.keyboard.press('w');
    await expect(page.getByRole('radio', { name: /^Alarms/ })).toBeChecked();
  });
  expect((await page.request.get(new URL('/favicon.ico', page.url()).href)).status()).toBe(200);
});

test('The overview fits a phone and a desktop in either theme', async ({ operator, page }) => {
  await operator.goesTo('/overview?layer=rid&counted=simulated&bbox=8,46.8,9,47.4');
  await expect(page.locator('[data-look="received"]')).not.toHaveCount(0);
  await page.getByText('The same as a table').click();
  await fitsEverywhere(page);
});

test('An incident fits a phone and a desktop in either theme; an item of its axis opens the replay of its second', async ({
  operator,
  page,
}) => {
  test.slow();
  await operator.goesTo('/incidents');
  const id = await page.evaluate(async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const send = async (path: string, body: object) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return (await fetch(path, init)).json();
    };
    const area = { type: 'Circle', centre: [8.5, 47.1], radius_m: 5000 };
    const opened = { title: 'Drone near 14', from: ago(10), to: null, area, layers: ['rid', 'adsb'] };
    const { incident } = await send('/api/incidents', opened);
    await send(`/api/incidents/${incident.id}/notes`, { kind: 'decision', text: 'Runway 14 closed', at: ago(5) });
    return incident.id as string;
  });
  await operator.goesTo(`/incidents/${id}`);
  await expect(page.getByTestId('verdicts')).toBeVisible();
  await page.getByText('The same as tables').click();
  await page.getByRole('button', { name: 'Add sighting' }).click();
  await fitsEverywhere(page);
  const note = page.getByRole('list', { name: 'Notes', exact: true }).getByRole('link').first();
  await note.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/at=.*&inside=circle,8\.5,47\.1,5000m/);
  await expect(page.getByTestId('replay-dock')).toBeVisible();
});
