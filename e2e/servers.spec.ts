import { AllowancePanel } from './driver/allowance-panel.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { canStartServers, startServers } from './running/running-servers.ts';

const NO_DATABASE = 'the database of Lookout does not answer';

test.use({ ignoreHTTPSErrors: true });

test('Of two servers behind nginx with TLS, a page keeps a session of this host alone, lists both, and says when PostgreSQL is lost', async ({
  browser,
  page,
  plainBasemap,
  request,
}) => {
  test.skip(!canStartServers(), 'PostgreSQL or nginx is not installed');
  const all = await startServers({ servers: 2, operators: ['ada'], settings: plainBasemap, tls: true });
  try {
    const [ada] = all.operators;
    const [first] = all.servers;
    if (!ada || !first) throw new Error('no servers');
    const signIn = new SignInDriver(page, all.url);
    const operator = signIn.asOperator();

    await test.step('A browser signs in, keeps cookies of this host and of TLS alone, and is out when it signs out', async () => {
      await signIn.opens('/?view=46.9,8.2,7');
      await signIn.submits(ada);
      await expect(operator.state('Aircraft')).toHaveText(/up to date/);
      const kept = await page.context().cookies();
      const bound = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' };
      expect(kept.map(({ name }) => name)).toContain('__Host-lookout');
      for (const each of kept)
        expect(each, each.name).toMatchObject({ ...bound, name: expect.stringMatching(/^__Host-/) });
      await signIn.signsOut(ada.name);
      await signIn.seesForm();
      expect((await page.request.get(`${all.url}/api/session`)).status()).toBe(401);
    });

    await test.step('The Allowance panel lists all servers, and names the writer', async () => {
      await signIn.submits(ada);
      await operator.seesPositions();
      await new AllowancePanel(page).opens();
      const servers = page.getByTestId('servers').getByRole('listitem');
      await expect(servers).toHaveCount(2);
      await expect(servers.filter({ hasText: (await all.writerLease()).writer.name })).toHaveCount(1);
      await expect(page.getByText('Spent today by all servers')).toBeVisible();
    });

    await test.step('While PostgreSQL is lost the map says so, and another page leads to the sign-in page, which gives the reason, and back', async () => {
      // A server lets a session that it knows read for a minute.
      const session = await request.post(`${first.url}/api/session`, {
        data: { name: ada.name, password: ada.password },
        headers: { origin: all.url },
      });
      expect(session.status()).toBe(204);
      const set = session.headersArray().find(({ value }) => value.startsWith('__Host-lookout='));
      const [name = '', value = ''] = (set?.value.split(';')[0] ?? '').split(/=(.*)/);
      await all.stopServer(first);
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const other = await context.newPage();
      await context.addCookies([{ name, value, url: all.url, secure: true }]);
      all.database.stop();
      await expect(page.getByText(NO_DATABASE).first()).toBeVisible();
      expect(await operator.marksDrawn()).toBeGreaterThan(0);
      await other.goto(`${all.url}/account`);
      await expect(other).toHaveURL(/\/sign-in\?next=%2Faccount$/);
      await expect(
        other.getByText(
          'Sign-in is not available at the moment: Lookout’s database does not answer. Try again in a few seconds.',
        ),
      ).toBeVisible();
      all.database.start();
      await expect(async () => {
        await other.reload();
        await expect(other).toHaveURL(/\/account$/, { timeout: 100 });
      }).toPass();
      await expect(page.getByText(NO_DATABASE)).toHaveCount(0);
      await context.close();
    });
  } finally {
    // An open page would delay the stop.
    await page.close();
    await all.stop();
  }
});
