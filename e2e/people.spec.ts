import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { axeFaults } from './driver/axe-faults.ts';
import { FilterPanel } from './driver/filter-panel.ts';
import { movesTo, reachesEverything } from './driver/keyboard-walk.ts';
import { MeasuringTool } from './driver/measuring-tool.ts';
import { fitsEverywhere, walksPage } from './driver/page-walk.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import type { OperatorAccount } from './running/operators.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

const peopledLookout = sharedInFile(({ plainBasemap }) =>
  startLookout({
    operators: ['tower', 'ada'],
    roles: { ada: 'admin' },
    settings: { ...plainBasemap, RECEIVERS_SOCKET: join(tmpdir(), 'no-receivers.sock') },
  }),
);
const test = lookoutTest.extend<{ lookout: RunningLookout }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  lookout: ({}, use) => use(peopledLookout()),
});

// In sequence, to share one Lookout.
test.describe.configure({ mode: 'default' });

function accountOf({ operators }: RunningLookout, name: string): OperatorAccount {
  const account = operators.find((operator) => operator.name === name);
  if (!account) throw new Error(`no operator ${name}`);
  return account;
}

test('Signing in opens the link that was opened before, also by a form sent before the page’s code has arrived; a session that ends is reported over the map', async ({
  lookout,
  page,
}) => {
  const account = accountOf(lookout, 'tower');
  const signIn = new SignInDriver(page, lookout.url);
  const operator = signIn.asOperator();

  await test.step('a form sent before the page’s code has arrived is sent when it arrives', async () => {
    const coming = Promise.withResolvers<void>();
    await page.route('**/_next/static/**/*.js', async (route) => {
      await coming.promise;
      await route.continue();
    });
    await signIn.opens('/?view=47.2,8.6,8&layers=rid');
    await signIn.seesForm();
    await page.getByLabel('Name').fill(account.name);
    await page.getByLabel('Password').fill('not the password at all');
    await page.keyboard.press('Enter');
    coming.resolve();
    await expect(signIn.refusal).toHaveText('This name and password are not accepted.');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/?view=47.2%2C8.6%2C8&layers=rid');
    await page.unroute('**/_next/static/**/*.js');
  });

  await test.step('the link that was opened is restored', async () => {
    await signIn.submits(account);
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
    await expect(operator.state('Aircraft')).toHaveText('Aircraft: layer is off, not requested');
    await expect(operator.button(`Account of ${account.name}`)).toBeVisible();
  });

  await test.step('an ended session is reported over the map, and the positions age', async () => {
    await page.context().clearCookies();
    await expect(operator.notice('signed-out')).toContainText('You are signed out.');
    expect(await operator.marksDrawn()).toBeGreaterThan(0);
    await expect(operator.state('Drones')).not.toHaveText(/up to date/);
  });
});

