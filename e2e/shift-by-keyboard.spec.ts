import { FilterPanel } from './driver/filter-panel.ts';
import { movesTo } from './driver/keyboard-walk.ts';
import { MeasuringTool } from './driver/measuring-tool.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

test('A whole shift by keyboard: from signing in to signing out', async ({ startOwn, page }) => {
  const lookout = await startOwn({ operators: ['tower'] });
  const [account] = lookout.operators;
  if (!account) throw new Error('an operator was wanted');
  const press = (...keys: readonly string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const signIn = new SignInDriver(page, lookout.url);
  const operator = signIn.asOperator();
  const { tracks } = operator;
  const dock = new ReplayDock(page);
  await dock.asksFirst();

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

  await test.step('passes on what is seen', async () => {
    await press('s');
    await expect(page.getByRole('dialog', { name: /Share/ })).toBeVisible();
    await press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('looks at the past, and comes back to the present', async () => {
    for (let zoom = 0; zoom < 3; zoom++) await press('+');
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
    await expect(page.getByRole('menuitem', { name: 'Your account' })).toBeFocused();
    await press('End');
    await expect(leave).toBeFocused();
    await press('Enter');
    await signIn.seesForm();
  });
});
