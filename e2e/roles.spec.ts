import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { historyLineSchema } from '#lib/api/history-line.ts';
import { ROLES, type Role, roleMay } from '#lib/api/people/permission.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { apiRoutes } from '../scripts/docs/api-routes.ts';
import { AllowancePanel } from './driver/allowance-panel.ts';
import { cookieOf } from './driver/api-answers.ts';
import { LookoutDriver } from './driver/lookout-driver.ts';
import { addressTime, pastWindow, replayPath } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { SignInDriver } from './driver/sign-in-driver.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

interface RoleFixtures {
  readonly guarded: RunningLookout;
  readonly cookies: Readonly<Record<Role, string>>;
}

const withRoles = sharedInFile(async ({ playwright, plainBasemap }) => {
  const roles = Object.fromEntries(ROLES.map((role) => [role, role]));
  const guarded = await startLookout({ operators: ROLES, roles, settings: plainBasemap });
  const cookies: Record<string, string> = {};
  for (const account of guarded.operators) {
    const browser = await playwright.request.newContext();
    cookies[account.name] = await cookieOf(browser, guarded, account);
    await browser.dispose();
  }
  return { guarded, cookies: cookies as Record<Role, string>, stop: guarded.stop };
});
const test = lookoutTest.extend<RoleFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  guarded: ({}, use) => use(withRoles().guarded),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed.
  cookies: ({}, use) => use(withRoles().cookies),
});

test.describe.configure({ mode: 'default' });

test('Every route allows exactly the roles that have its permission', async ({ guarded, cookies }) => {
  for (const { method, path, permission } of apiRoutes()) {
    if (permission === undefined) continue;
    for (const role of [...ROLES, undefined]) {
      const answer = await fetch(`${guarded.url}${path.replace('ID', 'none')}`, {
        method,
        headers: {
          origin: guarded.url,
          'content-type': 'application/json',
          ...(role && { cookie: cookies[role] }),
        },
        // A permitted caller gets an error about the body.
        ...(method !== 'GET' && method !== 'HEAD' && { body: '{"no":"such field"}' }),
      });
      const text = await answer.text();
      const { code } = answer.ok || text === '' ? { code: undefined } : errorAnswerSchema.parse(JSON.parse(text)).error;
      const cell = `${method} ${path} as ${role ?? 'anonymous'}: ${answer.status} ${code}`;
      if (role === undefined) expect.soft(answer.status, cell).toBe(401);
      else if (roleMay(role, permission)) expect.soft([401, 403], cell).not.toContain(answer.status);
      else expect.soft([answer.status, code], cell).toEqual([403, 'not_permitted']);
    }
  }
});

