import { expect, test } from 'vitest';
import { connectionProblem } from './connection-problem.ts';

test('of several addresses, the problem of a machine counts more than that of a network', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code });
  const all = (...codes: string[]) => connectionProblem(new AggregateError(codes.map(coded)));
  expect(all('ENETUNREACH', 'ECONNREFUSED')).toBe('nothing listens there');
  expect(all('ENETUNREACH', 'ETIMEDOUT')).toBe('the machine does not answer');
  expect(all('ENETUNREACH')).toBe('the network cannot be reached');
});
