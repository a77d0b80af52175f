import type { Browser } from '@playwright/test';
import { axeFaults } from './driver/axe-faults.ts';
import { fitsEverywhere } from './driver/page-walk.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { ZonesPanel } from './driver/zones-panel.ts';
import { expect, hidesHints, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';
import type { RunningLookout } from './running/running-lookout.ts';

const BALLOON = { lon: 8.2, lat: 46.9 };
const CORNERS = [
  { lon: 8.0, lat: 46.8 },
  { lon: 8.4, lat: 46.8 },
  { lon: 8.4, lat: 47.0 },
  { lon: 8.0, lat: 47.0 },
];
const ADDRESS = '/?view=46.9,8.2,8';

/** A person at a screen of their own. */
async function personAt(browser: Browser, { url, operators }: RunningLookout, name: string) {
  const account = operators.find((operator) => operator.name === name);
  if (!account) throw new Error(`no operator ${name}`);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await hidesHints(context);
  const page = await context.newPage();
  const signIn = new SignInDriver(page, url);
  await signIn.opens(`/sign-in?${new URLSearchParams({ next: ADDRESS })}`);
  await signIn.submits(account);
  const operator = signIn.asOperator();
  await operator.seesPositions();
  return {
    page,
    operator,
    zones: new ZonesPanel(operator),
    note: page.getByTestId('hand-over-dialog'),
    handOver: async () => {
      await page.getByRole('tab', { name: 'Zones' }).click();
      await page.getByRole('radio', { name: /^Hand-over/ }).click();
      return page.getByTestId('hand-over');
    },
    leaves: () => context.close(),
  };
}

test('Two operators and a viewer share a shift: a zone of one, its alarm and permit at the other, an incident, a note for the next shift, and a replay', async ({
  startOwn,
  browser,
}, info) => {
  const lookout = await startOwn({
    operators: ['ada', 'ben', 'cleo', 'vic'],
    roles: { ada: 'admin', vic: 'viewer' },
    settings: { POSITIONS_EMBEDDED: '1', POSITIONS_ALLOWANCE: 'none' },
    service: playing(makeRecording(info.outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
  });
  const [ben, cleo] = [await personAt(browser, lookout, 'ben'), await personAt(browser, lookout, 'cleo')];

  await test.step('a viewer finds no zone, and none to create', async () => {
    const vic = await personAt(browser, lookout, 'vic');
    await vic.page.getByRole('tab', { name: 'Zones' }).click();
    await expect(vic.page.getByTestId('no-zones')).toContainText('No zones yet.');
    await expect(vic.page.getByRole('button', { name: 'Create zone' })).toHaveCount(0);
    await vic.leaves();
  });

  await test.step('one operator makes a zone, which the other sees and gets the alarm of', async () => {
    await ben.zones.startsZone('North gate');
    await ben.zones.draws(CORNERS);
    await ben.zones.form.getByRole('button', { name: 'Include simulated' }).click();
    await expect(ben.zones.price, 'a service without allowance has no price').toHaveText('');
    await ben.zones.saves();
    await expect(cleo.zones.chip).toHaveAttribute('data-new', '1', { timeout: 60_000 });
    await cleo.zones.showsAlarms();
    await expect(cleo.zones.alarms).toHaveCount(1);
  });

  await test.step('the other acknowledges it, as the first one sees', async () => {
    await cleo.zones.alarms.first().getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await expect(cleo.zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await ben.zones.showsAlarms();
    await expect(ben.zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
  });

  await test.step('permits it from its row: both see who did', async () => {
    const row = cleo.zones.alarms.first();
    await row.getByRole('button', { expanded: false }).click();
    await row.getByRole('button', { name: 'Permit' }).click();
    const form = cleo.page.getByRole('dialog', { name: 'Permit' });
    await expect(form).toBeVisible();
    await cleo.page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
    await expect(row.getByRole('button', { name: 'Permit' })).toBeFocused();
    await cleo.page.keyboard.press('Enter');
    await expect(form).toBeVisible();
    await fitsEverywhere(cleo.page);
    await form.getByLabel('Name').fill('Balloon, until noon');
    await form.getByRole('button', { name: 'Permit' }).click();
    await expect(form).toHaveCount(0);
    await expect(ben.zones.alarms.first()).toContainText(/Permitted .*by cleo.*Balloon, until noon/);
    await ben.page.getByRole('radio', { name: 'Permits' }).click();
    await expect(ben.page.getByTestId('permits-current')).toContainText(
      /^Balloon, until noonUntil .+ by cleoNorth gate/,
    );
  });

  await test.step('an incident of one is on every page of the other, with its number', async () => {
    await ben.page.keyboard.press('o');
    const form = ben.page.getByRole('dialog', { name: 'New incident' });
    await form.getByLabel('Title').fill('Balloon over the field');
    await form.getByRole('button', { name: 'Open incident' }).click();
    await form.getByRole('button', { name: 'Stay on the map' }).click();
    const chip = cleo.page.getByTestId('chip-incidents');
    const name = /^Open incident \d{4}-001 · Balloon over the field · \d+ (s|min)$/;
    await expect(chip).toHaveAccessibleName(name, { timeout: 20_000 });
    for (const path of ['/incidents', '/overview', '/account']) {
      await cleo.operator.goesTo(path);
      await expect(chip, path).toHaveAccessibleName(name);
    }
    await cleo.operator.watches(ADDRESS);
  });

  await test.step('hands over: the note stays until each colleague has read it', async () => {
    const page = await cleo.handOver();
    await page.getByLabel('Note for the next shift').fill('Balloon on the programme until noon.');
    await page.getByRole('button', { name: 'Leave note' }).click();
    await expect(page.getByTestId('hand-over-note')).toContainText('cleo');
    await ben.page.reload();
    await expect(ben.note).toContainText('1 open alarm');
    await expect(ben.note).toContainText('North gate');
    await expect(ben.note.getByLabel('Open incidents')).toContainText(/\d{4}-001/);
    await expect(ben.note).toContainText('Balloon on the programme until noon.');
    await fitsEverywhere(ben.page);
    await ben.note.getByRole('button', { name: 'Mark as read' }).click();
    await expect(ben.note).toHaveCount(0);
    await ben.page.reload();
    await ben.operator.seesPositions();
    await expect((await ben.handOver()).getByTestId('hand-over-note')).toContainText('Read by ben');
    await expect(ben.note).toHaveCount(0);
    await cleo.page.reload();
    await cleo.operator.seesPositions();
    await expect((await cleo.handOver()).getByTestId('hand-over-note')).toHaveCount(1);
    await expect(cleo.note, 'its author has read it').toHaveCount(0);
  });

  await test.step('the viewer sees zone, alarm and note, and replays', async () => {
    const vic = await personAt(browser, lookout, 'vic');
    await expect(vic.note).toContainText('Balloon on the programme until noon.');
    await vic.note.getByRole('button', { name: 'Mark as read' }).click();
    await vic.zones.showsAlarms();
    await expect(vic.zones.alarms.first()).toHaveAttribute('data-stage', 'acknowledged');
    await expect(vic.page.getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0);
    await vic.page.keyboard.press('n');
    await expect(vic.page.getByRole('dialog')).toContainText('Only operators write in incidents.');
    await expect(vic.page.getByRole('dialog').getByRole('textbox')).toHaveCount(0);
    await vic.page.keyboard.press('Escape');
    await vic.page.keyboard.press('r');
    const replay = new ReplayDock(vic.page);
    await expect(replay.loading).toHaveAttribute('data-loading', 'done', { timeout: 60_000 });
    await expect(replay.loading).toContainText(/^Complete/);
    await expect.poll(() => vic.operator.marksDrawn()).toBe(1);
    await vic.leaves();
  });
  await test.step('an admin hands the zone to the other', async () => {
    const ada = await personAt(browser, lookout, 'ada');
    await ada.note.getByRole('button', { name: 'Mark as read' }).click();
    await expect(ada.note).toHaveCount(0);
    await ada.page.getByRole('tab', { name: 'Zones' }).click();
    await ada.page.getByRole('radio', { name: /^Zones/ }).click();
    await ada.page.getByRole('button', { name: 'More for North gate' }).click();
    await ada.page.getByRole('menuitem', { name: 'Hand over…' }).click();
    const form = ada.page.getByRole('form', { name: 'Hand over North gate' });
    for (const colorScheme of ['dark', 'light'] as const) {
      await ada.page.emulateMedia({ colorScheme });
      expect.soft(await axeFaults(ada.page, undefined, 'form'), colorScheme).toEqual([]);
    }
    await form.getByRole('combobox').selectOption('cleo, operator');
    await form.getByRole('button', { name: 'Hand over' }).click();
    await expect(ada.page.getByTestId('zones-done')).toHaveText('“North gate” handed over to cleo.');
    await ada.leaves();
  });
  for (const person of [ben, cleo]) await person.leaves();
});