/** `press` presses one key after the other. */
function shiftByKeyboard(lookout: RunningLookout, page: Page) {
  const signIn = new SignInDriver(page, lookout.url);
  const press = (...keys: readonly string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  return { account: accountOf(lookout, 'tower'), signIn, operator: signIn.asOperator(), press };
}

test('A shift by keyboard: an operator signs in, finds an airport, narrows the picture, and follows and measures a track', async ({
  lookout,
  page,
}) => {
  const { account, signIn, operator, press } = shiftByKeyboard(lookout, page);
  const { tracks } = operator;

  await test.step('signs in', async () => {
    await signIn.opens('/?view=47,8,6');
    await signIn.seesForm();
    await expect(page.getByTestId('standing-notice')).toContainText('Coverage is not guaranteed');
    await movesTo(page, page.getByLabel('Name'));
    await page.keyboard.type(account.name);
    await press('Tab');
    await page.keyboard.type(account.password);
    await press('Enter');
    await operator.seesPositions();
  });

  await test.step('reads the keys', async () => {
    await press('?');
    await expect(operator.help).toBeVisible();
    await press('Escape');
    await expect(operator.help).toHaveCount(0);
  });

  await test.step('goes to an airport', async () => {
    await operator.find.goesTo('LSZH');
    await expect.poll(() => operator.viewInAddress()?.lat).toBeCloseTo(47.46, 1);
    await press('Escape');
    // So far out, there is always traffic.
    for (let zoom = 0; zoom < 6; zoom++) await press('-');
    await expect.poll(() => operator.viewInAddress()?.zoom).toBeLessThan(8);
    await expect(tracks.rows.nth(2)).toBeVisible();
  });

  const filter = new FilterPanel(page);
  await test.step('narrows the picture, and clears the filter again', async () => {
    await movesTo(page, page.getByRole('tab', { name: 'Tracks' }));
    await press('ArrowRight');
    await movesTo(page, page.getByRole('radiogroup', { name: 'Kind' }).getByRole('radio').first());
    await press('ArrowRight');
    await expect(page).toHaveURL(/kind=/);
    await expect(filter.line).toBeVisible();
    await movesTo(page, filter.line.getByRole('button', { name: 'Clear the filter' }), 'Shift+Tab');
    await press('Enter');
    await expect(page).not.toHaveURL(/kind=/);
  });

  await test.step('keeps an eye on a track of the table', async () => {
    await movesTo(page, page.getByRole('tab', { name: 'Filter' }));
    await press('ArrowLeft');
    await movesTo(page, tracks.table);
    await press('ArrowDown', 'ArrowDown', 'Enter');
    await expect(tracks.card).toBeVisible();
    await press('f', 'i');
    await expect(page.getByTestId('track-focus')).toContainText('Others dimmed');
    await press('i', 'f');
  });

  await test.step('measures from it', async () => {
    const measuring = new MeasuringTool(page);
    await movesTo(page, tracks.card.getByRole('button', { name: /^Measure/ }));
    await press('Enter');
    await expect(measuring.strip).toBeVisible();
    await press('Escape');
    await press('Escape');
  });
});

test('A shift by keyboard: an operator shares what is seen, looks at the past, and signs out', async ({
  lookout,
  page,
}) => {
  const { account, signIn, operator, press } = shiftByKeyboard(lookout, page);
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await signIn.opens('/?view=47.5,8.5,8');
  await signIn.seesForm();
  await signIn.submits(account);
  await operator.seesPositions();

  await test.step('passes on what is seen', async () => {
    await press('s');
    await expect(page.getByRole('dialog', { name: /Share/ })).toBeVisible();
    await press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('looks at the past, and comes back to the present', async () => {
    await press('r');
    await expect(dock.loading).toHaveAttribute('data-loading', 'quoted');
    await movesTo(page, dock.button(/^Load the last 15 min/));
    await press('Enter');
    await dock.isLoaded();
    const shown = dock.dock.getByRole('slider');
    const end = await shown.getAttribute('aria-valuemax');
    await press('End');
    await expect(shown).toHaveAttribute('aria-valuenow', String(end));
    await press('ArrowLeft');
    await expect(shown).not.toHaveAttribute('aria-valuenow', String(end));
    await press('Home', ' ');
    await expect(dock.button(/^Pause/)).toBeVisible();
    await press(' ', 'r');
    await expect(dock.dock).toHaveCount(0);
  });

  await test.step('signs out', async () => {
    await movesTo(page, operator.button(`Account of ${account.name}`));
    await press('Enter');
    const leave = page.getByRole('menuitem', { name: 'Sign out' });
    await expect(page.getByRole('menuitem', { name: 'Overview' })).toBeFocused();
    await press('ArrowDown');
    await expect(page.getByRole('menuitem', { name: 'Incidents' })).toBeFocused();
    await press('ArrowDown');
    await expect(page.getByRole('menuitem', { name: 'Your account' })).toBeFocused();
    await press('End');
    await expect(leave).toBeFocused();
    await press('Enter');
    await signIn.seesForm();
  });
});

test('An admin adds an operator, whose first sign-in leads to a new password; an admin’s pages stay closed to them, and an ended session asks to sign in again', async ({
  lookout,
  page,
  browser,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const signIn = new SignInDriver(page, lookout.url);
  await signIn.opens('/admin');
  await signIn.submits(accountOf(lookout, 'ada'));
  await expect(page.getByRole('heading', { name: 'People' })).toBeVisible();
  const add = page.getByRole('region', { name: 'New person' });
  await add.getByLabel('Name').fill('eve');
  await add.getByRole('radio', { name: 'viewer' }).click();
  await add.getByRole('button', { name: 'Add person' }).click();
  await expect(add.getByRole('status')).toHaveText('eve was added as viewer.');
  const password = (await page.getByTestId('shown-once').textContent()) ?? '';
  const card = page.getByRole('region', { name: 'eve' });
  await expect(card).toContainText('viewer, initial password, not changed yet, not signed in');
  expect(await axeFaults(page)).toEqual([]);

  const other = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'light' });
  const eve = await other.newPage();
  const arrives = new SignInDriver(eve, lookout.url);
  await test.step('a first sign-in leads to a new password, in a cookie that the browser keeps', async () => {
    await arrives.opens('/?view=47,8,9');
    await eve.getByLabel('Keep me signed in').check();
    await arrives.submits({ name: 'eve', password });
    await expect(eve.getByText('Your password was made by an admin.')).toBeVisible();
    expect(new URL(eve.url()).pathname).toBe('/account');
    expect((await other.cookies()).find(({ name }) => name === 'lookout')?.expires).toBeGreaterThan(Date.now() / 1000);
    await eve.getByLabel('Current password').fill(password);
    await eve.getByLabel('New password').fill('nine gulls over the terminal');
    await eve.getByRole('button', { name: 'Change password' }).click();
    await expect(eve.getByText('Your password is changed. 0 other sessions were ended.')).toBeVisible();
    await expect(eve.getByText('Your password was made by an admin.')).toBeHidden();
    await expect(eve.getByRole('listitem')).toContainText('kept by the browser');
    expect(await axeFaults(eve)).toEqual([]);
  });

  await test.step('the pages of an admin are closed, and lead back', async () => {
    await arrives.opens('/admin/audit');
    await expect(eve.getByRole('status')).toContainText(
      'You are signed in as eve, role viewer. This page is for admins',
    );
    expect(await axeFaults(eve)).toEqual([]);
    await expect(eve.getByTestId('chip-alarms')).toHaveText('No zones');
    await eve.getByRole('button', { name: 'Pages' }).click();
    await eve.getByRole('menuitem', { name: 'Your account' }).click();
    await expect(eve.getByText('role viewer: you see what is received now')).toBeVisible();
  });

  await test.step('the admin reads what eve did, and ends the session', async () => {
    await card.getByRole('link', { name: 'What eve did' }).click();
    await expect(page.getByLabel('Person')).toHaveValue('eve');
    const list = page.getByRole('list', { name: 'Audit, newest first' });
    await expect(list.getByRole('listitem').last()).toContainText('added eve as viewer');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'People' }).click();
    await expect(card).toContainText('sessions: 1');
    await card.getByRole('button', { name: /^End Chrom/ }).click();
    await expect(card.getByRole('status')).toContainText('was ended.');
    await eve.reload();
    await expect(eve).toHaveURL(/\/sign-in\?next=%2Faccount/);
    await other.close();
  });
});

test('Every page of people has the bell, a title and one navigation, by keyboard, without a fault at any size', async ({
  lookout,
  page,
}) => {
  test.slow();
  const signIn = new SignInDriver(page, lookout.url);
  await test.step('Sign in', async () => {
    await signIn.opens('/admin');
    await signIn.seesForm();
    await reachesEverything(page);
    await fitsEverywhere(page);
    await signIn.submits(accountOf(lookout, 'ada'));
    await expect(page.getByRole('heading', { name: 'People' })).toBeVisible();
  });
  for (const [name, path] of [
    ['People', '/admin'],
    ['Audit', '/admin/audit'],
    ['Your account', '/account'],
  ] as const) {
    await test.step(name, async () => {
      await signIn.opens(path);
      await walksPage(page, name);
    });
  }
  await test.step('an address without a page', async () => {
    await signIn.opens('/nowhere');
    await expect(page).toHaveTitle('Nothing here · Lookout');
    await reachesEverything(page);
    await fitsEverywhere(page);
  });
});
