import { expect, test } from 'vitest';
import { connectionClause } from './connection-clause.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });

test('of several addresses, the problem of a machine counts more than that of a network', () => {
  const all = (...codes: string[]) => connectionClause(new AggregateError(codes.map(coded)), 'it failed');
  expect(all('ENETUNREACH', 'ECONNREFUSED')).toBe('nothing listens there');
  expect(all('ENETUNREACH', 'ETIMEDOUT')).toBe('the machine does not answer');
  expect(all('ENETUNREACH')).toBe('the network cannot be reached');
});

test('an unknown error gives its code, and never its text', () => {
  expect(connectionClause(new Error('password hunter2'), 'it failed')).toBe('it failed');
  expect(connectionClause(new Error('x', { cause: coded('EWEIRD') }), 'it failed')).toBe('it failed (EWEIRD)');
  const others = (code: string) => (code === 'EWEIRD' ? 'it is weird' : undefined);
  expect(connectionClause(coded('EWEIRD'), 'it failed', others)).toBe('it is weird');
});