test('A viewer is given what is loaded of the past, and spends nothing on the rest', async ({ guarded, cookies }) => {
  const endMs = Math.floor((Date.now() - 2 * MINUTE_MS) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  const [start, end] = [endMs - 5 * MINUTE_MS, endMs].map((ms) => new Date(ms).toISOString());
  const ask = (role: Role, path: string) => fetch(`${guarded.url}${path}`, { headers: { cookie: cookies[role] } });
  const load = async (role: Role) => {
    const answer = await ask(role, `/api/history?bbox=7,46,8,47&layers=adsb&start=${start}&end=${end}`);
    const lines = (await answer.text()).trim().split('\n');
    const last = historyLineSchema.parse(JSON.parse(lines.at(-1) ?? ''));
    if (last.type !== 'end') throw new Error('the load did not end');
    return last.layers.adsb;
  };
  const exported = `/api/export?format=csv&bbox=7,46,8,47&layers=adsb&start=${start}&end=${end}`;

  expect(await load('viewer')).toMatchObject({ complete: false, requests: 0, gaps: [{ reason: 'not_requested' }] });
  await (await ask('viewer', exported)).text();
  const cost = await (await ask('viewer', exported.replace('export?format=csv&', 'history/cost?'))).json();
  expect(cost.middle).toMatchObject({ max_requests: 0 });
  expect(await guarded.service.requests()).toEqual([]);

  const loaded = await load('operator');
  expect(loaded).toMatchObject({ complete: true });
  const spent = (await guarded.service.requests()).length;
  expect(spent).toBeGreaterThan(0);
  expect(await load('viewer')).toEqual({ ...loaded, requests: 0 });
  expect(await guarded.service.requests()).toHaveLength(spent);
});

test('A viewer who opens an operator’s link to a replay sees the loaded part, spends nothing, and sees why the rest is missing', async ({
  guarded: lookout,
  page,
  browser,
}) => {
  const [tower, wall] = (['operator', 'viewer'] as const).map((role) =>
    lookout.operators.find(({ name }) => name === role),
  );
  if (!tower || !wall) throw new Error('no operators');
  const spent = async () =>
    (await lookout.service.requests()).filter(({ operation }) => operation.startsWith('history')).length;

  // No other test loads this hour.
  const window = pastWindow(5, 60);
  const before = addressTime(window.start - 5 * MINUTE_MS);
  const signIn = new SignInDriver(page, lookout.url);
  await signIn.opens(replayPath(window));
  await signIn.submits(tower);
  const dock = new ReplayDock(page);
  await dock.loadsFully();
  const link = new URL(page.url());
  const loaded = await spent();
  expect(loaded).toBeGreaterThan(0);

  // On another screen, the link names the area.
  const screen = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  const wallSignIn = new SignInDriver(screen, lookout.url);
  await wallSignIn.opens(`${link.pathname}${link.search}`);
  await wallSignIn.submits(wall);
  const seen = new ReplayDock(screen);
  await seen.isLoaded();
  await expect(seen.loading).toHaveText('Complete · 0 requests made');
  expect(await seen.observations('Aircraft')).toBe(await dock.observations('Aircraft'));

  const longer = new URL(link);
  longer.searchParams.set('from', before);
  const opened = new LookoutDriver(screen, lookout.url);
  await test.step('parts that are not loaded are missing, with the reason, and without a button that would fail', async () => {
    await opened.goesTo(`${longer.pathname}${longer.search}`);
    await seen.isLoaded();
    await expect(seen.loading).toContainText('your role spends nothing on the past');
    await expect(seen.loading).toContainText('0 requests made');
    await expect(seen.dock).toContainText('An operator can load the rest.');
    await expect(seen.button('Load the rest')).toHaveCount(0);
    await expect(seen.button(/^Load/)).toHaveCount(0);
    expect(await seen.observations('Aircraft')).toBeGreaterThan(0);
    const states = (await seen.band('Aircraft')).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['not-requested', 'complete']));
    await seen.button('Look again').click();
    await seen.isLoaded();
    await expect(seen.button('Look again')).toBeVisible();
    expect(await spent()).toBe(loaded);
  });

  await test.step('once an operator has loaded it, a look again shows it', async () => {
    await page.goto(longer.href);
    await dock.loadsFully();
    const all = await spent();
    expect(all).toBeGreaterThan(loaded);
    await seen.button('Look again').click();
    await expect(seen.loading).toHaveText('Complete · 0 requests made');
    expect(await spent()).toBe(all);
  });

  await test.step('live, controls that would spend requests say in advance that they do not', async () => {
    const all = await spent();
    const why = 'Shows what is loaded already: your role spends nothing on the past.';
    await seen.button('Back to live').click();
    await screen.getByRole('tab', { name: 'View' }).click();
    await expect(screen.getByTestId('last-hour-price')).toHaveText(why);
    await expect(screen.getByRole('radiogroup', { name: 'Replays load by themselves' })).toHaveCount(0);
    await screen.getByRole('button', { name: /^Replay the last hour of/ }).click();
    await seen.isLoaded();
    await expect(seen.loading).toContainText('your role spends nothing on the past');
    await seen.windowButton.click();
    await expect(screen.getByRole('dialog', { name: 'Window of the replay' })).toContainText(why);
    await screen.keyboard.press('Escape');
    await seen.button('Back to live').click();
    expect(await spent()).toBe(all);

    await lookout.service.breakWith({ kind: 'status', status: 403, operation: 'live_rid' });
    const panel = new AllowancePanel(screen);
    await screen.getByRole('switch', { name: 'Drones layer' }).click();
    await panel.opens();
    await expect(panel.problems).toContainText(
      'It is checked again by itself. Your role may not have it checked sooner.',
    );
    await expect(panel.checkAgain).toHaveCount(0);
    await lookout.service.mend();
  });
  await screen.close();
});
