import { describe, expect, test } from 'vitest';
import { hashPassword, passwordMatches, phcPattern } from './password-hash.ts';

const password = 'correct horse battery staple';

describe('password hashes', () => {
  test('a password matches its own hash and no other', async () => {
    const phc = await hashPassword(password);
    expect(await passwordMatches(password, phc)).toBe(true);
    for (const other of ['', 'Correct horse battery staple', `${password} `, password.slice(1)]) {
      expect(await passwordMatches(other, phc), other).toBe(false);
    }
  });

  test('are argon2id with 19 MiB, two passes and one lane', async () => {
    const phc = await hashPassword(password);
    expect(phc).toMatch(phcPattern);
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('two hashes of one password differ, because each has its own salt', async () => {
    const [one, other] = await Promise.all([hashPassword(password), hashPassword(password)]);
    const partsOf = (phc: string) => phc.split('$').slice(-2);
    expect(partsOf(one).some((part) => partsOf(other).includes(part))).toBe(false);
  });

  test('composed and decomposed characters are the same', async () => {
    const phc = await hashPassword('W\u00e4chter im Tal');
    expect(await passwordMatches('Wa\u0308chter im Tal', phc)).toBe(true);
  });

  test('a hash whose cost, salt or tag was changed does not match', async () => {
    const phc = await hashPassword(password);
    const flipped = (text: string) => (text.startsWith('A') ? `B${text.slice(1)}` : `A${text.slice(1)}`);
    const [, , , cost, salt, tag] = phc.split('$') as [string, string, string, string, string, string];
    for (const damaged of [
      phc.replace('t=2', 't=1'),
      phc.replace(salt, flipped(salt)),
      phc.replace(tag, flipped(tag)),
      phc.replace(cost, 'm=19456,t=3,p=1'),
    ]) {
      expect(damaged).not.toBe(phc);
      expect(await passwordMatches(password, damaged), damaged).toBe(false);
    }
  });

  test.each(['', 'plain', '$2b$12$abcdefghijklmnopqrstuv', '$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$dGFn'])(
    '%j is not one of our hashes and matches nothing, itself included',
    async (stored) => {
      expect(await passwordMatches(stored, stored)).toBe(false);
      expect(await passwordMatches(password, stored)).toBe(false);
    },
  );

  test('a damaged file cannot make us allocate gigabytes', () => {
    const tail = `$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    expect(phcPattern.test(`$argon2id$v=19$m=19456,t=2,p=1${tail}`)).toBe(true);
    expect(phcPattern.test(`$argon2id$v=19$m=9999999,t=2,p=1${tail}`)).toBe(false);
    expect(phcPattern.test(`$argon2id$v=19$m=19456,t=999,p=1${tail}`)).toBe(false);
  });
});
