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

test('Letters that are typed into the search are text, and not keys of the map', async ({ operator }) => {
  await operator.page.keyboard.press('/');
  await operator.page.keyboard.type('vl');
  await expect(operator.tracks.search).toHaveValue('vl');
  await expect(operator.tracks.shownOfReceived).toBeVisible();
  await expect(operator.button('Labels: reference')).toBeVisible();
});
