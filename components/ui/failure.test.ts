import { describe, expect, test } from 'vitest';
import { errorId } from './failure.tsx';

const thrown = (message: string) => new Error(message);

describe('errorId', () => {
  test('of an error on the server is the digest that its log has', () => {
    expect(errorId(Object.assign(new Error('hidden'), { digest: '2894271337' }))).toBe('2894271337');
  });

  test('is the same for the same defect, and another for another message or place', () => {
    const [first, again, other] = ['a', 'a', 'b'].map(thrown).map(errorId);
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(errorId(new Error('a'))).not.toBe(first);
  });

  test('tells whatever was thrown', () => {
    expect(errorId('a text')).toMatch(/^[0-9a-f]{8}$/);
    expect(errorId(undefined)).toMatch(/^[0-9a-f]{8}$/);
  });
});
