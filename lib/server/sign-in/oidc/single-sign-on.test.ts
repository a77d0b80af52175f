import { sealData } from 'iron-session';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { BrowserAtProvider } from '#testing/browser-at-provider.ts';
import { type IdentityProvider, startIdentityProvider } from '#testing/identity-provider.ts';
import type { Database } from '../../database/database.ts';
import { DatabaseFailure } from '../../database/database-failure.ts';
import { memoryDatabase } from '../../database/memory-database.fixture.ts';
import { ShortLived } from '../short-lived.ts';
import { Tallies } from '../sign-in-throttle.ts';
import { entries } from './oidc-policy.fixture.ts';
import { SingleSignOn, type SingleSignOnOptions } from './single-sign-on.ts';

const SECRET = 's'.repeat(32);
const home = 'http://127.0.0.1:3000/';
const redirectUri = `${home}sign-in/oidc/callback`;
const people = new Map([
  ['ada', { name: 'Ada L.', email: 'Ada@Example.org', email_verified: true, groups: ['pilots', 'admins'] }],
  ['bob', { name: 'Bob', email: 'bob@example.org', email_verified: true, groups: ['tower'] }],
  ['eve', { name: 'Eve', email: 'bob@example.org', email_verified: false, groups: ['guests'] }],
  ['vic', { name: 'Vic', groups: 'watchers' }],
  ['odd', { name: 'Odd\u202egnp', preferred_username: null, groups: ['watchers'] }],
  ['bare', { name: '', email: null, email_verified: 'true', groups: 'watchers' }],
  [
    'many',
    {
      name: null,
      preferred_username: 'Many Groups@Example',
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.example/getMemberObjects' } },
    },
  ],
  ['mixed', { name: 'Mixed', email: '', groups: [null, { name: 'admins' }, 'watchers'] }],
]);

const log: string[] = [];
let provider: IdentityProvider;
let clockMs: number;
let database: Database;

beforeAll(async () => {
  database = await memoryDatabase();
  provider = await startIdentityProvider({ people, redirectUri });
});
afterAll(() => provider.stop());

function singleSignOn(
  over: Partial<ConstructorParameters<typeof SingleSignOn>[0]> = {},
  shared?: Partial<SingleSignOnOptions>,
): SingleSignOn {
  const { issuer, clientId, clientSecret } = provider;
  return new SingleSignOn(
    {
      issuer,
      clientId,
      clientSecret: () => clientSecret,
      redirectUri,
      groupsClaim: 'groups',
      policy: { admins: entries('admins'), operators: entries('bob@example.org'), viewers: entries('watchers') },
      ...over,
    },
    options(shared),
  );
}

function options(shared: Partial<SingleSignOnOptions> = {}): SingleSignOnOptions {
  const now = () => localInstant(clockMs);
  return {
    secret: SECRET,
    shortLived: new ShortLived(database, now),
    tallies: new Tallies(database),
    now,
    log: pino({ level: 'debug' }, { write: (line) => log.push(line) }),
    ...shared,
  };
}

async function cameBack(sso: SingleSignOn, who: string | undefined, next?: string) {
  const begun = await sso.begin(next, false, undefined);
  if (!begun) throw new Error('the provider was not reached');
  const address = await new BrowserAtProvider().signIn(begun.url, who, home);
  return { query: address.searchParams, cookie: begun.cookie };
}

async function signIn(sso: SingleSignOn, who: string | undefined, next?: string) {
  const { query, cookie } = await cameBack(sso, who, next);
  return sso.end(query, cookie, '192.0.2.1');
}

beforeAll(() => {
  clockMs = Date.now();
});

