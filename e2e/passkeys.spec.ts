import type { APIRequestContext, CDPSession, Page } from '@playwright/test';
import { accountAnswerSchema } from '#lib/api/people/account.ts';
import { auditText } from '#lib/api/people/audit-text.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test } from './lookout-test.ts';
import { auditEntries } from './running/audit-entries.ts';
import { runOperator } from './running/operators.ts';
import type { RunningLookout } from './running/running-lookout.ts';

/** Passkeys belong to a name, not to 127.0.0.1. */
const addressOf = ({ url }: RunningLookout) => url.replace('127.0.0.1', 'localhost');
const passwordOf = ({ operators }: RunningLookout, name: string) =>
  operators.find((operator) => operator.name === name)?.password ?? '';

class Device {
  readonly #cdp: CDPSession;
  readonly #id: string;

  private constructor(cdp: CDPSession, id: string) {
    this.#cdp = cdp;
    this.#id = id;
  }

  static async of(page: Page, canVerify = true): Promise<Device> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: canVerify ? 'internal' : 'usb',
        hasResidentKey: canVerify,
        hasUserVerification: canVerify,
        isUserVerified: canVerify,
        automaticPresenceSimulation: true,
      },
    });
    return new Device(cdp, authenticatorId);
  }

  /** As a copy of the passkey would count. */
  async countsFrom(count: (now: number) => number): Promise<void> {
    const authenticatorId = this.#id;
    const { credentials } = await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId });
    for (const credential of credentials) {
      await this.#cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId });
      await this.#cdp.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: { ...credential, signCount: count(credential.signCount) },
      });
    }
  }

  async verifiesUser(isUserVerified: boolean): Promise<void> {
    await this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId: this.#id, isUserVerified });
  }

  async isTakenAway(): Promise<void> {
    await this.#cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#id });
  }

  async forgetsAll(): Promise<void> {
    await this.#cdp.send('WebAuthn.clearCredentials', { authenticatorId: this.#id });
  }
}

function tries(page: Page, method: string, path: string, body?: string): Promise<string> {
  return page.evaluate(
    async ({ method, path, body }) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(path, { method, headers, ...(body === undefined ? {} : { body }) });
      const text = await answer.text();
      return answer.ok || !text.startsWith('{')
        ? String(answer.status)
        : `${answer.status} ${JSON.parse(text).error.code}`;
    },
    { method, path, body },
  );
}

/** Because the device did not verify the user. */
const unverified = ({ app }: RunningLookout) => app.stderr().match(/user could not be verified/gi)?.length ?? 0;

const status = async (answer: Promise<{ status(): number }>) => (await answer).status();

class Passkeys {
  readonly page: Page;
  readonly address: string;
  readonly signIn: SignInDriver;

  constructor(page: Page, lookout: RunningLookout) {
    this.page = page;
    this.address = addressOf(lookout);
    this.signIn = new SignInDriver(page, this.address);
  }

  get card() {
    return this.page.getByRole('region', { name: 'Passkeys' });
  }

  async arrivesByPassword(name: string, password: string): Promise<void> {
    await this.signIn.opens('/sign-in?next=%2Faccount');
    await this.signIn.submits({ name, password });
    await expect(this.card).toBeVisible();
  }

  async adds(name: string, password: string): Promise<void> {
    await this.card.getByLabel('Your password').fill(password);
    await this.card.getByRole('button', { name: 'Confirm', exact: true }).click();
    await this.card.getByLabel('Name of the new passkey').fill(name);
    await this.card.getByRole('button', { name: 'Add a passkey' }).click();
  }

  async signsOut(): Promise<void> {
    expect(await tries(this.page, 'DELETE', '/api/session')).toBe('204');
    await this.signIn.opens('/sign-in?next=%2Faccount');
  }

  async usesPasskey(): Promise<void> {
    await this.page.getByRole('button', { name: 'Use a passkey' }).click();
  }

  async signed(): Promise<string> {
    let body = '';
    await this.page.route('**/api/session/passkey', (route, request) => {
      body = request.postData() ?? '';
      return route.abort();
    });
    await this.usesPasskey();
    await expect(this.signIn.refusal).toContainText('No answer');
    await this.page.unroute('**/api/session/passkey');
    return body;
  }
}

const LETS_OFF = 'a browser that lets its device off';

