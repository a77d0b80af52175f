import { expect, test } from 'vitest';
import { recheckOutcome } from './recheck-layer.ts';

const outcome = (status: number, retryAfter?: string) =>
  recheckOutcome(
    new Response(null, { status, ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }) }),
  );

test('what came of asking for a check is told apart, with the time to wait only where it was told in seconds', () => {
  expect(outcome(204)).toEqual({ kind: 'asked' });
  expect(outcome(401)).toEqual({ kind: 'signed-out' });
  expect(outcome(500)).toEqual({ kind: 'failed' });
  expect(outcome(429, '840')).toEqual({ kind: 'too-soon', retryAfterS: 840 });
  expect(outcome(429)).toEqual({ kind: 'too-soon', retryAfterS: undefined });
  expect(outcome(429, 'soon')).toEqual({ kind: 'too-soon', retryAfterS: undefined });
});
