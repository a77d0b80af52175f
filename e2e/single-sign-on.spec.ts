import { writeFileSync } from 'node:fs';
import { freePort } from '#testing/free-port.ts';
import { startIdentityProvider } from '#testing/identity-provider.ts';
import { ProviderDriver } from './driver/provider-driver.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';

test('A shared link opens after signing in at the provider; a person who is not allowed sees that, and signs in as another', async ({
  startOwn,
  page,
}, info) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const people = new Map([
    ['ada', { name: 'Ada L.', groups: ['tower', 'chiefs'] }],
    ['eve', { name: 'Eve', groups: ['guests'] }],
  ]);
  const provider = await startIdentityProvider({ people, redirectUri: `${url}/sign-in/oidc/callback` });
  const secretFile = info.outputPath('client-secret');
  writeFileSync(secretFile, `${provider.clientSecret}\n`);
  await startOwn({
    operators: ['by password'],
    settings: {
      PORT: String(port),
      PUBLIC_URL: url,
      SESSION_SECRET: 's'.repeat(32),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET_FILE: secretFile,
      OIDC_ALLOW: 'tower',
      OIDC_ADMIN: 'chiefs',
    },
  });
  const signIn = new SignInDriver(page, url);
  const atProvider = new ProviderDriver(page, provider.issuer);
  const host = new URL(provider.issuer).host;
  await signIn.opens('/?view=47.2,8.6,8&layers=rid');
  await signIn.seesForm();
  await page.getByRole('link', { name: `Sign in with ${host}` }).click();
  await atProvider.signsIn('eve');
  await signIn.seesForm();
  await expect(page.getByTestId('single-sign-on').getByRole('alert')).toHaveText(
    `Eve at ${host} is not allowed to use Lookout. Ask an administrator of Lookout for access, or sign in as another user.`,
  );
  await page.getByRole('link', { name: 'Sign in as another user' }).click();
  await atProvider.refuses();
  await expect(page.getByTestId('single-sign-on').getByRole('alert')).toHaveText(
    `Signing in at ${host} was not completed. You are not signed in.`,
  );
  await page.getByRole('link', { name: 'Sign in as another user' }).click();
  await atProvider.signsIn('ada');
  const operator = signIn.asOperator();
  await operator.seesPositions();
  expect(operator.viewInAddress()).toEqual({ lat: 47.2, lon: 8.6, zoom: 8 });
  await expect(operator.state('Aircraft')).toHaveText('Aircraft: layer is off, not requested');
  expect(await (await page.request.get(`${url}/api/session`)).json()).toEqual({
    operator: 'Ada L.',
    role: 'admin',
    sign_in_required: true,
  });
  await signIn.signsOut('Ada L.');
  await signIn.seesForm();
  expect((await page.request.get(`${url}/api/session`)).status()).toBe(401);
  // The provider has its own sign-out.
  await page.getByRole('link', { name: 'Sign out at the provider' }).click();
  await page.waitForURL((url) => url.origin === provider.issuer);
  await expect(page.getByText(/sign-out from/i)).toBeVisible();
  const forged = await page.request.get(`${url}/sign-in?problem=<script>alert(1)</script>&next=//evil.example`);
  expect(await forged.text()).not.toContain('<script>alert');
  await page.close();
  await provider.stop();
});