/** From its next page on, the browser may skip verification, whatever the server wants. */
async function mayLetOff(page: Page): Promise<void> {
  await page.addInitScript((letsOff) => {
    const { credentials } = navigator;
    const [get, create] = [credentials.get.bind(credentials), credentials.create.bind(credentials)];
    const isOn = () => localStorage.getItem(letsOff) !== null;
    const userVerification = 'discouraged';
    credentials.get = (asked) =>
      get(isOn() && asked?.publicKey ? { ...asked, publicKey: { ...asked.publicKey, userVerification } } : asked);
    // Without verification, Chromium makes no passkey that is found without a name.
    const authenticatorSelection = { userVerification, residentKey: userVerification } as const;
    credentials.create = (asked) =>
      create(
        isOn() && asked?.publicKey ? { ...asked, publicKey: { ...asked.publicKey, authenticatorSelection } } : asked,
      );
  }, LETS_OFF);
}

async function lettingOff(page: Page, steps: () => Promise<void>): Promise<void> {
  await page.evaluate((letsOff) => localStorage.setItem(letsOff, 'yes'), LETS_OFF);
  await steps();
  await page.evaluate((letsOff) => localStorage.removeItem(letsOff), LETS_OFF);
}

const withOtherId = (body: string) => {
  const parsed = JSON.parse(body);
  const id = Buffer.from('no such passkey').toString('base64url');
  return JSON.stringify({ ...parsed, passkey: { ...parsed.passkey, id, rawId: id } });
};

