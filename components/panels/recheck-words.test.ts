import { describe, expect, test } from 'vitest';
import { AskError } from '#lib/client/ask-lookout.ts';
import { type RecheckNote, recheckBlockedUntilMs, recheckWords } from './recheck-words.ts';

const atMs = Date.UTC(2026, 10, 21, 12, 4, 30);
const tooSoon = (retryAfterS: number | undefined, at: number | undefined = atMs) => ({
  error: new AskError('refused', { code: 'too_many_attempts', retryAfterS }),
  atMs: at,
});

describe('recheckWords', () => {
  test('too soon says when it can be tried again, and that it can be once it can', () => {
    expect(recheckWords(tooSoon(60), atMs + 59_000, 'utc')).toBe(
      'Checked too recently. It can be checked again at 12:05:30Z.',
    );
    expect(recheckBlockedUntilMs(tooSoon(60), atMs + 59_000)).toBe(atMs + 60_000);
    expect(recheckWords(tooSoon(60), atMs + 60_000, 'utc')).toBe('It can be checked again now.');
    expect(recheckBlockedUntilMs(tooSoon(60), atMs + 60_000)).toBeUndefined();
  });

  test('without a time to wait, or without a clock, nothing is blocked for ever', () => {
    expect(recheckBlockedUntilMs(tooSoon(undefined), atMs)).toBeUndefined();
    expect(recheckWords(tooSoon(undefined), atMs, 'utc')).toBe('Checked too recently. Try again later.');
    const clockless: RecheckNote = { ...tooSoon(60), atMs: undefined };
    expect(recheckBlockedUntilMs(clockless, undefined)).toBeUndefined();
    expect(recheckWords(clockless, undefined, 'utc')).toBe('Checked too recently. It can be checked again in 60 s.');
  });

  test('every outcome reads differently', () => {
    const outcomes = [
      undefined,
      tooSoon(60).error,
      new AskError('signed-out'),
      new AskError('refused', { code: 'internal' }),
      new AskError('unreachable'),
    ];
    const words = outcomes.map((error) => recheckWords({ error, atMs }, atMs, 'utc'));
    expect(new Set(words).size).toBe(outcomes.length);
  });
});
