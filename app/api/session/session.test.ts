import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask, cookieOf, expectRefusal, sessionCookie } from '#testing/api-requests.ts';
import { runs } from '#testing/budget.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';

/** How many addresses the spray comes from. Checking a password takes milliseconds. */
const ADDRESSES = runs(1000);
const LIVE = '/api/live?bbox=5,45,11,48&layers=rid,adsb';

/** Behind a trusted proxy: its address is the last of X-Forwarded-For. */
let lookout: LookoutHere;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['tower', 'visitor'],
    settings: { TRUSTED_PROXIES: 'loopback' },
  });
});
afterAll(() => lookout.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => ask(`${lookout.url}${path}`, { headers });
const signInAs = (name: string, password: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(`${lookout.url}/api/session`, {
    method: 'POST',
    headers: { origin: lookout.url, ...headers },
    body: { name, password },
  });
const signOut = (cookie: string) =>
  ask(`${lookout.url}/api/session`, { method: 'DELETE', headers: { cookie, origin: lookout.url } });
const statusWith = async (cookie: string) => (await get('/api/session', { cookie })).status;
/** Each test has an address of its own, since failures of one address slow down all from there. */
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('Signing in', () => {
  test('An unknown name is answered like a wrong password', async () => {
    const errors = [];
    for (const name of ['an-unknown-name', 'tower']) {
      const answer = await signInAs(name, 'not the password at all', from('203.0.113.1'));
      expectRefusal(answer, 401, 'sign_in_refused');
      errors.push(answer.json().error);
    }
    expect(errors[0]).toEqual(errors[1]);
  });

  test('Repeated failures are slowed down', async () => {
    const attempt = () => signInAs('guessed', randomBytes(12).toString('hex'), from('203.0.113.2'));
    let answer = await attempt();
    for (let more = 0; more < 6 && answer.status === 401; more++) answer = await attempt();
    expectRefusal(answer, 429, 'too_many_attempts');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('Guesses are slowed by address too, whatever sender they claim, and cost no upstream requests', async () => {
    lookout.service.forgetRequests();
    const guess = (attempt: number) =>
      signInAs(`guess${attempt}`, 'not the password at all', {
        'x-forwarded-for': `198.51.100.${attempt}, 203.0.113.3`,
        'x-lookout-peer': `198.51.100.${attempt}`,
      });
    let attempts = 0;
    let answer = await guess(attempts);
    // 20 failures per address are free, then the delay doubles from a second.
    while (answer.status === 401 && attempts < 30) answer = await guess(++attempts);
    expectRefusal(answer, 429, 'too_many_attempts');
    expect(attempts).toBeGreaterThanOrEqual(20);
    expect(lookout.service.requests()).toEqual([]);
  });

  test('Under a spray from hundreds of addresses at one account its owner signs in: from a known browser, and from a new one', async () => {
    const { password } = await lookout.addOperator('sprayed');
    const signIn = (address: string, guessed: string, cookie?: string) =>
      signInAs('sprayed', guessed, {
        // The last entry is the trusted proxy's, the others are forged.
        'x-forwarded-for': `127.0.0.1, 203.0.113.200, ${address}`,
        ...(cookie !== undefined && { cookie }),
      });
    const signedIn = await signIn('203.0.113.4', password);
    expect(signedIn.status).toBe(204);
    const known = signedIn.headers['set-cookie']?.find((cookie) => cookie.startsWith('lookout-browser='));
    expect(known).toMatch(/; HttpOnly/i);
    expect(known).toMatch(/; Path=\//);

    const address = (n: number) => (n % 2 === 0 ? `198.18.${n >> 8}.${n & 255}` : `2001:db8:0:${n.toString(16)}::1`);
    const spray = (round: number, addresses: number): Promise<readonly Answer[]> =>
      Promise.all(
        Array.from({ length: addresses }, (_, n) => signIn(address(n), `guess ${round} of ${n}, and no password`)),
      );
    const first = await spray(1, ADDRESSES);
    const second = spray(2, ADDRESSES / 5);
    expect((await signIn(address(7), password, known?.split(';')[0])).status).toBe(204);
    expect((await signIn('203.0.113.5', password)).status).toBe(204);
    // Each counts for itself, and for its network.
    const statuses = [...first, ...(await second)].map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(1.2 * ADDRESSES);
    const oneNetwork: number[] = [];
    for (let n = 0; n < 8; n++)
      oneNetwork.push((await signIn(`2001:db8:ff:1:${n}::1`, 'no password of anybody')).status);
    expect(oneNetwork.slice(0, 3)).toEqual([401, 401, 401]);
    expect(oneNetwork).toContain(429);
  });
});

describe('Without a session', () => {
  test('no route answers', async () => {
    for (const path of [LIVE, '/api/session', '/api/anything']) expectRefusal(await get(path), 401, 'not_signed_in');
  });

  test('a forged header that claims the middleware has run gives no access', async () => {
    for (const value of ['middleware', 'proxy', 'src/proxy', Array(5).fill('proxy').join(':')])
      expectRefusal(await get(LIVE, { 'x-middleware-subrequest': value }), 401, 'not_signed_in');
  });

  test('no header about the sender gives access', async () => {
    for (const [name, value] of [
      ['x-forwarded-for', '127.0.0.1'],
      ['x-forwarded-host', 'localhost'],
      ['x-lookout-peer', '127.0.0.1'],
      ['host', 'localhost'],
    ] as const)
      expectRefusal(await get(LIVE, { [name]: value }), 401, 'not_signed_in');
  });

  test('a made-up cookie gives no access', async () => {
    for (const value of ['x', 'Fe26.2*1*aa*bb*cc*dd*ee*ff', encodeURIComponent('{"id":"1"}')])
      expectRefusal(await get(LIVE, { cookie: `lookout=${value}` }), 401, 'not_signed_in');
  });
});

describe('With a session', () => {
  test('signing out ends it for good: the old cookie is refused', async () => {
    const cookie = await lookout.signIn('tower');
    expect((await get(LIVE, { cookie })).status).toBe(200);
    const left = await signOut(cookie);
    expect(left.status).toBe(204);
    expect(left.headers['clear-site-data']).toBe('"cache"');
    expectRefusal(await get(LIVE, { cookie }), 401, 'not_signed_in');
  });

  test('each sign-in opens a new session, and ends the one that the browser had before', async () => {
    const first = await lookout.signIn('tower');
    const own = (await get('/api/session', { cookie: first })).json();
    expect(own).toEqual({ operator: 'tower', role: 'operator', sign_in_required: true });
    const second = await cookieOf(lookout, lookout.operator('tower'), { cookie: first });
    expect(second).not.toBe(first);
    expectRefusal(await get(LIVE, { cookie: first }), 401, 'not_signed_in');
    expect(await statusWith(second)).toBe(200);
    expect((await signOut(second)).status).toBe(204);
    expectRefusal(await get('/api/session', { cookie: second }), 401, 'not_signed_in');
  });

  test('a new password ends the sessions of the old one', async () => {
    const before = await lookout.addOperator('shift lead');
    const cookie = await cookieOf(lookout, before);
    expect(await statusWith(cookie)).toBe(200);
    const after = await lookout.changePassword('shift lead');
    await eventually(async () => expectRefusal(await get('/api/session', { cookie }), 401, 'not_signed_in'));
    expectRefusal(await signInAs(before.name, before.password, from('203.0.113.6')), 401, 'sign_in_refused');
    await cookieOf(lookout, after);
  });

  test('a request from another site changes nothing', async () => {
    const { name, password } = lookout.operator('tower');
    const cookie = await lookout.signIn('tower');
    const forged = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: lookout.url },
      { 'sec-fetch-site': 'same-site', origin: lookout.url },
      {},
    ] as readonly Readonly<Record<string, string>>[];
    for (const headers of forged) {
      const path = `${lookout.url}/api/session`;
      const signedIn = await ask(path, { method: 'POST', headers, body: { name, password } });
      expectRefusal(signedIn, 403, 'cross_site');
      expect(signedIn.headers['set-cookie']).toBeUndefined();
      expectRefusal(await ask(path, { method: 'DELETE', headers: { ...headers, cookie } }), 403, 'cross_site');
    }
    expect((await get(LIVE, { cookie })).status).toBe(200);
  });

  test('Cookies of one name are each tried; sessions of two operators count for neither until one signs in again', async () => {
    const [cookie, own, other] = [
      await lookout.signIn('tower'),
      await lookout.signIn('tower'),
      await lookout.signIn('visitor'),
    ];
    // A neighbouring host or another port can plant cookies over plain http.
    const seals = Array.from({ length: 30 }, (_, index) =>
      cookie.replace(/.{8}~/, `${String(index).padStart(8, 'x')}~`),
    );
    for (const planted of [
      ['lookout=planted'],
      Array.from({ length: 400 }, (_, index) => `lookout=planted${index}`),
      seals,
      ['lookout=', 'lookout', 'lookout=%', 'lookout=Fe26.2**', `lookout="${cookie.slice(8)}"`],
    ]) {
      expect(await statusWith([...planted, cookie].join('; ')), planted[0]).toBe(200);
      expect(await statusWith([cookie, ...planted].join('; ')), planted[0]).toBe(200);
    }
    expect(await statusWith(seals.join('; '))).toBe(401);

    expect(await statusWith(`${cookie}; ${own}`)).toBe(200);
    expect(await statusWith(`${cookie}; ${other}`)).toBe(401);
    expect(await statusWith(`${other}; ${cookie}`)).toBe(401);
    const { name, password } = lookout.operator('tower');
    const again = await signInAs(name, password, { cookie: `${other}; ${own}` });
    expect(again.status).toBe(204);
    const made = sessionCookie(again);
    expect(await statusWith(`${other}; ${made}`), 'the planted session has ended').toBe(200);
    expect([await statusWith(other), await statusWith(own), await statusWith(cookie)]).toEqual([401, 401, 200]);

    const left = await signOut(`${made}; ${await lookout.signIn('visitor')}`);
    expect(left.status).toBe(204);
    expect(left.headers['clear-site-data']).toBe('"cache"');
    expect([await statusWith(made), await statusWith(cookie)]).toEqual([401, 200]);
  });
});
