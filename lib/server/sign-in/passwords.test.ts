import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashPassword, passwordMatches, passwordProblem, phcPattern } from './passwords.ts';

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

describe('passwordProblem', () => {
  test.each([
    'correct horse battery staple',
    'nurkleinebuchstaben und nichts',
    'Wächter über dem Tal',
    'кот видел четыре самолёта',
    '正しい馬電池ホチキスの話です',
    'пароль-без-чисел-7',
    '!?)(§$%&/=#+~<>|',
    'Tr0mpete.wolke.Fensterbank',
    'the password of the lookout desk in bern',
  ])('%j is accepted: there are no composition rules', async (password) => {
    expect(await passwordProblem(password, 'anna')).toBeUndefined();
  });

  test.each([
    'password1234',
    'Password123!',
    'PASSWORDPASSWORD',
    'passwort2026!',
    'letmeinletmein',
    'welcome12345',
    'administrator1',
    'iloveyou1234',
    'changeme!!!!!',
    'lookoutlookout',
    'qwertyuiop12',
    'qwertzuiopas',
    '1q2w3e4r5t6y',
    '123456789012',
    '987654321098',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'Ab3!Ab3!Ab3!',
    '1234-5678-9012',
    '............',
    'correcthorse',
    'liverpool1892',
    'Summer2026!!',
    'p4ssw0rd@p4ssw0rd@',
  ])('%j is refused as common', async (password) => {
    expect(await passwordProblem(password, 'anna')).toMatch(/common/);
  });

  test('a password that is little more than the name is refused, in any letter case', async () => {
    expect(await passwordProblem('Katharina2026', 'katharina')).toMatch(/name/);
    expect(await passwordProblem('katharina.katharina', 'Katharina')).toMatch(/name/);
    expect(await passwordProblem('katharina sieht vier drohnen', 'katharina')).toBeUndefined();
  });

  test('length is 12 to 128 characters; a longer password is refused, not truncated', async () => {
    const letters = (count: number) =>
      Array.from({ length: count }, (_, index) => 'kmztxrwq🛩vbß'.at(index % 7)).join('');
    expect(await passwordProblem('kmzt xrwq vb', 'anna')).toBeUndefined();
    expect(await passwordProblem('kmzt xrwq v', 'anna')).toMatch(/at least 12 characters/);
    expect(await passwordProblem('🛩🚁🛸✈🪂🎈🎆🎇🧨✨🎉', 'anna')).toMatch(/at least 12 characters/);
    expect(await passwordProblem(letters(129), 'anna')).toMatch(/at most 128 characters/);
  });

  test('gives an answer for any input', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 140 }),
        fc.string({ maxLength: 64 }),
        async (password, name) => {
          const problem = await passwordProblem(password, name);
          if ([...password].length < 12) expect(problem).toBeDefined();
          expect(problem ?? 'The ').toMatch(/^The /);
        },
      ),
    );
  });
});
