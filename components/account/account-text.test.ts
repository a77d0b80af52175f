import { describe, expect, test } from 'vitest';
import type { Person } from '#lib/api/people/account.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { refusalText, sessionText, spentText, waysInText } from './account-text.ts';

const session = {
  id: 'x',
  by: 'password',
  browser: 'Firefox on Linux',
  address: '192.0.2.7',
  signed_in_at: '2026-11-22T12:00:00.000Z',
  seen_at: '2026-11-22T14:03:00.000Z',
  kept: false,
  current: false,
} as const;
const person: Person = {
  id: 'al',
  name: 'al',
  role: 'viewer',
  in_file: true,
  password: 'own',
  passkeys: 0,
  spent_today: { past: 7, first_views: 0 },
  push: [],
  sessions: [],
};

describe('texts of accounts', () => {
  test('a session says from where, by what, since when and until when, each time with its zone', () => {
    expect(sessionText(session, 'utc')).toBe(
      'from 192.0.2.7, by password, since 2026-11-22 12:00:00Z; last seen 2026-11-22 14:03:00Z; ends with the browser',
    );
    expect(sessionText({ ...session, kept: true, by: 'oidc' }, 'utc')).toMatch(/single sign-on.*kept by the browser$/);
  });

  test('ways in', () => {
    expect(waysInText(person, false)).toBe('password');
    expect(waysInText({ ...person, password: 'initial', passkeys: 2 }, false)).toMatch(/not changed yet, passkeys: 2$/);
    expect(waysInText({ ...person, in_file: false, password: 'none' }, false)).toBe('signs in at the provider');
  });

  test('where passkeys are required, a password is no way in for an operator with a passkey', () => {
    expect(waysInText(person, true)).toBe('password, no passkey yet');
    expect(waysInText({ ...person, passkeys: 2 }, true)).toBe('passkeys: 2');
    expect(waysInText({ ...person, in_file: false, password: 'none' }, true)).toBe('signs in at the provider');
  });

  test('requests of today', () => {
    expect(spentText(person)).toBe('requests today (UTC): 7 for the past, 0 for new places');
  });

  test('a refusal has the server’s sentence', () => {
    const refusal = (code: string, more: object = {}) =>
      refusalText(new LookoutRequestError('refused', { code, ...more }));
    expect(refusal('weak_password', { said: 'The password is too common.' })).toBe('The password is too common.');
    expect(refusal('too_many_attempts', { retryAfterS: 30, said: 'x' })).toContain('in 30 s');
    expect(refusal('brand_new')).toMatch(/could not/);
    expect(refusalText(new LookoutRequestError('unreachable'))).toContain('No answer');
  });
});
