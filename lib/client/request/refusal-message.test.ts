import { describe, expect, test } from 'vitest';
import { LookoutRequestError } from './fetch-lookout.ts';
import { changeFailureMessage, failureMessage, NO_ANSWER_MESSAGE, remedyOf } from './refusal-message.ts';
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

describe('changeFailureMessage', () => {
  test('says without an answer that the change may not have been made, and takes words for a code', () => {
    const message = (...args: ConstructorParameters<typeof LookoutRequestError>) =>
      changeFailureMessage(new LookoutRequestError(...args), { name_taken: 'Choose another.' });
    expect(message('unreachable')).toBe('No answer from Lookout’s own server; the change may not have been made.');
    expect(message('signed-out')).toBe('You are signed out; nothing was changed.');
    expect(message('refused', { code: 'name_taken', said: 'There is one.' })).toBe('Choose another.');
    expect(message('refused', { code: 'bad_body', said: 'Too long.' })).toBe('Too long.');
    expect(changeFailureMessage(new TypeError('x'))).toBe('That did not work. Try again.');
  });
});