describe('signing in at the provider', () => {
  test('asks with S256, a state and a nonce of its own each time, and the address that was set', async () => {
    const sso = singleSignOn();
    const [one, other] = [await sso.begin('/', false, undefined), await sso.begin('/', true, undefined)];
    const asked = one?.url.searchParams;
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('redirect_uri')).toBe(redirectUri);
    expect(asked?.get('response_type')).toBe('code');
    expect(asked?.has('prompt')).toBe(false);
    expect(other?.url.searchParams.get('prompt')).toBe('login');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked?.get(name)).toMatch(/^[\w-]{43}$/);
      expect(asked?.get(name)).not.toBe(other?.url.searchParams.get(name));
    }
    for (const secret of ['state', 'nonce']) expect(one?.cookie).not.toContain(asked?.get(secret));
  });

  test('leads to the link that was opened before, and nowhere else', async () => {
    const sso = singleSignOn();
    expect(await signIn(sso, 'bob', '/?view=47.2,8.6,8')).toMatchObject({
      kind: 'signed-in',
      next: '/?view=47.2,8.6,8',
    });
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      `/${'x'.repeat(5000)}`,
    ])
      expect(await signIn(sso, 'bob', next)).toMatchObject({ kind: 'signed-in', next: '/' });
  });

  test('gives the role of the highest list that names the person, by group or by verified address', async () => {
    const sso = singleSignOn();
    expect(await signIn(sso, 'ada')).toMatchObject({ role: 'admin', person: { subject: 'ada', name: 'Ada L.' } });
    expect(await signIn(sso, 'bob')).toMatchObject({ role: 'operator' });
    expect(await signIn(sso, 'vic')).toMatchObject({ role: 'viewer' });
  });

  test('is not allowed to who is in no list; an address that was not verified is none', async () => {
    expect(await signIn(singleSignOn(), 'eve')).toMatchObject({
      kind: 'failed',
      problem: 'not_allowed',
      person: { name: 'Eve', verifiedAddress: undefined },
    });
  });

  test.each([false, true])('reads what the token lacks from userinfo; signed: %s', async (signsUserinfo) => {
    const thin = await startIdentityProvider({ people, redirectUri, thickTokens: false, signsUserinfo });
    const { issuer, clientSecret } = thin;
    const sso = singleSignOn({ issuer, clientSecret: () => clientSecret });
    expect(await signIn(sso, 'ada')).toMatchObject({ role: 'admin', person: { name: 'Ada L.', issuer } });
    expect(await signIn(sso, 'bob')).toMatchObject({ role: 'operator' });
    expect(thin.requests).toContain('/me');
    await thin.stop();
  });

  test.each(['client_secret_basic', 'client_secret_post'] as const)(
    'sends any secret by %s',
    async (authentication) => {
      for (const clientSecret of ['aZ09-._~', '!"#$%&\'()*+,/:;<=>?@[\\]^`{|}', '100%25+a==']) {
        const other = await startIdentityProvider({ people, redirectUri, authentication, clientSecret });
        const { issuer } = other;
        const sso = singleSignOn({ issuer, clientSecret: () => clientSecret });
        expect(await signIn(sso, 'bob')).toMatchObject({ kind: 'signed-in' });
        const wrong = singleSignOn({ issuer, clientSecret: () => 'wrong' });
        expect(await signIn(wrong, 'bob')).toMatchObject({
          problem: 'provider_error',
          detail: `the provider refused OIDC_CLIENT_ID and its secret, sent by ${authentication}`,
        });
        await other.stop();
      }
    },
  );

  test.each([
    ['bare', 'bare'],
    ['odd', 'odd'],
    ['mixed', 'Mixed'],
  ])('signs in %s, whose other claims are empty or odd, by the one that counts', async (who, name) => {
    const result = await signIn(singleSignOn(), who);
    expect(result).toMatchObject({ kind: 'signed-in', role: 'viewer', person: { name } });
    expect(result).toHaveProperty('leftOut', expect.not.arrayContaining([expect.stringContaining('gnp')]));
  });

  test('says that the provider sent a reference in place of the groups', async () => {
    expect(await signIn(singleSignOn(), 'many')).toMatchObject({
      problem: 'groups_not_sent',
      person: { name: 'Many Groups@Example', groups: [] },
    });
  });

  test('shows a refusal by the provider in our own words', async () => {
    const result = await signIn(singleSignOn(), undefined, '/?view=1,2,3');
    expect(result).toEqual({
      kind: 'failed',
      problem: 'cancelled',
      detail: 'the provider reported access_denied',
      next: '/?view=1,2,3',
      cookie: undefined,
    });
  });

  test('distinguishes a client secret that the provider does not know from one that cannot be read, and uses a changed one at once', async () => {
    let secret = 'wrong';
    const sso = singleSignOn({ clientSecret: () => secret });
    expect(await signIn(sso, 'bob')).toMatchObject({ problem: 'provider_error' });
    secret = provider.clientSecret;
    expect(await signIn(sso, 'bob')).toMatchObject({ kind: 'signed-in' });
    const gone = singleSignOn({
      clientSecret: () => {
        throw new Error('no such file');
      },
    });
    expect(await signIn(gone, 'bob')).toMatchObject({
      problem: 'provider_error',
      detail: 'OIDC_CLIENT_SECRET_FILE: no such file',
    });
  });
});

