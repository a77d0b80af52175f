import { describe, expect, it } from 'vitest';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { signInRefusalMessage } from './sign-in-refusal-message.ts';

const refused = (code: string, retryAfterS?: number) =>
  signInRefusalMessage(new LookoutRequestError('refused', { code, retryAfterS }));

describe('signInRefusalMessage', () => {
  it('does not reveal whether the name or the password was wrong', () => {
    expect(refused('sign_in_refused')).toBe('This name and password are not accepted.');
    expect(refused('bad_body')).toBe(refused('sign_in_refused'));
  });

  it('says how long to wait if that is known', () => {
    expect(refused('too_many_attempts', 30)).toContain('in 30 s');
    expect(refused('too_many_attempts')).toContain('Wait a while');
  });

  it('distinguishes a silent server from a refusal', () => {
    expect(signInRefusalMessage(new LookoutRequestError('unreachable'))).toContain('No answer from');
    expect(refused('database_lost', 5)).toContain('database does not answer');
    expect(refused('brand_new')).toBe('Could not sign in. Try again.');
  });
});
