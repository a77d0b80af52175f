import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passwordProblem } from './password-rules.ts';

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
