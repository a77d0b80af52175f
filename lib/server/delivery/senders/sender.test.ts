import { expect, test } from 'vitest';
import { attempt, connectionProblem, SendFailure } from './sender.ts';

const never = new AbortController().signal;

test('ends a send that takes too long, and says so', async () => {
  const send = attempt(never, () => new Promise(() => undefined), 20);
  await expect(send).rejects.toMatchObject({ kind: 'retry', message: 'It did not answer within 0.02 s.' });
});

test('makes a failure of each error, without its text', async () => {
  const refused = new SendFailure('failed', 'It answered with status 400.');
  await expect(attempt(never, () => Promise.reject(refused))).rejects.toBe(refused);
  await expect(attempt(never, () => Promise.reject(new Error('password hunter2')))).rejects.toMatchObject({
    kind: 'retry',
    message: 'The connection failed.',
  });
  await expect(attempt(AbortSignal.abort(), async () => undefined)).rejects.toMatchObject({ kind: 'retry' });
});

test('of several addresses, the problem of a machine counts more than that of a network', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code });
  const all = (...codes: string[]) => connectionProblem(new AggregateError(codes.map(coded)));
  expect(all('ENETUNREACH', 'ECONNREFUSED')).toBe('Nothing listens there.');
  expect(all('ENETUNREACH', 'ETIMEDOUT')).toBe('The machine does not answer.');
  expect(all('ENETUNREACH')).toBe('The network cannot be reached.');
});
