import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { accountAnswerSchema, endedSchema, initialPasswordSchema, peopleSchema } from '#lib/api/people/account.ts';
import { type AuditEntry, auditEntrySchema } from '#lib/api/people/audit-event.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { runOperator } from './running/operators.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

async function faults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

class Client {
  readonly #lookout: RunningLookout;
  #cookie = '';

  constructor(lookout: RunningLookout) {
    this.#lookout = lookout;
  }

  async ask(method: string, path: string, body?: object): Promise<Response> {
    const { url } = this.#lookout;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { origin: url, 'content-type': 'application/json', 'user-agent': FIREFOX, cookie: this.#cookie },
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
    });
    const [set] = answer.headers.getSetCookie();
    if (set !== undefined) this.#cookie = set.split(';')[0] ?? '';
    return answer;
  }

  async tries(method: string, path: string, body?: object): Promise<string> {
    const answer = await this.ask(method, path, body);
    const text = await answer.text();
    if (answer.ok || !text.startsWith('{')) return String(answer.status);
    return `${answer.status} ${errorAnswerSchema.parse(JSON.parse(text)).error.code}`;
  }

  signIn(name: string, password: string): Promise<string> {
    return this.tries('POST', '/api/session', { name, password });
  }

  async account() {
    return accountAnswerSchema.parse(await (await this.ask('GET', '/api/account')).json());
  }

  async people() {
    return peopleSchema.parse(await (await this.ask('GET', '/api/admin/people')).json()).people;
  }
}

const staffedLookout = sharedInFile(({ plainBasemap }) =>
  startLookout({ operators: ['ada', 'ben', 'cleo'], roles: { ada: 'admin' }, settings: plainBasemap }),
);
const test = lookoutTest.extend<{ staffed: RunningLookout }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  staffed: ({}, use) => use(staffedLookout()),
});

// In sequence, to share one Lookout.
test.describe.configure({ mode: 'default' });

const passwordOf = (lookout: RunningLookout, name: string) =>
  lookout.operators.find((operator) => operator.name === name)?.password ?? '';

async function signedIn(lookout: RunningLookout, name: string, password = passwordOf(lookout, name)): Promise<Client> {
  const client = new Client(lookout);
  expect(await client.signIn(name, password)).toBe('204');
  return client;
}

test('The cookie ends with the browser, unless it is to be kept', async ({ staffed }) => {
  const cookieFor = async (kept: object) => {
    const body = { name: 'cleo', password: passwordOf(staffed, 'cleo'), ...kept };
    const answer = await new Client(staffed).ask('POST', '/api/session', body);
    return answer.headers.getSetCookie()[0] ?? '';
  };
  expect(await cookieFor({})).not.toMatch(/max-age|expires/i);
  expect(await cookieFor({ kept: false })).not.toMatch(/max-age|expires/i);
  expect(await cookieFor({ kept: true })).toMatch(/max-age=604800/i);
});

test('An operator sees their own sessions, and ends one, or all others', async ({ staffed }) => {
  const [desk, phone, other] = [
    await signedIn(staffed, 'ben'),
    await signedIn(staffed, 'ben'),
    await signedIn(staffed, 'ben'),
  ];
  const { operator, role, password, needs, sessions } = await desk.account();
  expect({ operator, role, password, needs }).toEqual({
    operator: 'ben',
    role: 'operator',
    password: true,
    needs: null,
  });
  expect(sessions).toHaveLength(3);
  for (const session of sessions)
    expect(session).toMatchObject({ by: 'password', browser: 'Firefox on Linux', address: '127.0.0.1', kept: false });
  const current = (await phone.account()).sessions.find((session) => session.current);
  expect(await desk.tries('DELETE', `/api/account/sessions/${current?.id}`)).toBe('204');
  expect(await phone.tries('GET', '/api/account')).toBe('401 not_signed_in');
  expect(await desk.tries('DELETE', `/api/account/sessions/${current?.id}`)).toBe('404 not_found');
  expect(endedSchema.parse(await (await desk.ask('DELETE', '/api/account/sessions')).json())).toEqual({ ended: 1 });
  expect(await other.tries('GET', '/api/account')).toBe('401 not_signed_in');
  expect((await desk.account()).sessions).toMatchObject([{ current: true }]);

  const stranger = await signedIn(staffed, 'cleo');
  const [own] = (await desk.account()).sessions;
  expect(await stranger.tries('DELETE', `/api/account/sessions/${own?.id}`)).toBe('404 not_found');
  expect(await desk.tries('GET', '/api/account')).toBe('200');
});

