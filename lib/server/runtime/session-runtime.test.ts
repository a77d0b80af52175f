import { expect, test } from 'vitest';
import type { DatabaseTarget } from '../database/open-database.ts';
import type { OidcConfig } from '../settings/access-settings.ts';
import { requireWayIn } from './session-runtime.ts';

const oidc = {} as OidcConfig;
const database = { dialect: 'sqlite', file: '/var/lib/lookout/lookout.sqlite' } as const;
const reached = { oidc: undefined, signInReason: 'HOST=0.0.0.0 can be reached from other machines', database };
const local = { oidc: undefined, signInReason: undefined, database };

test('a start without an operator and without single sign-on is refused with the command to run', () => {
  expect(() => requireWayIn(reached, 0)).toThrow(
    'No operator can sign in, and HOST=0.0.0.0 can be reached from other machines. Add the first: DATA_DIR=/var/lib/lookout npm run operator -- add NAME --role admin; or set OIDC_ISSUER.',
  );
  const postgres = { dialect: 'postgres', password: { value: 'secret' } } as DatabaseTarget;
  expect(() => requireWayIn({ ...reached, database: postgres }, 0)).toThrow(
    'Add the first with the same DATABASE_URL: npm run operator -- add NAME --role admin;',
  );
});

test('an operator or a provider makes people sign in, and on this machine alone none is needed', () => {
  expect(requireWayIn(reached, 1)).toBe(true);
  expect(requireWayIn({ ...reached, oidc }, 0)).toBe(true);
  expect(requireWayIn(local, 1)).toBe(true);
  expect(requireWayIn({ ...local, oidc }, 0)).toBe(true);
  expect(requireWayIn(local, 0)).toBe(false);
});
