import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entries } from './oidc-policy.fixture.ts';
import { comparableAddress, type OidcAttributes, oidcEntries, oidcRole } from './oidc-policy.ts';

const noAttributes: OidcAttributes = { groups: [], verifiedAddress: undefined };

function roleBy(lists: { admin?: string; allow?: string; viewer?: string }, attributes: Partial<OidcAttributes>) {
  const policy = {
    admins: entries(lists.admin ?? ''),
    operators: entries(lists.allow ?? ''),
    viewers: entries(lists.viewer ?? ''),
  };
  return oidcRole(policy, { ...noAttributes, ...attributes });
}

describe('who is in a list', () => {
  test('everyone, a group, an address or a host’s addresses', () => {
    expect(roleBy({ allow: '*' }, {})).toBe('operator');
    expect(roleBy({ allow: 'tower' }, { groups: ['apron', 'tower'] })).toBe('operator');
    expect(roleBy({ allow: '/sites/LSZH tower' }, { groups: ['/sites/LSZH tower'] })).toBe('operator');
    expect(roleBy({ allow: 'group:ops@example.org' }, { groups: ['ops@example.org'] })).toBe('operator');
    expect(roleBy({ allow: 'group:*' }, {})).toBeUndefined();
    expect(roleBy({ allow: 'Bob@Example.org' }, { verifiedAddress: 'bob@example.org' })).toBe('operator');
    expect(roleBy({ allow: '@Example.org' }, { verifiedAddress: 'bob@example.org' })).toBe('operator');
  });

  test('not a part of a name, another case of a group, a subdomain or a sibling host', () => {
    for (const group of ['tower2', 'Tower', ' tower', 'tow', 'tower,apron', '*'])
      expect(roleBy({ allow: 'tower' }, { groups: [group] })).toBeUndefined();
    for (const address of [
      'bob@sub.example.org',
      'bob@evilexample.org',
      'bob@example.org.evil',
      '@example.org@evil.org',
    ])
      expect(roleBy({ allow: '@example.org' }, { verifiedAddress: address })).toBeUndefined();
    expect(roleBy({ allow: 'bob@example.org' }, { groups: ['bob@example.org'] })).toBeUndefined();
    expect(roleBy({ allow: 'tower' }, { verifiedAddress: 'tower' })).toBeUndefined();
  });

  test('the highest list counts, in whatever order they stand', () => {
    const lists = { admin: 'a', allow: 'b', viewer: '*' };
    expect(roleBy(lists, { groups: ['b', 'a'] })).toBe('admin');
    expect(roleBy(lists, { groups: ['b'] })).toBe('operator');
    expect(roleBy(lists, {})).toBe('viewer');
  });

  test('empty lists admit no person', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string()),
        fc.option(fc.emailAddress(), { nil: undefined }),
        (groups, verifiedAddress) => {
          expect(roleBy({ allow: ' , ,' }, { groups, verifiedAddress })).toBeUndefined();
        },
      ),
    );
  });

  test('a group named by the administrator is that group alone', () => {
    const name = fc.stringMatching(/^[^,@*"\s](?:[^,@"]*[^,@"\s])?$/).filter((text) => !text.startsWith('group:'));
    fc.assert(
      fc.property(name, fc.array(fc.string()), (group, others) => {
        const role = roleBy({ allow: `other, ${group} ,@example.org` }, { groups: others });
        expect(role).toBe(others.some((other) => other === group || other === 'other') ? 'operator' : undefined);
        expect(roleBy({ allow: group }, { groups: [...others, group] })).toBe('operator');
      }),
    );
  });
});

describe('an entry in double quotes', () => {
  test('is one whole name, with its commas, quotes and blanks', () => {
    const kept = entries(
      '"CN=Tower, Nord,OU=Field" , " a ""b""",tower,"*", "group:x@y,z" ,"Tower ""North""",,"@example.org"',
    );
    expect(kept).toEqual([
      { kind: 'group', name: 'CN=Tower, Nord,OU=Field' },
      { kind: 'group', name: ' a "b"' },
      { kind: 'group', name: 'tower' },
      { kind: 'everyone' },
      { kind: 'group', name: 'x@y,z' },
      { kind: 'group', name: 'Tower "North"' },
      { kind: 'domain', domain: 'example.org' },
    ]);
  });

  test('names any group, and that alone', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (group, other) => {
        const quoted = (name: string) => `"group:${name.replaceAll('"', '""')}"`;
        expect(entries(`${quoted(group)}, ${quoted(other)}`)).toEqual([
          { kind: 'group', name: group },
          { kind: 'group', name: other },
        ]);
        const role = roleBy({ allow: `tower,${quoted(group)}` }, { groups: [other] });
        expect(role).toBe([group, 'tower'].includes(other) ? 'operator' : undefined);
      }),
    );
  });

  test.each(['"tower', 'tower,"', '"a" b', '"a""', '"a"b", c', 'Tower "North"', `'"CN=Tower,OU=Field"'`])(
    'has to end: %s',
    (text) => {
      expect(oidcEntries(text)).toMatch(/^has a double quote/);
    },
  );

  test.each(['CN=Tower,OU=Field,DC=example', 'tower, cn=a, ou=b'])('is what %s lacks', (text) => {
    expect(oidcEntries(text)).toMatch(/^has a distinguished name that is cut/);
  });

  test('is not needed for one attribute', () => {
    expect(entries('CN=Tower, tower, CN=Apron')).toHaveLength(3);
  });
});

test('an entry that is no group, address or host is refused', () => {
  for (const text of ['@', 'a@', 'a@b@', 'a b@example.org', 'bob@exämple.org', 'tower,group:', '@exa mple.org'])
    expect(oidcEntries(text)).toMatch(/^must be groups/);
});

test('ignores addresses with non-ASCII characters: folding their case could yield another person’s address', () => {
  expect('\u212a'.toLowerCase()).toBe('k');
  expect(comparableAddress('\u212a@example.org')).toBeUndefined();
  expect(comparableAddress(`${'x'.repeat(250)}@example.org`)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (text) => {
      const address = comparableAddress(text);
      if (address !== undefined) expect(address.toUpperCase()).toBe(text.toUpperCase());
    }),
  );
});
