import { describe, expect, it, test } from 'vitest';
import { SIGN_IN_PROBLEMS, signInProblem } from '#lib/api/people/sign-in-problem.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { signInProblemText, signInRefusalMessage } from './sign-in-text.ts';

test('each problem says what to do, in words of its own', () => {
  const texts = SIGN_IN_PROBLEMS.map((problem) => signInProblemText(problem, 'id.example', undefined));
  expect(new Set(texts).size).toBe(SIGN_IN_PROBLEMS.length);
  for (const text of texts) expect(text).toMatch(/^[A-Zi].*\.$/);
});

test('names the refused user if the name is known', () => {
  expect(signInProblemText('not_allowed', 'id.example', 'Eve')).toMatch(/^Eve at id\.example is not allowed/);
  expect(signInProblemText('not_allowed', 'id.example', undefined)).toMatch(
    /^The account that is signed in at id\.example/,
  );
});

test('ignores unknown values in the address', () => {
  for (const value of [undefined, '', 'Pay here', '__proto__', 'EXPIRED']) expect(signInProblem(value)).toBeUndefined();
  expect(signInProblem('expired')).toBe('expired');
});

const refused = (code: string, retryAfterS?: number) =>
  signInRefusalMessage(new LookoutRequestError('refused', { code, retryAfterS }));

describe('signInRefusalMessage', () => {
  it('does not reveal whether the name or the password was wrong', () => {
    expect(refused('sign_in_refused')).toBe('This name and password are not accepted.');
    expect(refused('bad_body')).toBe(refused('sign_in_refused'));
  });

  it('says how long to wait if that is known', () => {
    expect(refused('too_many_attempts', 30)).toContain('in 30 s');
    expect(refused('too_many_attempts')).toContain('Wait a while');
  });

  it('distinguishes a silent server from a refusal', () => {
    expect(signInRefusalMessage(new LookoutRequestError('unreachable'))).toContain('No answer from');
    expect(refused('database_lost', 5)).toContain('database does not answer');
    expect(refused('brand_new')).toBe('Could not sign in. Try again.');
  });
});