test('A new password asks for the present one, must not be common, and ends the other sessions', async ({
  staffed,
}) => {
  const [desk, phone] = [await signedIn(staffed, 'ben'), await signedIn(staffed, 'ben')];
  const present = passwordOf(staffed, 'ben');
  const next = 'seven herons over the quarry';
  const change = (before: string, after: string) =>
    desk.tries('PUT', '/api/account/password', { present: before, next: after });
  expect(await change(present, 'short')).toBe('400 weak_password');
  expect(await change(present, 'qwertyuiop12')).toBe('400 weak_password');
  expect(await change(present, present)).toBe('400 weak_password');
  expect(await change('not the present one', next)).toBe('401 sign_in_refused');
  expect(await phone.tries('GET', '/api/account')).toBe('200');

  const changed = await desk.ask('PUT', '/api/account/password', { present, next });
  const { ended } = endedSchema.parse(await changed.json());
  expect(ended).toBeGreaterThanOrEqual(1);
  expect(await desk.tries('GET', '/api/account')).toBe('200');
  expect(await phone.tries('GET', '/api/account')).toBe('401 not_signed_in');
  expect(await new Client(staffed).signIn('ben', present)).toBe('401 sign_in_refused');
  await signedIn(staffed, 'ben', next);

  await test.step('guesses at the present one are slowed down like those to sign in', async () => {
    let answer = '';
    for (let guess = 0; guess < 8 && !answer.startsWith('429'); guess++)
      answer = await change(`guess ${guess}`, present);
    expect(answer).toBe('429 too_many_attempts');
  });
});

test('An admin adds an operator, who has to choose a password first; changes their role, and removes them', async ({
  staffed,
}) => {
  const admin = await signedIn(staffed, 'ada');
  const added = await admin.ask('POST', '/api/admin/people', { name: 'dora d.', role: 'viewer' });
  expect(added.status).toBe(201);
  const { password, until } = initialPasswordSchema.parse(await added.json());
  expect(Date.parse(until)).toBeGreaterThan(Date.now());
  expect(await admin.tries('POST', '/api/admin/people', { name: 'dora d.', role: 'viewer' })).toBe('409 name_taken');
  expect(await admin.tries('POST', '/api/admin/people', { name: '<b>', role: 'viewer' })).toBe('400 bad_body');
  expect(await admin.people()).toContainEqual(
    expect.objectContaining({ name: 'dora d.', role: 'viewer', password: 'initial', sessions: [] }),
  );

  const dora = await signedIn(staffed, 'dora d.', password);
  const live = '/api/live?bbox=7,46,8,47';
  expect(await dora.tries('GET', live)).toBe('403 account_unfinished');
  expect(await dora.account()).toMatchObject({ needs: 'new-password' });
  const next = 'eleven storks by the harbour';
  expect(await dora.tries('PUT', '/api/account/password', { present: password, next })).toBe('200');
  expect(await dora.tries('GET', live)).toBe('200');
  expect(await dora.tries('GET', '/api/admin/people')).toBe('403 not_permitted');

  const path = `/api/admin/people/${encodeURIComponent('dora d.')}`;
  expect(await admin.tries('PATCH', path, { role: 'admin' })).toBe('204');
  expect(await dora.tries('GET', '/api/admin/people')).toBe('200');
  const reset = initialPasswordSchema.parse(await (await admin.ask('POST', `${path}/password`)).json());
  expect(await dora.tries('GET', '/api/session')).toBe('401 not_signed_in');
  const again = await signedIn(staffed, 'dora d.', reset.password);
  const session = (await admin.people()).find(({ name }) => name === 'dora d.')?.sessions[0];
  expect(await admin.tries('DELETE', `/api/admin/sessions/${session?.id}`)).toBe('204');
  expect(await again.tries('GET', '/api/session')).toBe('401 not_signed_in');
  const last = await signedIn(staffed, 'dora d.', reset.password);
  expect(await admin.tries('DELETE', `${path}/sessions`)).toBe('200');
  expect(await last.tries('GET', '/api/session')).toBe('401 not_signed_in');
  expect(await admin.tries('DELETE', path)).toBe('204');
  expect(await new Client(staffed).signIn('dora d.', reset.password)).toBe('401 sign_in_refused');
  expect(await admin.tries('DELETE', path)).toBe('404 not_found');
});

