import { expect, test } from './lookout-test.ts';

test('An operator finds a reference, a place, an airport by ICAO and IATA, and coordinates, and copies them', async ({
  operator,
  page,
  context,
}) => {
  const { find } = operator;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await operator.watches();
  const isAt = (lat: number, lon: number) =>
    expect
      .poll(async () => {
        const middle = await find.middle();
        return Math.hypot(middle.lat - lat, middle.lon - lon);
      })
      .toBeLessThan(0.01);

  const ref = (await operator.tracks.rows.first().getAttribute('data-ref')) ?? '';
  expect(ref).not.toBe('');
  await test.step('A reference is selected and centred', async () => {
    await find.goesTo(ref);
    await expect(operator.tracks.card).toBeVisible();
    await expect(operator.tracks.card).toContainText(ref);
  });

  await test.step('Its reference is short in the table, and copied in full', async () => {
    const row = operator.tracks.row(ref);
    await expect(row).toContainText(ref.slice(-5));
    await expect(row).not.toContainText(ref);
    await operator.tracks.card.getByRole('button', { name: 'Copy reference' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(ref);
  });

  await test.step('An airport by ICAO, however it is typed, and by IATA; it is marked with its name', async () => {
    await find.goesTo('lszh');
    await isAt(47.458, 8.548);
    await expect(find.marked).toContainText('LSZH / ZRH Zürich Airport');
    await find.types('GVA');
    await expect(find.options.first()).toContainText('LSGG / GVA');
    await page.keyboard.press('Enter');
    await isAt(46.238, 6.109);
  });

  await test.step('A place without its diacritics; arrow keys choose another', async () => {
    await find.types('zurich');
    await expect(find.options.first()).toContainText('Zürich');
    const second = find.options.nth(1);
    await page.keyboard.press('ArrowDown');
    await expect(second).toHaveAttribute('aria-selected', 'true');
    await expect(find.field).toHaveAttribute('aria-activedescendant', (await second.getAttribute('id')) ?? '');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await isAt(47.367, 8.55);
  });

  await test.step('Coordinates are shown in all notations, and copied', async () => {
    await find.goesTo('47°27\'29"N 8°32\'53"E');
    await isAt(47.458, 8.548);
    await find.marked.getByRole('button', { name: /^32T MT/ }).click();
    await expect(find.marked.getByRole('status')).toContainText('Copied 32T MT');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^32T MT 659\d\d 561\d\d$/);
  });

  await test.step('An ambiguous or unsuccessful search says so, and says where it looked', async () => {
    await find.types('47 27 8', 'Control+k');
    await expect(find.state).toContainText('Not clear which numbers belong together');
    await find.field.fill('xyzzyplugh');
    await expect(find.state).toHaveText(
      /^Nothing found\. Searched: the \d+ references? on this page, \d+\s\d+ places, 69\s899 airports and heliports, and coordinates/,
    );
    await page.keyboard.press('Escape');
  });

  await test.step('C tells the coordinates of the middle of the map', async () => {
    await page.keyboard.press('c');
    await expect(find.marked).toContainText('Marked place');
  });

  await test.step('Near a pole there is no MGRS', async () => {
    await find.goesTo('-85 30');
    await expect(find.marked).toContainText('no MGRS here');
    await page.keyboard.press('Escape');
    await expect(find.marked).toHaveCount(0);
  });
});
