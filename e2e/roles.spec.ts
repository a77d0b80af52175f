import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { historyLineSchema } from '#lib/api/history-line.ts';
import { ROLES, type Role, roleMay } from '#lib/api/people/permission.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { apiRoutes } from '../scripts/docs/api-routes.ts';
import { cookieOf } from './driver/api-answers.ts';
import { expect, test as lookoutTest, sharedInFile } from './lookout-test.ts';
import { type RunningLookout, startLookout } from './running/running-lookout.ts';

interface RoleFixtures {
  /** A Lookout with an operator of each role, of the same name. */
  readonly guarded: RunningLookout;
  /** The cookies of their sessions. */
  readonly cookies: Readonly<Record<Role, string>>;
}

const withRoles = sharedInFile(async ({ playwright }) => {
  const roles = Object.fromEntries(ROLES.map((role) => [role, role]));
  const guarded = await startLookout({ operators: ROLES, roles });
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

// One after the other, so that they share one Lookout.
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
        // Invalid, so that a permitted caller gets an error about the body.
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
