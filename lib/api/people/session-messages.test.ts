import { expect, test } from 'vitest';
import { signInBodySchema } from './session-messages.ts';

test('accepts the longest name and password that an operator can be created with', () => {
  const body = { name: '𝒜'.repeat(64), password: '🛩'.repeat(128) };
  expect(signInBodySchema.safeParse(body).success).toBe(true);
});

test('a body consists of a name and a password of bounded length', () => {
  const body = { name: 'anna', password: 'correct horse battery staple' };
  expect(signInBodySchema.safeParse(body).success).toBe(true);
  for (const change of [
    { name: '' },
    { password: '' },
    { password: 'x'.repeat(10_000) },
    { name: 7 },
    { admin: true },
  ]) {
    expect(signInBodySchema.safeParse({ ...body, ...change }).success).toBe(false);
  }
});