describe('what comes back is accepted', () => {
  test('once: a second time neither with the same code nor with another', async () => {
    const sso = singleSignOn();
    const { query, cookie } = await cameBack(sso, 'bob');
    const [one, other] = await Promise.all([sso.end(query, cookie, 'a'), sso.end(query, cookie, 'a')]);
    expect([one.kind, other.kind].sort()).toEqual(['failed', 'signed-in']);
    expect(await sso.end(query, cookie, 'a')).toMatchObject({ problem: 'expired', detail: 'already used' });
  });

  test('not by another process either: the provider refuses the code', async () => {
    const { query, cookie } = await cameBack(singleSignOn(), 'bob');
    expect(await singleSignOn().end(query, cookie, 'a')).toMatchObject({ kind: 'signed-in' });
    expect(await singleSignOn().end(query, cookie, 'a')).toMatchObject({ problem: 'expired' });
  });

  test('at any server, once, where they share what was ended; failures of an address count at all of them', async () => {
    const shared = { shortLived: options().shortLived, tallies: options().tallies };
    const [one, other] = [singleSignOn({}, shared), singleSignOn({}, shared)];
    const { query, cookie } = await cameBack(one, 'bob');
    const ended = await Promise.all([other.end(query, cookie, 'a'), one.end(query, cookie, 'a')]);
    expect(ended.map(({ kind }) => kind).sort()).toEqual(['failed', 'signed-in']);
    expect(ended).toContainEqual(expect.objectContaining({ problem: 'expired', detail: 'already used' }));
    const problems = [];
    for (let attempt = 0; attempt < 31; attempt++) {
      const begun = await one.begin('/', false, undefined);
      const state = begun?.url.searchParams.get('state') ?? '';
      const guess = new URLSearchParams({ state, iss: provider.issuer, code: 'guessed' });
      problems.push(await (attempt % 2 ? one : other).end(guess, begun?.cookie, '192.0.2.67'));
    }
    expect(problems.map((each) => 'problem' in each && each.problem)).toEqual([
      ...Array(30).fill('expired'),
      'too_many_attempts',
    ]);
  });

  test('signs in no user and asks no provider while the database is lost', async () => {
    const lost = async () => {
      throw new DatabaseFailure('lost', 'lost');
    };
    const { shortLived } = options();
    for (const shared of [{ shortLived: { keep: lost } }, { shortLived, tallies: { change: lost } }]) {
      const sso = singleSignOn({}, shared as unknown as Partial<SingleSignOnOptions>);
      const { query, cookie } = await cameBack(sso, 'bob', '/?view=1,2,3');
      const before = provider.requests.length;
      expect(await sso.end(query, cookie, 'a')).toMatchObject({
        kind: 'failed',
        problem: 'database',
        next: '/?view=1,2,3',
      });
      expect(provider.requests.length).toBe(before);
    }
  });

  test('in the browser that began it: a stranger’s answer is refused, and what this browser began still ends', async () => {
    const sso = singleSignOn();
    const strangers = await cameBack(sso, 'ada');
    const own = await cameBack(sso, 'bob');
    const before = provider.requests.length;
    for (const cookie of [undefined, own.cookie, 'x', 'Fe26.2*1*aa*bb*cc*dd*ee*ff', 'x'.repeat(5000)])
      expect(await sso.end(strangers.query, cookie, 'a')).toMatchObject({ problem: 'expired', next: '/', cookie });
    expect(provider.requests.length).toBe(before);
    expect(await sso.end(own.query, own.cookie, 'a')).toMatchObject({ person: { subject: 'bob' } });
  });

  test('from its own cookie: one that was sealed for sessions is none, whatever it holds', async () => {
    const login = { state: 'x', nonce: 'x', codeVerifier: 'x', next: '/', begunAt: clockMs };
    const sealed = await sealData({ logins: [login] }, { password: SECRET });
    const query = new URLSearchParams({ code: 'x', state: 'x', iss: provider.issuer });
    expect(await singleSignOn().end(query, sealed, 'a')).toMatchObject({ detail: 'not begun in this browser' });
  });

  test('with the state that was sent: a code under another one is not redeemed', async () => {
    const sso = singleSignOn();
    const strangers = await cameBack(sso, 'ada');
    const own = await cameBack(sso, 'bob');
    const mixed = new URLSearchParams(strangers.query);
    mixed.set('state', own.query.get('state') ?? '');
    expect(await sso.end(mixed, own.cookie, 'a')).toMatchObject({ kind: 'failed', problem: 'expired' });
    const twice = new URLSearchParams(strangers.query);
    twice.append('state', strangers.query.get('state') ?? '');
    expect(await sso.end(twice, strangers.cookie, 'a')).toMatchObject({ problem: 'expired' });
    const huge = new URLSearchParams(strangers.query);
    huge.set('more', 'x'.repeat(10_000));
    expect(await sso.end(huge, strangers.cookie, 'a')).toMatchObject({ problem: 'expired' });
  });

  test('with the requested issuer, if the provider announces that it sends it', async () => {
    const sso = singleSignOn();
    for (const iss of ['https://evil.example', `${provider.issuer}/`, undefined]) {
      const { query, cookie } = await cameBack(sso, 'bob');
      if (iss === undefined) query.delete('iss');
      else query.set('iss', iss);
      expect(await sso.end(query, cookie, 'a')).toMatchObject({ problem: 'untrusted' });
    }
  });

  test('for ten minutes', async () => {
    const sso = singleSignOn();
    const began = clockMs;
    const late = await cameBack(sso, 'bob');
    const inTime = await cameBack(sso, 'bob');
    clockMs = began + 10 * MINUTE_MS - 1;
    expect(await sso.end(inTime.query, inTime.cookie, 'a')).toMatchObject({ kind: 'signed-in' });
    clockMs = began + 10 * MINUTE_MS;
    expect(await sso.end(late.query, late.cookie, 'a')).toMatchObject({ problem: 'expired' });
    clockMs = began;
  });

  test('in each of several tabs; of too many, the newest', async () => {
    const sso = singleSignOn();
    let cookie: string | undefined;
    const tabs = [];
    for (let tab = 0; tab < 12; tab++) {
      const begun = await sso.begin(`/?tab=${tab}&${'x'.repeat(300)}`, false, cookie);
      cookie = begun?.cookie;
      expect(cookie?.length).toBeLessThan(3700);
      const back = await new BrowserAtProvider().signIn(begun?.url ?? new URL(home), 'bob', home);
      tabs.push(back.searchParams);
    }
    const last = await sso.end(tabs[11] ?? new URLSearchParams(), cookie, 'a');
    expect(last).toMatchObject({ kind: 'signed-in', next: expect.stringMatching(/^\/\?tab=11&/) });
    expect(await sso.end(tabs[10] ?? new URLSearchParams(), last.cookie, 'a')).toMatchObject({ kind: 'signed-in' });
    expect(await sso.end(tabs[0] ?? new URLSearchParams(), cookie, 'a')).toMatchObject({ problem: 'expired' });
  });

  test('from one address, thirty failures in a quarter of an hour: the provider is not asked about more', async () => {
    const sso = singleSignOn();
    const problems = [];
    for (let attempt = 0; attempt < 31; attempt++) {
      const begun = await sso.begin('/', false, undefined);
      const query = new URLSearchParams({
        state: begun?.url.searchParams.get('state') ?? '',
        iss: provider.issuer,
        code: 'guessed',
      });
      problems.push(await sso.end(query, begun?.cookie, '192.0.2.66'));
    }
    expect(problems.slice(0, 30)).toEqual(Array(30).fill(expect.objectContaining({ problem: 'expired' })));
    expect(problems[30]).toMatchObject({ problem: 'too_many_attempts' });
    expect(await signIn(sso, 'bob')).toMatchObject({ kind: 'signed-in' });
  });
});

test('neither codes nor tokens nor the secret were logged', () => {
  expect(log.join('')).not.toContain(provider.clientSecret);
  expect(log.join('')).not.toMatch(/ey[\w-]{10}/);
});