test('A passkey is added, lets in without a name, and is refused when replayed, elsewhere, copied or removed', async ({
  startOwn,
  page,
  playwright,
}) => {
  const lookout = await startOwn({
    operators: ['ada', 'ben'],
    roles: { ada: 'admin', ben: 'admin' },
    settings: { LOG_LEVEL: 'info' },
  });
  const desk = new Passkeys(page, lookout);
  let device: Device;
  await mayLetOff(page);
  const password = passwordOf(lookout, 'ada');
  const stranger = await playwright.request.newContext({
    baseURL: desk.address,
    extraHTTPHeaders: { origin: desk.address, 'content-type': 'application/json' },
  });
  const send = (from: APIRequestContext, method: string, path: string, data?: string) =>
    from.fetch(path, { method, ...(data === undefined ? {} : { data }) });

  await test.step('adding asks for the password first', async () => {
    await desk.arrivesByPassword('ada', password);
    for (const [method, path] of [
      ['POST', '/api/account/passkeys/options'],
      ['DELETE', '/api/account/passkeys/x'],
      ['DELETE', '/api/account/password'],
    ] as const)
      expect(await tries(page, method, path)).toBe('428 not_confirmed');
    expect(await tries(page, 'POST', '/api/account/confirmation', '{"password":"a guess"}')).toBe(
      '401 sign_in_refused',
    );
    const careless = await Device.of(page, false);
    await lettingOff(page, async () => {
      await desk.adds('Desk key', password);
      await expect(desk.card.getByRole('alert')).toContainText('This passkey could not be checked');
    });
    await expect.poll(() => unverified(lookout)).toBe(1);
    await careless.isTakenAway();
    device = await Device.of(page);
    await desk.card.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(desk.card.getByRole('status')).toHaveText('Desk key was added.');
    await expect(desk.card.getByRole('listitem')).toContainText('Desk key');
    await desk.card.getByLabel('Name of the new passkey').fill('Again');
    await desk.card.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(desk.card.getByRole('alert')).toHaveText('There is a passkey of yours on this device already.');
    expect(await tries(page, 'DELETE', '/api/account/password')).toBe('409 not_possible');
  });

  await test.step('it signs in once for each challenge, and only the browser that was sent the challenge', async () => {
    await desk.signsOut();
    const unsent = await desk.signed();
    const refused = async (answer: { json(): Promise<unknown>; status(): number }) => {
      const { error } = (await answer.json()) as { error: object };
      return { status: answer.status(), error };
    };
    const elsewhere = await refused(await send(stranger, 'POST', '/api/session/passkey', unsent));
    expect(elsewhere).toMatchObject({ status: 401, error: { code: 'sign_in_refused' } });
    expect(await refused(await send(stranger, 'POST', '/api/session/passkey', withOtherId(unsent)))).toEqual(elsewhere);
    expect(await status(send(stranger, 'POST', '/api/session/passkey/options'))).toBe(200);
    expect(await refused(await send(stranger, 'POST', '/api/session/passkey', unsent))).toEqual(elsewhere);
    expect(await tries(page, 'POST', '/api/session/passkey', unsent)).toBe('204');
    expect(await tries(page, 'GET', '/api/account')).toBe('200');
    expect(await tries(page, 'POST', '/api/session/passkey', unsent)).toBe('401 sign_in_refused');

    await desk.signsOut();
    await page.getByLabel('Keep me signed in').check();
    await desk.usesPasskey();
    await expect(page.getByRole('region', { name: 'Your sessions' })).toContainText('by passkey');
    await expect(page.getByRole('region', { name: 'Your sessions' })).toContainText('kept by the browser');
  });

  await test.step('one that did not ask who is there is refused, to sign in and to confirm', async () => {
    await device.verifiesUser(false);
    await lettingOff(page, async () => {
      await desk.card.getByRole('button', { name: 'Confirm with a passkey' }).click();
      await expect(desk.card.getByRole('alert')).toContainText('This passkey is not accepted.');
      await expect.poll(() => unverified(lookout)).toBe(2);
      expect(await tries(page, 'POST', '/api/account/passkeys/options')).toBe('428 not_confirmed');
      await desk.signsOut();
      await desk.usesPasskey();
      await expect(desk.signIn.refusal).toContainText('This passkey is not accepted.');
      await expect.poll(() => unverified(lookout)).toBe(3);
      expect(await tries(page, 'GET', '/api/account')).toBe('401 not_signed_in');
    });
    await device.verifiesUser(true);
    await desk.usesPasskey();
    await expect(desk.card).toBeVisible();
  });

  await test.step('one whose count goes back is refused, and its count stays', async () => {
    await desk.signsOut();
    await device.countsFrom(() => 0);
    await desk.usesPasskey();
    await expect(desk.signIn.refusal).toContainText('This passkey is not accepted.');
    await device.countsFrom(() => 1000);
    await desk.usesPasskey();
    await expect(desk.card).toBeVisible();
    await expect.poll(() => lookout.app.stderr()).toContain('it may have been copied');
  });

  await test.step('removed, it no longer works, and its sessions end', async () => {
    const session = (await page.context().cookies()).filter(({ name }) => name === 'lookout');
    await page.context().clearCookies();
    await desk.signIn.opens('/sign-in?next=%2Faccount');
    const unsent = await desk.signed();
    expect(await status(send(stranger, 'POST', '/api/session', JSON.stringify({ name: 'ada', password })))).toBe(204);
    expect(await status(send(stranger, 'POST', '/api/account/confirmation', JSON.stringify({ password })))).toBe(204);
    const { passkeys } = accountAnswerSchema.parse(await (await stranger.get('/api/account')).json());
    const ended = await send(stranger, 'DELETE', `/api/account/passkeys/${passkeys?.list[0]?.id}`);
    expect((await ended.json()).ended).toBeGreaterThanOrEqual(1);
    expect(await tries(page, 'POST', '/api/session/passkey', unsent)).toBe('401 sign_in_refused');
    expect(session).toHaveLength(1);
    await page.context().addCookies(session);
    expect(await tries(page, 'GET', '/api/account')).toBe('401 not_signed_in');
  });

  await test.step('the last passkey or password stays; an admin removes it for an operator who has lost it', async () => {
    await device.forgetsAll();
    await desk.arrivesByPassword('ada', password);
    await desk.adds('Phone', password);
    await expect(desk.card.getByRole('status')).toHaveText('Phone was added.');
    await desk.signsOut();
    await desk.usesPasskey();
    await desk.card.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await desk.card.getByRole('button', { name: 'Remove my password' }).click();
    await expect(desk.card.getByRole('status')).toHaveText('Your password was removed.');
    await desk.card.getByRole('button', { name: 'Remove Phone' }).click();
    await expect(desk.card.getByRole('alert')).toContainText('This is your only way in');
    expect(await tries(page, 'DELETE', '/api/admin/people/ada/passkeys')).toBe('409 not_possible');
    expect(await status(stranger.get('/api/account'))).toBe(401);
    expect(await status(send(stranger, 'POST', '/api/session', JSON.stringify({ name: 'ada', password })))).toBe(401);
    const ben = JSON.stringify({ name: 'ben', password: passwordOf(lookout, 'ben') });
    expect(await status(send(stranger, 'POST', '/api/session', ben))).toBe(204);
    expect(await (await send(stranger, 'DELETE', '/api/admin/people/ada/passkeys')).json()).toEqual({ ended: 1 });
    expect(await tries(page, 'GET', '/api/account')).toBe('401 not_signed_in');
    expect(await status(send(stranger, 'POST', '/api/admin/people/ada/password'))).toBe(200);
  });

  const texts = (await auditEntries(lookout)).map(({ event }) => auditText(event));
  for (const text of [
    'added the passkey “Desk key” of ada',
    'removed the passkey “Desk key” of ada',
    'removed the password of ada',
    'removed the passkey “Phone” of ada',
    'sign-in with a passkey as ada refused: not accepted',
    'sign-in with a passkey as an unknown name refused: not accepted',
    expect.stringMatching(/^signed in with a passkey, session /),
  ])
    expect(texts).toContainEqual(text);
  await stranger.dispose();
});

