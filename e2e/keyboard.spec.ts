import { expect, test } from './lookout-test.ts';

test('Every key does what the help says, and types text in a text field', async ({ operator }) => {
  const { page, tracks } = operator;
  await operator.watches();

  await test.step('? opens the help, which names every key, and Esc closes it', async () => {
    await expect(page.getByTestId('standing-notice')).toContainText('Coverage is not guaranteed');
    await page.keyboard.press('?');
    await expect(operator.help).toBeVisible();
    await expect(operator.help).toContainText('Show or hide the panel');
    await expect(operator.help).toContainText('Coverage is not guaranteed');
    await page.keyboard.press('Escape');
    await expect(operator.help).toHaveCount(0);
  });

  await test.step('L goes through the levels of labels', async () => {
    for (const level of ['reference', 'reference, altitude, speed', 'off']) {
      await expect(operator.button(`Labels: ${level}`)).toHaveAccessibleName(`Labels: ${level}`);
      await page.keyboard.press('l');
    }
    await expect(operator.button('Labels: reference')).toHaveAccessibleName('Labels: reference');
  });

  await test.step('V hides and shows the panel; the state of the layers stays visible', async () => {
    await expect(tracks.search).toBeVisible();
    await page.keyboard.press('v');
    await expect(tracks.search).toHaveCount(0);
    await expect(operator.state('Aircraft')).toBeVisible();
    await page.keyboard.press('v');
    await expect(tracks.search).toBeVisible();
  });

  await test.step('On a Cyrillic layout the keys work by their position', async () => {
    const press = (key: string, code: string, ctrlKey = false) =>
      page.evaluate(
        (init) =>
          document.body.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true })),
        { key, code, ctrlKey },
      );
    await press('м', 'KeyV');
    await expect(tracks.search).toHaveCount(0);
    await press('м', 'KeyV');
    await expect(tracks.search).toBeVisible();
    await press('л', 'KeyK', true);
    await expect(operator.find.field).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(operator.find.field).toHaveCount(0);
  });

  await test.step('J and the skip link, which comes first, lead to the table, whatever is open', async () => {
    await page.keyboard.press('v');
    await expect(tracks.table).toHaveCount(0);
    await page.keyboard.press('j');
    await expect(tracks.table).toBeFocused();
    await page.getByRole('tab', { name: 'View' }).click();
    await page.evaluate(() => document.body.querySelector<HTMLElement>('button')?.focus());
    await expect(operator.button('Skip to the table of tracks')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(tracks.table).toBeFocused();
  });

  await test.step('A track can be selected with the keyboard alone', async () => {
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(tracks.card).toBeVisible();
    await page.keyboard.press('Escape');
    await tracks.isClosed();
  });

  await test.step('Letters typed into a text field are text, not shortcuts; / opens the search', async () => {
    await tracks.search.click();
    await page.keyboard.type('vl');
    await expect(tracks.search).toHaveValue('vl');
    await expect(tracks.search).toBeVisible();
    await expect(operator.button('Labels: reference')).toBeVisible();
    for (const _ of ['empties the field', 'leaves it']) await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('vl/');
    await expect(operator.find.field).toHaveValue('vl/');
    await page.keyboard.press('Escape');
    await expect(operator.find.field).toHaveCount(0);
  });
});
