import { describe, expect, test } from 'vitest';
import type { RecheckOutcome } from '#lib/client/recheck-layer.ts';
import { recheckBlockedUntilMs, recheckWords } from './recheck-words.ts';

const atMs = Date.UTC(2026, 10, 21, 12, 4, 30);
const tooSoon = (retryAfterS: number | undefined, at: number | undefined = atMs) =>
  ({ outcome: { kind: 'too-soon', retryAfterS }, atMs: at }) as const;

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
    const clockless = { outcome: { kind: 'too-soon', retryAfterS: 60 }, atMs: undefined } as const;
    expect(recheckBlockedUntilMs(clockless, undefined)).toBeUndefined();
    expect(recheckWords(clockless, undefined, 'utc')).toBe('Checked too recently. It can be checked again in 60 s.');
  });

  test('every outcome reads differently', () => {
    const outcomes: readonly RecheckOutcome[] = [
      { kind: 'asked' },
      { kind: 'too-soon', retryAfterS: 60 },
      { kind: 'signed-out' },
      { kind: 'failed' },
      { kind: 'unreachable' },
    ];
    const words = outcomes.map((outcome) => recheckWords({ outcome, atMs }, atMs, 'utc'));
    expect(new Set(words).size).toBe(outcomes.length);
  });
});