test('Where passkeys are required, a password leads to adding one and to nothing else', async ({
  startOwn,
  page,
  browser,
  playwright,
}) => {
  const lookout = await startOwn({
    operators: ['ada', 'chief'],
    roles: { chief: 'admin' },
    settings: { REQUIRE_PASSKEYS: '1' },
  });
  const desk = new Passkeys(page, lookout);
  await Device.of(page);
  const password = passwordOf(lookout, 'ada');
  const live = '/api/live?bbox=7,46,8,47';
  const thief = await playwright.request.newContext({
    baseURL: desk.address,
    extraHTTPHeaders: { origin: desk.address, 'content-type': 'application/json' },
  });
  const byPassword = () => status(thief.post('/api/session', { data: { name: 'ada', password } }));
  expect(await byPassword()).toBe(204);

  await desk.signIn.opens('/?view=47,8,9');
  await desk.signIn.submits({ name: 'ada', password });
  await expect(desk.card).toContainText('Passkeys are required here.');
  expect(new URL(page.url()).pathname).toBe('/account');
  expect(await tries(page, 'GET', live)).toBe('403 account_unfinished');
  await desk.adds('Desk key', password);
  await expect(desk.card.getByRole('status')).toHaveText('Desk key was added.');
  expect(await tries(page, 'GET', live)).toBe('200');
  await expect(desk.card).not.toContainText('Passkeys are required here.');

  // A session of the password alone can neither add nor confirm.
  expect(await status(thief.get(live))).toBe(403);
  expect(await status(thief.post('/api/account/confirmation', { data: { password } }))).toBe(409);
  expect(await byPassword()).toBe(401);
  await desk.card.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await desk.card.getByRole('button', { name: 'Remove Desk key' }).click();
  await expect(desk.card.getByRole('alert')).toContainText('this is your last');

  await page.context().clearCookies();
  await page.context().addCookies((await thief.storageState()).cookies);
  await page.reload();
  await desk.card.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await desk.signIn.opens('/sign-in?next=%2Faccount');
  await expect(page.getByText('Passkeys are required here.')).toBeVisible();
  await page.goto(`${lookout.url}/sign-in`);
  await expect(page.getByText(`Passkeys work at ${desk.address}`)).toBeVisible();
  await desk.signIn.opens('/sign-in?next=%2Faccount');
  await desk.usesPasskey();
  await expect(desk.card).toBeVisible();
  expect(await tries(page, 'GET', live)).toBe('200');

  const { stdout } = await runOperator({ DATA_DIR: lookout.dataDir }, ['remove-passkeys', 'ada']);
  expect(stdout).toContain('ada has no passkeys any more. Sessions of ada that were ended: 2.');
  await expect.poll(() => tries(page, 'GET', '/api/account')).toBe('401 not_signed_in');
  expect(await byPassword()).toBe(204);

  await test.step('a new password for an operator with a passkey would not work: the page says so, and offers the remedy', async () => {
    await desk.arrivesByPassword('ada', password);
    await desk.adds('Phone', password);
    await expect(desk.card.getByRole('status')).toHaveText('Phone was added.');
    const other = await browser.newContext();
    const chief = new Passkeys(await other.newPage(), lookout);
    await Device.of(chief.page);
    await chief.signIn.opens('/sign-in?next=%2Faccount');
    await chief.signIn.submits({ name: 'chief', password: passwordOf(lookout, 'chief') });
    await chief.adds('Chief’s key', passwordOf(lookout, 'chief'));
    await expect(chief.card.getByRole('status')).toHaveText('Chief’s key was added.');
    await chief.signIn.opens('/admin');
    const ada = chief.page.getByRole('region', { name: 'ada' });
    await expect(ada).toContainText('operator, passkeys: 1');
    await expect(ada).toContainText('While ada has one, a password is no way in');
    await expect(ada.getByRole('button', { name: 'Make a new password', exact: true })).toHaveCount(0);
    expect(await tries(chief.page, 'POST', '/api/admin/people/ada/password')).toBe('409 not_possible');
    expect(await tries(page, 'GET', '/api/account')).toBe('200');
    await ada.getByRole('button', { name: 'Remove passkeys and make a new password' }).click();
    await expect(ada.getByRole('status')).toHaveText(
      'ada has a new initial password and no passkeys, and was signed out.',
    );
    await expect(ada).toContainText('initial password, not changed yet, no passkey yet');
    const initial = (await chief.page.getByTestId('shown-once').textContent()) ?? '';
    expect(await tries(page, 'GET', '/api/account')).toBe('401 not_signed_in');
    expect(await status(thief.post('/api/session', { data: { name: 'ada', password: initial } }))).toBe(204);
    expect((await (await thief.get('/api/account')).json()).needs).toBe('new-password');
    await other.close();
  });
  await thief.dispose();
});
