import { describe, expect, test } from 'vitest';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type RecheckNote, recheckBlockedUntil, recheckText } from './why-no-requests.tsx';

const requestedAt = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 30));
const tooSoon = (retryAfterS: number | undefined, at: UpstreamInstant | undefined = requestedAt) => ({
  error: new LookoutRequestError('refused', { code: 'too_many_attempts', retryAfterS }),
  at,
});

describe('recheckText', () => {
  test('a check that is too soon gives the time of the next one, and says so once it has come', () => {
    expect(recheckText(tooSoon(60), addMs(requestedAt, 59_000), 'utc')).toBe(
      'Checked too recently. It can be checked again at 12:05:30Z.',
    );
    expect(recheckBlockedUntil(tooSoon(60), addMs(requestedAt, 59_000))).toBe(addMs(requestedAt, 60_000));
    expect(recheckText(tooSoon(60), addMs(requestedAt, 60_000), 'utc')).toBe('It can be checked again now.');
    expect(recheckBlockedUntil(tooSoon(60), addMs(requestedAt, 60_000))).toBeUndefined();
  });

  test('nothing is blocked for ever without a time to wait or without the current time', () => {
    expect(recheckBlockedUntil(tooSoon(undefined), requestedAt)).toBeUndefined();
    expect(recheckText(tooSoon(undefined), requestedAt, 'utc')).toBe('Checked too recently. Try again later.');
    const clockless: RecheckNote = { ...tooSoon(60), at: undefined };
    expect(recheckBlockedUntil(clockless, undefined)).toBeUndefined();
    expect(recheckText(clockless, undefined, 'utc')).toBe('Checked too recently. It can be checked again in 60 s.');
  });

  test('every outcome reads differently', () => {
    const outcomes = [
      undefined,
      tooSoon(60).error,
      new LookoutRequestError('signed-out'),
      new LookoutRequestError('refused', { code: 'internal' }),
      new LookoutRequestError('refused', { code: 'not_permitted' }),
      new LookoutRequestError('unreachable'),
    ];
    const texts = outcomes.map((error) => recheckText({ error, at: requestedAt }, requestedAt, 'utc'));
    expect(new Set(texts).size).toBe(outcomes.length);
  });
});