test('An admin sees who alone has caused which requests', async ({ staffed }) => {
  const [admin, cleo] = [await signedIn(staffed, 'ada'), await signedIn(staffed, 'cleo')];
  const spentBy = async (name: string) => (await admin.people()).find((person) => person.name === name)?.spent_today;
  expect(await spentBy('cleo')).toEqual({ past: 0, first_views: 0 });
  const end = Math.floor(Date.now() / 60_000 - 2) * 60_000;
  const [from, to] = [end - 60_000, end].map((ms) => new Date(ms).toISOString());
  const loaded = await cleo.ask('GET', `/api/history?bbox=7,46,8,47&layers=adsb&start=${from}&end=${to}`);
  await loaded.text();
  const requests = (await staffed.service.requests()).filter(({ operation }) => operation.startsWith('history')).length;
  expect(requests).toBeGreaterThan(0);
  expect(await spentBy('cleo')).toEqual({ past: requests, first_views: 0 });
  await (await cleo.ask('GET', '/api/live?bbox=20,50,21,51&layers=adsb')).text();
  await expect.poll(async () => (await spentBy('cleo'))?.first_views).toBeGreaterThan(0);
  expect(await spentBy('ada')).toEqual({ past: 0, first_views: 0 });
});

test('The last admin can neither be removed nor made less', async ({ staffed }) => {
  const admin = await signedIn(staffed, 'ada');
  expect(await admin.tries('DELETE', '/api/admin/people/ada')).toBe('409 not_possible');
  expect(await admin.tries('PATCH', '/api/admin/people/ada', { role: 'viewer' })).toBe('409 not_possible');
  expect(await admin.tries('GET', '/api/admin/people')).toBe('200');
});

test('npm run operator changes people and ends sessions while Lookout runs', async ({ staffed }) => {
  const cleo = await signedIn(staffed, 'cleo');
  const run = (...command: string[]) => runOperator({ DATA_DIR: staffed.dataDir }, command);
  const isRefused = () => expect.poll(() => cleo.tries('GET', '/api/session')).toBe('401 not_signed_in');

  expect((await run('list')).stdout).toContain('ada\tadmin\tpassword\n');
  expect((await run('role', 'cleo', 'admin')).stdout).toBe('cleo is admin now.\n');
  await expect.poll(() => cleo.tries('GET', '/api/admin/people')).toBe('200');
  expect(await run('sign-out', 'cleo')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ended: [1-9]/) });
  await isRefused();
  expect(await cleo.signIn('cleo', passwordOf(staffed, 'cleo'))).toBe('204');
  expect(await run('remove', 'cleo')).toMatchObject({ code: 0, stdout: expect.stringMatching(/ended: 1/) });
  await isRefused();

  const audit = await (await (await signedIn(staffed, 'ada')).ask('GET', '/api/admin/audit?operator=cleo')).json();
  const entries: readonly AuditEntry[] = audit.entries.map((entry: unknown) => auditEntrySchema.parse(entry));
  const changes = entries.filter(({ address }) => address === 'command line').map(({ event }) => event.kind);
  expect(new Set(changes)).toEqual(new Set(['session_ended', 'person_removed', 'role_changed']));

  for (const [command, words] of [
    [['role', 'cleo', 'admin'], 'There is no operator cleo'],
    [['role', 'ben', 'root'], 'is no role: write viewer, operator, admin'],
    [['remove', 'unknown'], 'There is no operator unknown'],
    [['add', 'ben', '--password-stdin'], 'ben is an operator already'],
    [['sign-out'], 'npm run operator -- add NAME'],
    [['list', '--role', 'admin'], '--role is for add'],
  ] as const)
    expect(await run(...command), command.join(' ')).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
});

