import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

test.describe.configure({ mode: 'default' });
test.describe('The picture', () => {
  test('draws and counts what was received, and says that all of it is simulated', async ({ operator }) => {
    await operator.watches();
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d+ s ago$/);
    await expect(operator.state('Drones')).toHaveText(/^Drones: up to date, read \d+ s ago$/);
    const allSimulated = /^[1-9]\d* simulated( · \d+ simulated expired)?$/;
    await expect(operator.count('Aircraft')).toHaveText(allSimulated);
    await expect(operator.count('Drones')).toHaveText(allSimulated);
    await expect(operator.notice('all-simulated')).toBeVisible();
    await expect
      .poll(
        async () => (await operator.marksDrawn()) - (await operator.tracks.received()),
        'marks drawn minus tracks listed',
      )
      .toBe(0);
    await expect
      .poll(async () => {
        const counted = (await operator.countOf('Aircraft')) + (await operator.countOf('Drones'));
        return operator.answers.miscounted(counted, Date.now());
      }, 'positions counted too few or too many')
      .toBe(0);

    await test.step('does not request a layer that is off, and says so', async () => {
      await operator.switchesLayer('Drones');
      await expect(operator.state('Drones')).toHaveText('Drones: layer is off, not requested');
      await expect(operator.state('Aircraft')).toHaveText(/up to date/);
      await expect.poll(() => operator.answers.lastRequest()?.searchParams.get('layers')).toBe('adsb');
      await expect.poll(() => operator.answers.last()?.layers.rid).toBeUndefined();
      expect(new URL(operator.page.url()).searchParams.get('layers')).toBe('adsb');
      await operator.switchesLayer('Drones');
      await expect(operator.state('Drones')).toHaveText(/up to date/);
    });

    await test.step('The legend explains marks and colours, and can be hidden', async () => {
      await expect(operator.legend).toContainText('Aircraft altitude, m');
      await expect(operator.legend).not.toContainText('Simulated');
      await operator.button('Marks').click();
      await expect(operator.legend.getByRole('heading').first()).toHaveText('On the map now');
      await expect(operator.legend).toContainText('Simulated');
      await expect(operator.legend).toContainText('Several stations');
      await operator.button('Hide the legend').click();
      await expect(operator.legend).toHaveCount(0);
      await operator.button('Show the legend').click();
      await expect(operator.legend).toBeVisible();
    });

    await test.step('The theme is changed with one button and stored in this browser', async () => {
      const dark = await operator.backgroundColour();
      await operator.choosesTheme('light');
      expect(await operator.backgroundColour()).not.toBe(dark);
      await operator.page.reload();
      await operator.seesPositions();
      expect(await operator.backgroundColour()).not.toBe(dark);
    });
  });

  test('says for an empty view that no positions were received, never that there is no traffic', async ({
    operator,
  }) => {
    await operator.goesTo('/?view=-75,-120,6');
    await expect(operator.state('Aircraft')).toHaveText('No aircraft positions received in this view');
    await expect(operator.state('Drones')).toHaveText('No drone positions received in this view');
    await expect(operator.page.getByText(/no traffic/i)).toHaveCount(0);
  });
});

test.describe('A selected track', () => {
  test('is the same on the map, in the table and in the address; Esc clears it, a click on its mark selects it', async ({
    startDesk,
  }, info) => {
    const balloon = { id: 'balloon', lon: 8.2, lat: 46.9, alt_m: 2000 };
    const recording = makeRecording(info.outputPath(), 'adsb', [balloon]);
    const { operator } = await startDesk({ service: playing(recording) });
    const { tracks } = operator;
    await operator.watches('/?view=46.7,8.5,7&layers=adsb');
    await operator.seesAll();

    const selected = await tracks.selectsFirst();
    await expect(tracks.row(selected)).toHaveAttribute('aria-selected', 'true');
    await expect.poll(() => new URL(operator.page.url()).searchParams.get('sel')).toBe(selected);
    await operator.page.keyboard.press('Escape');
    await tracks.isClosed();
    await expect(tracks.selectedRow).toHaveCount(0);
    await expect.poll(() => new URL(operator.page.url()).searchParams.has('sel')).toBe(false);

    await test.step('is selected by a click on its mark', async () => {
      await operator.clicksMapAt(balloon);
      await expect(tracks.card).toBeVisible();
      const picked = await tracks.selectedReference();
      await expect(tracks.selectedRow).toHaveAttribute('data-ref', picked);
      await tracks.centres();
      await expect.poll(() => operator.viewInAddress()?.lat ?? 0).toBeCloseTo(balloon.lat, 2);
      await operator.page.keyboard.press('Escape');
      await tracks.isClosed();
      await operator.clicksMapAt(balloon);
      await expect(tracks.selectedRow).toHaveAttribute('data-ref', picked);
    });
  });
});

test.describe('The address bar', () => {
  test('opens the view it names, follows the map, and a reload brings the same view back', async ({ operator }) => {
    await test.step('unknown or invalid parameters are ignored and named, and the rest is applied', async () => {
      await operator.watches('/?view=nowhere&layers=rid,boats&lat=47.2&lon=8.6&zoom=8&colour=red');
      await expect(operator.notice('ignored')).toContainText(/“colour=red”.*view, layers/);
      await expect(operator.state('Aircraft')).toHaveText(/up to date/);
    });
    expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
    const before = await operator.page.evaluate(() => history.length);
    await operator.drags(150, -80);
    await expect.poll(() => operator.viewInAddress()?.lon).toBeLessThan(8.4);
    await test.step('panning adds no history entries', async () => {
      expect(await operator.page.evaluate(() => history.length)).toBe(before);
    });
    const moved = operator.viewInAddress();
    await operator.page.reload();
    await operator.seesPositions();
    expect(operator.viewInAddress()).toEqual(moved);

    await test.step('a drag goes on when the map gets another size under it', async () => {
      const map = operator.page.getByTestId('map');
      const heightOf = (part: string) => map.locator(part).evaluate(({ clientHeight }) => clientHeight);
      const height = await heightOf('.maplibregl-map');
      await operator.drags(300, 0, async () => {
        await operator.page.setViewportSize({ width: 1280, height: 600 });
        await expect.poll(() => heightOf('.maplibregl-map')).toBeLessThan(height);
      });
      // 300 pixels at zoom 8.
      await expect.poll(() => operator.viewInAddress()?.lon).toBeLessThan((moved?.lon ?? Number.NaN) - 0.8);
      const after = await heightOf('.maplibregl-map');
      await test.step('and then the map has that size', () =>
        expect.poll(async () => Math.abs((await heightOf('canvas')) - after)).toBeLessThan(4));
    });
  });
});

test('The map is shaded outside the covered area', async ({ operator }) => {
  // Open ocean on both sides: only the shade differs.
  await operator.goesTo('/?view=0,-150,2.5');
  await expect(operator.notice('capped')).toBeVisible();
  const luminance = (lon: number) => operator.luminanceAt({ lat: 6, lon });
  await expect.poll(async () => (await luminance(-145)) - (await luminance(-125))).toBeGreaterThan(3);
});
