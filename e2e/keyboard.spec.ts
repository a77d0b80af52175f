import { pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

test.beforeEach(({ operator }) => operator.watches());

test('? opens the help, which names every key, and Esc closes it', async ({ operator }) => {
  await operator.page.keyboard.press('?');
  await expect(operator.help).toBeVisible();
  await expect(operator.help).toContainText('Show or hide the panel');
  await operator.page.keyboard.press('Escape');
  await expect(operator.help).toHaveCount(0);
});

test('L goes through the levels of labels', async ({ operator }) => {
  for (const level of ['reference', 'reference, altitude, speed', 'off', 'reference']) {
    await expect(operator.button(`Labels: ${level}`)).toHaveAccessibleName(`Labels: ${level}`);
    await operator.page.keyboard.press('l');
  }
});

test('V hides the panel and shows it again; the state of the layers stays in sight', async ({ operator }) => {
  await expect(operator.tracks.shownOfReceived).toBeVisible();
  await operator.page.keyboard.press('v');
  await expect(operator.tracks.shownOfReceived).toHaveCount(0);
  await expect(operator.state('Aircraft')).toBeVisible();
  await operator.page.keyboard.press('v');
  await expect(operator.tracks.shownOfReceived).toBeVisible();
});

test('A track is picked with the keyboard alone', async ({ operator }) => {
  await operator.tracks.table.focus();
  await operator.page.keyboard.press('ArrowDown');
  await operator.page.keyboard.press('ArrowDown');
  await operator.page.keyboard.press('Enter');
  await expect(operator.tracks.card).toBeVisible();
  await operator.page.keyboard.press('Escape');
  await operator.tracks.isClosed();
});

test('A list that is focused owns its keys, also while it is empty: a replay stays where it is', async ({
  operator,
  page,
}) => {
  const dock = new ReplayDock(page);
  const { start, end } = pastWindow(5);
  await operator.goesTo(replayPath({ start, end }));
  await dock.isThere();
  await page.keyboard.press('ArrowRight');
  await operator.tracks.search.fill('nothing is called so');
  await expect(operator.tracks.rows).toHaveCount(0);
  await operator.tracks.table.focus();
  for (const key of ['End', 'Home', 'PageDown', ' ']) await page.keyboard.press(key);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => dock.momentMs()).toBe(start + 2000);
});

test('Letters that are typed into the search are text, and not keys of the map', async ({ operator }) => {
  await operator.page.keyboard.press('/');
  await operator.page.keyboard.type('vl');
  await expect(operator.tracks.search).toHaveValue('vl');
  await expect(operator.tracks.shownOfReceived).toBeVisible();
  await expect(operator.button('Labels: reference')).toBeVisible();
});
