import { describe, expect, it } from 'vitest';
import { priceText } from './price-text.ts';

describe('priceText', () => {
  it('says "at least" while the traffic density is unknown', () => {
    expect(priceText({ expected: 39, known: true, maxRequests: 78 })).toBe('≈ 39 requests, max. 78');
    expect(priceText({ expected: 1, known: false, maxRequests: 100 })).toBe('at least 1 request, max. 100');
    expect(priceText({ expected: 0, known: true, maxRequests: 0 })).toBe('no requests');
    expect(priceText({ expected: 39, known: true, maxRequests: 0 })).toMatch(/your role spends nothing/);
  });
});
