import { describe, expect, test } from 'vitest';
import { LookoutRequestError } from './fetch-lookout.ts';
import { failureMessage, NO_ANSWER_MESSAGE, remedyOf } from './refusal-message.ts';
import { WorkerStoppedError } from './worker-failure.ts';

describe('failureMessage', () => {
  test('blames the server only where it did not answer or refused', () => {
    expect(failureMessage(new LookoutRequestError('unreachable'))).toBe(NO_ANSWER_MESSAGE);
    const said = 'A replay is at most 1 h long.';
    expect(failureMessage(new LookoutRequestError('refused', { said, status: 400 }))).toBe(said);
    expect(failureMessage(new LookoutRequestError('refused', { status: 418 }))).toBe(
      'Lookout’s own server, or a proxy before it, refused the request: status 418.',
    );
    for (const error of [
      new LookoutRequestError('unreadable'),
      new WorkerStoppedError('stopped'),
      new WorkerStoppedError('not-loaded'),
    ]) {
      expect(failureMessage(error)).toMatch(/^(This page|A part of this page) /);
      expect(failureMessage(error)).not.toContain('server');
      expect(remedyOf(error)).toBe('reload');
    }
    expect(remedyOf(new LookoutRequestError('signed-out'))).toBe('sign-in');
    expect(remedyOf(new LookoutRequestError('unreachable'))).toBeUndefined();
  });
});
