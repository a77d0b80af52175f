import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { historyLineSchema } from '#lib/api/history-line.ts';
import { PERMISSIONS, type Permission, ROLES, type Role, roleMay } from '#lib/api/people/permission.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { root, tableRows } from '../scripts/docs/document.ts';
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

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** These begin or end a session, so they work without one. */
const ANYONE = [
  'POST /api/session',
  'DELETE /api/session',
  'POST /api/session/passkey',
  'POST /api/session/passkey/options',
];

/** `METHOD /path` of everything that handlers answer, as the files of `app/api` say. */
function routes(): readonly string[] {
  return readdirSync(join(root, 'app/api'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('route.ts') && !file.startsWith('[...path]'))
    .flatMap((file) => {
      const text = readFileSync(join(root, 'app/api', file), 'utf8');
      const path = `/api/${file.replace(/\/route\.ts$/, '')}`.replaceAll(/\[(\w+)\]/g, (_, name) => name.toUpperCase());
      const refused = new Set([...text.matchAll(/refuseMethod as ([A-Z]+)/g)].map(([, method]) => method));
      return METHODS.filter((method) => new RegExp(`\\b${method}\\b`).test(text) && !refused.has(method)).map(
        (method) => `${method} ${path}`,
      );
    });
}

const table = tableRows('docs/api.md', 'route').flatMap(([names = '', permission = '']) =>
  names.split(', ').map((name) => ({ name, permission: permission as Permission })),
);

test('The table of who may what names every route, and no other', () => {
  expect(table.map(({ name }) => name).sort()).toEqual(
    routes()
      .filter((name) => !ANYONE.includes(name))
      .sort(),
  );
  for (const { permission } of table) expect(Object.keys(PERMISSIONS)).toContain(permission);
});

test('Each role may what the table says, and no more: every route, as everybody', async ({ guarded, cookies }) => {
  for (const { name, permission } of table) {
    const [method = '', path = ''] = name.split(' ');
    for (const role of [...ROLES, undefined]) {
      const answer = await fetch(`${guarded.url}${path.replace('ID', 'none')}`, {
        method,
        headers: {
          origin: guarded.url,
          'content-type': 'application/json',
          ...(role && { cookie: cookies[role] }),
        },
        // Not valid: a caller with the permission gets the problem with it.
        ...(method !== 'GET' && method !== 'HEAD' && { body: '{"no":"such field"}' }),
      });
      const text = await answer.text();
      const { code } = answer.ok || text === '' ? { code: undefined } : errorAnswerSchema.parse(JSON.parse(text)).error;
      const cell = `${name} as ${role ?? 'nobody'}: ${answer.status} ${code}`;
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
