import { describe, expect, test } from 'vitest';
import { errorId } from './failure.tsx';

const thrown = (message: string) => new Error(message);

describe('errorId', () => {
  test('is the digest of a server error, which the server logs too', () => {
    expect(errorId(Object.assign(new Error('hidden'), { digest: '2894271337' }))).toBe('2894271337');
  });

  test('is stable for the same defect, and differs by message and place', () => {
    const [first, again, other] = ['a', 'a', 'b'].map(thrown).map(errorId);
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(errorId(new Error('a'))).not.toBe(first);
  });

  test('accepts whatever was thrown', () => {
    expect(errorId('a text')).toMatch(/^[0-9a-f]{8}$/);
    expect(errorId(undefined)).toMatch(/^[0-9a-f]{8}$/);
  });
});
