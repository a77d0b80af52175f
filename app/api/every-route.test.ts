import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { ROLES, type Role, roleMay } from '#lib/api/people/permission.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { apiRoutes } from '../../scripts/docs/api-routes.ts';

let lookout: LookoutHere;
let cookies: Readonly<Record<Role, string>>;
beforeAll(async () => {
  const roles = Object.fromEntries(ROLES.map((role) => [role, role]));
  lookout = await startLookoutHere({ operators: ROLES, roles });
  const made = await Promise.all(ROLES.map(async (role) => [role, await lookout.signIn(role)] as const));
  cookies = Object.fromEntries(made) as Record<Role, string>;
});
afterAll(() => lookout.stop());

/** Without passkey sign-in, which has a route without a body. */
const ROUTES = apiRoutes()
  .filter(({ path }) => !path.startsWith('/api/session/passkey'))
  .map(({ method, path, takesToken }) => ({
    name: `${method} ${path}`,
    method,
    takesToken,
    path: path.replaceAll(/\b[A-Z]+\b/g, 'none'),
  }));

const WITHOUT_BODY = [
  'POST /api/account/confirmation/options',
  'POST /api/account/passkeys/options',
  'POST /api/account/push/ID/trial',
  'POST /api/admin/allowance',
  'POST /api/admin/destinations/ID/secret',
  'POST /api/admin/destinations/ID/trial',
];

test('Every route allows exactly the roles that have its permission', async () => {
  for (const { method, path, permission, takesToken } of apiRoutes()) {
    if (permission === undefined || takesToken) continue;
    for (const role of [...ROLES, undefined]) {
      const { status, text } = await ask(`${lookout.url}${path.replace('ID', 'none')}`, {
        method,
        headers: { origin: lookout.url, ...(role && { cookie: cookies[role] }) },
        // A permitted caller gets an error about the body.
        ...(method !== 'GET' && method !== 'HEAD' && { body: { no: 'such field' } }),
      });
      const isRefused = status >= 400 && text !== '';
      const code = isRefused ? errorAnswerSchema.parse(JSON.parse(text)).error.code : undefined;
      const cell = `${method} ${path} as ${role ?? 'anonymous'}: ${status} ${code}`;
      if (role === undefined) expect.soft(status, cell).toBe(401);
      else if (roleMay(role, permission)) expect.soft([401, 403], cell).not.toContain(status);
      else expect.soft([status, code], cell).toEqual([403, 'not_permitted']);
    }
  }
});

test('A request to the API that says that it comes from another site is refused on every route, and spends nothing', async () => {
  lookout.service.forgetRequests();
  for (const { name, method, path } of ROUTES) {
    for (const site of ['cross-site', 'same-site', 'unknown']) {
      const headers = {
        cookie: cookies.admin,
        origin: lookout.url,
        'sec-fetch-site': site,
        'sec-fetch-mode': 'navigate',
      };
      const { status, text } = await ask(`${lookout.url}${path}?bbox=7,46,8,47`, { method, headers });
      expect.soft(status, `${name} ${site}`).toBe(403);
      if (method !== 'HEAD') expect.soft(errorAnswerSchema.parse(JSON.parse(text)).error.code).toBe('cross_site');
    }
  }
  expect(lookout.service.requests()).toEqual([]);
});

test('Every route refuses parameters that it does not know, __proto__ among them, in queries and in bodies', async () => {
  const sender = { cookie: cookies.admin, origin: lookout.url };
  const unknown = ['unknown=1', '__proto__=1', '__proto__[x]=1', 'constructor=1'];
  for (const { name, method, path, takesToken } of ROUTES) {
    // Absent until an admin makes a token.
    if (takesToken) continue;
    const takesBody = ['POST', 'PUT', 'PATCH'].includes(method) && !WITHOUT_BODY.includes(name);
    const takesLines = name === 'POST /api/zones/import';
    const headers = { ...sender, 'content-type': takesLines ? 'application/x-ndjson' : 'application/json' };
    const refused = async (query: string, body: string | undefined, code: string) => {
      const answer = await ask(`${lookout.url}${path}${query}`, { method, headers, body });
      const what = `${name}${query} ${body ?? ''}: ${answer.status} ${answer.text}`;
      expect.soft(answer.status, what).toBe(400);
      if (method === 'HEAD') return;
      const { error } = errorAnswerSchema.parse(answer.json());
      expect.soft(error.code, what).toBe(code);
      return error.message;
    };
    for (const query of unknown) await refused(`?${query}`, takesBody ? '{}' : undefined, 'bad_query');
    if (!takesBody) continue;
    await refused('', '{"unknown":1}', 'bad_body');
    for (const body of ['{"__proto__":{"admin":true}}', '{"name":{"__proto__":1}}'])
      expect.soft(await refused('', body, 'bad_body'), `${name} ${body}`).toContain('__proto__');
  }
  expect((await ask(`${lookout.url}/api/views`, { headers: { cookie: cookies.admin } })).status).toBe(200);
});

test('Unknown, repeated and invalid parameters of a live request are refused, and cost no upstream requests', async () => {
  lookout.service.forgetRequests();
  const live = (query: string, cookie = cookies.operator) =>
    ask(`${lookout.url}/api/live?${query}`, { headers: { cookie } });
  for (const query of [
    'bbox=5,45,11,48&layers=rid&colour=red',
    'bbox=5,45,11,48&bbox=5,45,11,48&layers=rid',
    'layers=rid',
    'bbox=5,45,11',
    'bbox=NaN,45,11,48&layers=rid',
    'bbox=5,45,11,1e308&layers=rid',
    'bbox=5,45,5,45&layers=rid',
    'bbox=5,45,11,48&layers=boats',
    `bbox=5,45,11,48&layers=rid&${'x'.repeat(10_000)}`,
  ])
    expectRefusal(await live(query), 400, 'bad_query');
  expectRefusal(await live('bbox=5,45,11,48&layers=rid', ''), 401, 'not_signed_in');
  const none = await ask(`${lookout.url}/api/none`, { headers: { cookie: cookies.operator } });
  expectRefusal(none, 404, 'not_found');
  expect(lookout.service.requests()).toEqual([]);
  expect((await live('bbox=5,45,11,48&layers=rid')).status).toBe(200);
  await expect.poll(() => lookout.service.requests().length).toBeGreaterThan(0);
});

test('Answers with positions are stored by no cache and readable by no other site', async () => {
  const { status, headers } = await ask(`${lookout.url}/api/live?bbox=5,45,11,48&layers=rid,adsb`, {
    headers: { cookie: cookies.operator, origin: 'https://evil.example' },
  });
  expect(status).toBe(200);
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});
