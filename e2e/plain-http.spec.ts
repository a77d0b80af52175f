import { freePort } from '#testing/free-port.ts';
import { HandingOn } from './driver/handing-on.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { newPage, startFlaggedBrowser } from './running/flagged-browser.ts';

const NAME = 'lookout.test';

test('Over plain HTTP at a name, positions are live, a replay loads, links are copied, and what needs HTTPS says so', async ({
  startOwn,
}) => {
  const port = await freePort();
  const origin = `http://${NAME}:${port}`;
  const { operators } = await startOwn({
    operators: ['anna'],
    settings: { HOST: '127.0.0.2', PORT: String(port), ALLOW_PLAIN_HTTP: '1', PUBLIC_URL: origin },
  });
  const [anna] = operators;
  if (!anna) throw new Error('no operator');
  const browser = await startFlaggedBrowser([`--host-resolver-rules=MAP ${NAME} 127.0.0.2`]);
  try {
    const page = await newPage(browser);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    const signIn = new SignInDriver(page, origin);
    await signIn.opens('/?view=46.9,8.2,8');
    await signIn.submits(anna);
    const operator = signIn.asOperator();
    await operator.seesPositions();
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
    await expect(operator.state('Aircraft')).toHaveText(/up to date/);

    await test.step('a link and a reference are copied', async () => {
      await page.keyboard.press('s');
      const handing = new HandingOn(page);
      await expect(handing.outcome).toHaveText('Link copied.');
      await page.keyboard.press('Escape');
      await operator.tracks.selectsFirst();
      await page.getByRole('button', { name: 'Copy reference' }).click();
      await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    });

    await test.step('notifications and the own position say that they need HTTPS', async () => {
      await page.getByRole('button', { name: 'My position' }).first().click();
      await expect(page.getByTestId('my-position-text')).toContainText('Browsers share the position over HTTPS only.');
      await page.getByRole('tab', { name: 'Zones' }).click();
      await page.getByRole('button', { name: 'Create zone' }).click();
      await expect(page.getByRole('form', { name: 'New zone' })).toBeVisible();
    });

    await test.step('a replay loads', async () => {
      await page.getByRole('button', { name: 'Replay', exact: true }).first().click();
      const dock = new ReplayDock(page);
      await dock.loadsLastQuarter();
      await page.keyboard.press('End');
      await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
    });
    await expect(page.getByTestId('failure')).toHaveCount(0);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