test('Pages: an admin adds an operator, whose first sign-in leads to a password of their own and then to the map', async ({
  staffed,
  page,
  browser,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const signIn = new SignInDriver(page, staffed.url);
  await signIn.opens('/admin');
  await signIn.submits({ name: 'ada', password: passwordOf(staffed, 'ada') });
  await expect(page.getByRole('heading', { name: 'People' })).toBeVisible();
  const add = page.getByRole('region', { name: 'Add somebody' });
  await add.getByLabel('Name').fill('eve');
  await add.getByRole('radio', { name: 'viewer' }).click();
  await add.getByRole('button', { name: 'Add' }).click();
  await expect(add.getByRole('status')).toHaveText('eve was added as viewer.');
  const password = (await page.getByTestId('initial-password').textContent()) ?? '';
  const card = page.getByRole('region', { name: 'eve' });
  await expect(card).toContainText('viewer, initial password, not changed yet, not signed in');
  expect(await faults(page)).toEqual([]);

  const other = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'light' });
  const eve = await other.newPage();
  const arrives = new SignInDriver(eve, staffed.url);
  await arrives.opens('/?view=47,8,9');
  await eve.getByLabel('Keep me signed in').check();
  await arrives.submits({ name: 'eve', password });
  await expect(eve.getByText('Your password was made by an admin.')).toBeVisible();
  expect(new URL(eve.url()).pathname).toBe('/account');
  expect((await other.cookies()).find(({ name }) => name === 'lookout')?.expires).toBeGreaterThan(Date.now() / 1000);
  await eve.getByLabel('Present password').fill(password);
  await eve.getByLabel('New password').fill('password1234');
  await eve.getByRole('button', { name: 'Change password' }).click();
  await expect(eve.getByText('The password is too common: choose a less predictable one.')).toBeVisible();
  await eve.getByLabel('Present password').fill(password);
  await eve.getByLabel('New password').fill('nine gulls over the terminal');
  await eve.getByRole('button', { name: 'Change password' }).click();
  await expect(eve.getByText('Your password is changed. 0 other sessions were ended.')).toBeVisible();
  await expect(eve.getByText('Your password was made by an admin.')).toBeHidden();
  await expect(eve.getByRole('listitem')).toContainText('kept by the browser');
  expect(await faults(eve)).toEqual([]);

  await expect(card).toContainText('sessions: 1');
  await card.getByRole('button', { name: /^End Chrom/ }).click();
  await expect(card.getByRole('status')).toContainText('was ended.');
  await eve.reload();
  await expect(eve).toHaveURL(/\/sign-in\?next=%2Faccount/);
  await other.close();
});

