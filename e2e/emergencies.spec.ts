import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';

/** Wide enough for an air ambulance, one of which the simulator always flies. */
const EUROPE = '/?view=47,8,5.5&layers=adsb';

test('Emergencies are counted, said once, one key away, first in the table and found by their word, live and in a replay', async ({
  operator,
  page,
}) => {
  const { tracks } = operator;
  const dock = new ReplayDock(page);
  await dock.asksFirst();
  await operator.watches(EUROPE);

  await test.step('the bar counts them separately from real ones, and they are announced if that is switched on', async () => {
    await expect(operator.emergencies).toHaveText(/^\d+ simulated emergenc(y|ies)/);
    await expect(operator.emergencyCall).toHaveText('');
    await page.getByRole('tab', { name: 'View' }).click();
    await page.getByRole('switch', { name: 'Call simulated emergencies' }).click();
    await expect(operator.emergencyCall).toHaveText(/Simulated emergency: .+, aircraft \w+\./);
    await page.getByRole('tab', { name: 'Tracks' }).click();
  });

  await test.step('the table begins with them, by choice, and says the word and the value', async () => {
    await expect(tracks.rows.first()).toContainText(
      /GENERAL EMERGENCY|LIFEGUARD|MINIMUM FUEL|NO COMMUNICATIONS|UNLAWFUL INTERFERENCE|DOWNED AIRCRAFT/,
    );
    await tracks.sortsBy(/^Altitude/);
    await expect(tracks.rows.first()).toContainText(
      /GENERAL EMERGENCY|LIFEGUARD|MINIMUM FUEL|NO COMMUNICATIONS|UNLAWFUL INTERFERENCE|DOWNED AIRCRAFT/,
    );
    await operator.button('Emergencies first').click();
    await expect(operator.button('Emergencies first')).toHaveAttribute('aria-pressed', 'false');
    await operator.button('Emergencies first').click();
  });

  await test.step('it has a row for every track, and makes those that are seen', async () => {
    const ofHead = 1;
    await expect.poll(async () => (await tracks.rowCount()) - (await tracks.received())).toBe(ofHead);
    expect(await tracks.rows.count()).toBeLessThan(await tracks.received());
  });

  await test.step('the word finds them', async () => {
    await tracks.search.fill('emergency');
    const found = await tracks.rows.allInnerTexts();
    expect(found.length).toBeGreaterThan(0);
    expect(
      found.filter(
        (row) =>
          !/GENERAL EMERGENCY|LIFEGUARD|MINIMUM FUEL|NO COMMUNICATIONS|UNLAWFUL INTERFERENCE|DOWNED AIRCRAFT/.test(row),
      ),
    ).toEqual([]);
    await tracks.search.fill('');
    await tracks.search.blur();
  });

  const isAtAnEmergency = async () => {
    await expect(tracks.card).toContainText(/, as reported/);
    const place = await tracks.place();
    await expect.poll(() => operator.viewInAddress()?.lat).toBeCloseTo(place.lat, 1);
    await expect.poll(() => operator.viewInAddress()?.lon).toBeCloseTo(place.lon, 1);
  };
  await test.step('E, or a click on the count, selects and centres the next one', async () => {
    await page.keyboard.press('e');
    await isAtAnEmergency();
    await page.keyboard.press('Escape');
    await tracks.isClosed();
    await operator.emergencies.click();
    await isAtAnEmergency();
    await page.keyboard.press('Escape');
  });

  await test.step('a replay counts its own', async () => {
    // E may have zoomed in already.
    await expect(async () => {
      if ((operator.viewInAddress()?.zoom ?? 0) <= 8) await page.keyboard.press('+');
      expect(operator.viewInAddress()?.zoom).toBeGreaterThan(8);
    }).toPass();
    await page.keyboard.press('r');
    await dock.loadsLastQuarter();
    await page.keyboard.press('End');
    await expect(operator.emergencies).toHaveText(/simulated emergenc/);
    await page.keyboard.press('e');
    await isAtAnEmergency();
  });

  await test.step('E shows those that the filter hides, and goes there; without any, it says so', async () => {
    await operator.goesTo('/?view=47,8,5.5&layers=adsb&kind=drone&agl=..50');
    await expect(operator.emergencies).toHaveText(/hidden by a filter · Show anyway/);
    await page.keyboard.press('e');
    await isAtAnEmergency();
    await expect(operator.emergencies).toHaveText(/^\d+ simulated emergenc(y|ies)( · \d+ of \d+)?/);
    await operator.goesTo('/?view=0,0,9&layers=adsb');
    await expect(operator.state('Aircraft')).toHaveText(/No aircraft positions received/);
    await page.keyboard.press('e');
    await expect(page.getByTestId('emergency-note')).toHaveText('No emergency among the tracks shown.');
  });
});

test('A home area is counted, with its emergencies, wherever the map is, and a click goes there', async ({
  operator,
  page,
}) => {
  const chip = page.getByTestId('home-chip');
  await operator.watches('/?view=47,8,6.5&layers=adsb');
  await page.getByRole('tab', { name: 'View' }).click();
  await operator.button('Use this view').click();
  await expect(page.getByTestId('home-area')).toContainText(/It takes about [\d\s]+ requests an hour/);
  await expect(chip, 'the map shows all of it').toHaveCount(0);
  const before = operator.viewInAddress();

  await operator.goesTo('/?view=0,0,12&layers=adsb');
  await expect(chip).toHaveText(/^Home: [1-9]\d* simulated aircraft · 0 drones( · \d+ simulated emergenc(y|ies))?$/);
  await chip.click();
  await expect.poll(() => operator.viewInAddress()?.lat).toBeCloseTo(before?.lat ?? 0, 0);
  await expect(chip).toHaveCount(0);

  await page.getByRole('tab', { name: 'View' }).click();
  await operator.button('Remove').click();
  await operator.goesTo('/?view=0,0,12&layers=adsb');
  await operator.isAnswered();
  await expect(chip, 'nothing is requested for it any more').toHaveCount(0);
});
