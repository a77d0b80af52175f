import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparableAddress } from './oidc-policy.ts';
import { type Claims, oidcUser } from './oidc-user.ts';

const ISSUER = 'https://id.example';

function read(idToken: Claims, userinfo: Claims = {}, groupsClaim = 'groups') {
  const result = oidcUser(ISSUER, { idToken, userinfo }, groupsClaim);
  if (!result.ok) throw new Error(result.problem);
  return result;
}

describe('claims as providers document them', () => {
  test.each<[string, Claims, Claims, string, readonly string[], string, string | undefined]>([
    [
      'Keycloak, realm roles',
      { sub: 'f:1', name: 'Ada L.', preferred_username: 'ada', email: 'ada@a.example', email_verified: true },
      { sub: 'f:1', realm_access: { roles: ['tower', 'offline_access'] }, email: null },
      'realm_access.roles',
      ['tower', 'offline_access'],
      'Ada L.',
      'ada@a.example',
    ],
    [
      'Keycloak, roles of a client whose id has a dot',
      { sub: 'f:1', name: '', preferred_username: 'ada', resource_access: { 'lookout.field': { roles: ['chiefs'] } } },
      {},
      'resource_access.lookout.field.roles',
      ['chiefs'],
      'ada',
      undefined,
    ],
    [
      'Microsoft Entra ID, ids of groups, no email_verified',
      { sub: 'AAAA', name: 'Ada', email: 'ada@corp.example', groups: ['7d1c2f5e-0b64-4c4e-9d0b-0f3f7c7c9d11'] },
      { sub: 'AAAA', name: 'Ada', picture: 'https://graph.microsoft.com/v1.0/me/photo/$value' },
      'groups',
      ['7d1c2f5e-0b64-4c4e-9d0b-0f3f7c7c9d11'],
      'Ada',
      undefined,
    ],
    [
      'Google, no groups',
      { sub: '110248495921238986420', hd: 'example.org', email: 'ada@example.org', email_verified: true },
      { sub: '110248495921238986420', name: 'Ada L.', email: 'ada@example.org', email_verified: true },
      'groups',
      [],
      'Ada L.',
      'ada@example.org',
    ],
    [
      'Okta, a thin token',
      { sub: '00u1', name: 'Ada', email: 'ada@example.org', preferred_username: 'ada@example.org' },
      { sub: '00u1', groups: ['Everyone', 'tower'], email: 'ada@example.org', email_verified: true },
      'groups',
      ['Everyone', 'tower'],
      'Ada',
      'ada@example.org',
    ],
    [
      'Auth0, a claim with an address as its name',
      { sub: 'auth0|5f', name: 'ada@example.org', 'https://lookout.example/roles': ['tower'] },
      {},
      'https://lookout.example/roles',
      ['tower'],
      'ada@example.org',
      undefined,
    ],
    [
      'authentik, names of groups with spaces',
      { sub: 'a1', name: 'Ada L.', email: 'ada@example.org', email_verified: false, groups: ['authentik Admins'] },
      {},
      'groups',
      ['authentik Admins'],
      'Ada L.',
      undefined,
    ],
    [
      'Authelia, which leaves all to userinfo',
      { sub: 'e79', amr: ['pwd'], auth_time: 1 },
      { sub: 'e79', name: 'Ada', groups: ['tower'], email: 'ada@a.example', email_verified: true },
      'groups',
      ['tower'],
      'Ada',
      'ada@a.example',
    ],
    [
      'ZITADEL, an object of roles, which is not read',
      { sub: '1', name: 'Ada', 'urn:zitadel:iam:org:project:roles': { tower: { '2': 'a.example' } } },
      {},
      'urn:zitadel:iam:org:project:roles',
      [],
      'Ada',
      undefined,
    ],
    [
      'Dex, a connector without names',
      { sub: 'Cgox', name: '', email: 'ada@example.org', email_verified: true, groups: null },
      {},
      'groups',
      [],
      'ada@example.org',
      'ada@example.org',
    ],
    [
      'GitLab, direct groups in the token and all in userinfo',
      { sub: '7', name: 'Ada', email: 'ada@example.org', email_verified: true, groups_direct: ['field'] },
      { sub: '7', name: 'Ada', groups: ['field', 'field/tower'], email: 'ada@example.org', email_verified: true },
      'groups',
      ['field', 'field/tower'],
      'Ada',
      'ada@example.org',
    ],
    [
      'Amazon Cognito, a text for email_verified in userinfo',
      { sub: '1', 'cognito:groups': ['tower'], 'cognito:username': 'ada' },
      { sub: '1', email: 'ada@example.org', email_verified: 'true', username: 'ada' },
      'cognito:groups',
      ['tower'],
      'ada@example.org',
      undefined,
    ],
  ])('%s', (_, idToken, userinfo, groupsClaim, groups, name, verifiedAddress) => {
    expect(read(idToken, userinfo, groupsClaim).person).toMatchObject({ groups, name, verifiedAddress });
  });
});

test('a claim with exactly the name counts before a path; neither leads into prototypes or lists', () => {
  const claims = { sub: 'a', 'a.b': ['exact'], a: { b: ['by path'] }, list: [{ b: ['inside'] }] };
  expect(read(claims, {}, 'a.b').person.groups).toEqual(['exact']);
  for (const path of ['list.0.b', 'a.b.length', 'a.constructor.name', 'toString', 'a.', '.', ''])
    expect(read(claims, {}, path).person.groups).toEqual([]);
});

test('one text is one group, with its commas and spaces', () => {
  for (const group of ['tower, chiefs', 'tower chiefs', 'CN=Tower,OU=Field'])
    expect(read({ sub: 'a', groups: group }).person.groups).toEqual([group]);
});

const claims = fc.dictionary(
  fc.constantFrom('name', 'email', 'email_verified', 'preferred_username', 'groups', '_claim_names', 'hasgroups'),
  fc.oneof(
    fc.jsonValue(),
    fc.array(fc.oneof(fc.string(), fc.constant(null))),
    fc.boolean(),
    fc.emailAddress(),
    fc.string({ unit: 'binary' }),
  ),
);

test('any optional claims are read, and only groups and verified addresses that were sent grant', () => {
  fc.assert(
    fc.property(claims, claims, (idToken, userinfo) => {
      const { person, leftOut } = read({ ...idToken, sub: 'bob' }, userinfo);
      const sent = [idToken.groups, userinfo.groups].flat();
      expect(person.groups.every((group) => typeof group === 'string' && sent.includes(group))).toBe(true);
      if (person.verifiedAddress !== undefined)
        expect(
          [idToken, userinfo].some(
            ({ email, email_verified }) =>
              typeof email === 'string' &&
              comparableAddress(email.trim()) === person.verifiedAddress &&
              email_verified === true,
          ),
        ).toBe(true);
      expect(person.name.trim()).not.toBe('');
      expect(person.name).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      for (const each of leftOut) expect(each).toMatch(/^[a-z_]+ \([a-z0-9,: ()A-Z]+\)$/);
    }),
  );
});