test('Pages: the audit is read by person, kind and page, says how much of it is shown, and is closed to others', async ({
  staffed,
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const signIn = new SignInDriver(page, staffed.url);
  await signIn.opens('/admin/audit?operator=dora+d.');
  await signIn.submits({ name: 'ada', password: passwordOf(staffed, 'ada') });
  const list = page.getByRole('list', { name: 'Audit, newest first' });
  const rows = list.getByRole('listitem');
  const extent = page.getByText(/entr(y|ies)/);
  await expect(page.getByLabel('Person')).toHaveValue('dora d.');
  await expect(rows.first()).toContainText('removed dora d.');
  await expect(extent.first()).toHaveText(
    /^All \d+ entries of this choice that are kept\. Entries are deleted after 365 days\.$/,
  );

  await test.step('the choice is in the address, and an empty list makes no claim', async () => {
    await page.getByLabel('Kind of event').selectOption('Person added');
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(
      /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ.* ago.*ada.*added dora d\. as viewer.*from 127\.0\.0\.1/s,
    );
    expect(new URL(page.url()).search).toBe('?operator=dora+d.&kind=person_added');
    await page.getByLabel('Person').fill('dora');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page.getByText('Nothing of this choice is kept.')).toBeVisible();
    await expect(list).toHaveCount(0);
  });

  await test.step('a hundred at a time, the newest first, until there is no more', async () => {
    // Alike events within a minute are one row.
    const admin = await signedIn(staffed, 'ada');
    for (let view = 0; view < 55; view++) {
      const made = await admin.ask('POST', '/api/views', { name: `view ${view}`, query: '?view=47,8,9' });
      const { id } = await made.json();
      await admin.ask('DELETE', `/api/views/${id}`);
    }
    // The audit is written after the event.
    await expect(async () => {
      await page.goto(`${staffed.url}/admin/audit`);
      await expect(rows.first()).toContainText('deleted the view “view 54”', { timeout: 1000 });
    }).toPass();
    await expect(rows).toHaveCount(100);
    await expect(page.getByText(/^The newest 100 entries, back to .*Z\. There are older ones\.$/)).toBeVisible();
    const kept = new DatabaseSync(join(staffed.dataDir, 'lookout.sqlite'), { readOnly: true });
    const all = Number(kept.prepare('select count(*) as entries from audit_event').get()?.entries);
    kept.close();
    expect(all).toBeGreaterThan(110);
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show older' }).click();
    await expect(rows).toHaveCount(all);
    await expect(page.getByText(`All ${all} entries that are kept.`)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Show older' })).toHaveCount(0);
    await admin.ask('POST', '/api/views', { name: 'the last', query: '?view=47,8,9' });
    await page.getByRole('button', { name: 'Look again' }).click();
    await expect(rows.first()).toContainText('saved the view “the last”');
    await expect(rows).toHaveCount(100);
  });

  await test.step('the audit says how many events are not written yet', async () => {
    const admin = await signedIn(staffed, 'ada');
    await admin.account();
    const file = new DatabaseSync(join(staffed.dataDir, 'lookout.sqlite'));
    file.exec('begin immediate');
    expect(await admin.tries('POST', '/api/admin/allowance')).toBe('204');
    await page.getByRole('button', { name: 'Look again' }).click();
    await expect(page.getByText('Not complete: 1 event is not written yet')).toBeVisible();
    file.exec('rollback');
    file.close();
  });

  await test.step('from the card of a person, and back', async () => {
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('link', { name: 'What ben did' }).click();
    await expect(page.getByLabel('Person')).toHaveValue('ben');
    await expect(rows.first()).toContainText('ben');
  });
});

test('Pages: an admin who gives up the role confirms it, sees that it was done, and is redirected', async ({
  staffed,
  page,
}) => {
  const ada = await signedIn(staffed, 'ada');
  const { password } = initialPasswordSchema.parse(
    await (await ada.ask('POST', '/api/admin/people', { name: 'chief', role: 'admin' })).json(),
  );
  const next = 'thirteen swifts above the depot';
  const chief = await signedIn(staffed, 'chief', password);
  expect(await chief.tries('PUT', '/api/account/password', { present: password, next })).toBe('200');

  const signIn = new SignInDriver(page, staffed.url);
  await signIn.opens('/admin');
  await signIn.submits({ name: 'chief', password: next });
  const own = page.getByRole('region', { name: 'chief' });
  await own.getByRole('radio', { name: 'viewer' }).click();
  await expect(own).toContainText('as viewer you could not open this page any more');
  await own.getByRole('button', { name: 'Stay admin' }).click();
  expect(await chief.tries('GET', '/api/admin/people')).toBe('200');
  await own.getByRole('radio', { name: 'viewer' }).click();
  await own.getByRole('button', { name: 'Make me viewer' }).click();
  await expect(page.getByRole('status')).toHaveText(
    'You made yourself viewer, so this page is closed to you now. Another admin can undo it.',
  );
  await expect(page.getByRole('region', { name: 'ada' })).toHaveCount(0);
  expect(await chief.tries('GET', '/api/admin/people')).toBe('403 not_permitted');
  expect(await faults(page)).toEqual([]);

  await page.goto(`${staffed.url}/admin/audit`);
  await expect(page.getByRole('status')).toContainText(
    'You are signed in as chief, role viewer. This page is for admins',
  );
  await page.getByRole('link', { name: 'Your account' }).click();
  await expect(page.getByText('role viewer: you see what is received now')).toBeVisible();

  await test.step('an admin who is demoted by another sees that', async () => {
    const path = '/api/admin/people/chief';
    expect(await ada.tries('PATCH', path, { role: 'admin' })).toBe('204');
    await page.goto(`${staffed.url}/admin`);
    await expect(page.getByRole('region', { name: 'ada' })).toBeVisible();
    expect(await ada.tries('PATCH', path, { role: 'operator' })).toBe('204');
    await page.getByRole('region', { name: 'ada' }).getByRole('radio', { name: 'viewer' }).click();
    await expect(page.getByText('This takes the role admin; yours is operator.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'ada' })).toHaveCount(0);
  });
});
