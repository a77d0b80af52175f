import { expect, test } from 'vitest';
import type { OidcConfig } from '../settings/oidc-settings.ts';
import { requireWayIn } from './require-way-in.ts';

const oidc = {} as OidcConfig;
const reached = { oidc: undefined, signInReason: 'HOST=0.0.0.0 can be reached from other machines' };
const local = { oidc: undefined, signInReason: undefined };

test('a start without an operator and without single sign-on is refused with the command to run', () => {
  expect(() => requireWayIn(reached, 0)).toThrow(
    /No operator can sign in, and HOST=0\.0\.0\.0 can be reached .*npm run operator -- add NAME --role admin/,
  );
});

test('an operator or a provider makes people sign in, and on this machine alone none is needed', () => {
  expect(requireWayIn(reached, 1)).toBe(true);
  expect(requireWayIn({ ...reached, oidc }, 0)).toBe(true);
  expect(requireWayIn(local, 1)).toBe(true);
  expect(requireWayIn({ ...local, oidc }, 0)).toBe(true);
  expect(requireWayIn(local, 0)).toBe(false);
});
