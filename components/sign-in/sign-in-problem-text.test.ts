import { expect, test } from 'vitest';
import { SIGN_IN_PROBLEMS, signInProblem } from '#lib/api/people/sign-in-problem.ts';
import { signInProblemText } from './sign-in-problem-text.ts';

test('each problem says what to do, in words of its own', () => {
  const texts = SIGN_IN_PROBLEMS.map((problem) => signInProblemText(problem, 'id.example', undefined));
  expect(new Set(texts).size).toBe(SIGN_IN_PROBLEMS.length);
  for (const text of texts) expect(text).toMatch(/^[A-Zi].*\.$/);
});

test('who is not allowed is named where that is known', () => {
  expect(signInProblemText('not_allowed', 'id.example', 'Eve')).toMatch(/^Eve at id\.example is not allowed/);
  expect(signInProblemText('not_allowed', 'id.example', undefined)).toMatch(
    /^The account that is signed in at id\.example/,
  );
});

test('what anybody writes into the address is no problem', () => {
  for (const value of [undefined, '', 'Pay here', '__proto__', 'EXPIRED']) expect(signInProblem(value)).toBeUndefined();
  expect(signInProblem('expired')).toBe('expired');
});
