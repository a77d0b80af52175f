import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SELECTED_MAX } from '#lib/model/selection.ts';
import { formatAddress, parseAddress } from './address-state.ts';
import { arbitraryAddress } from './arbitrary-address.fixture.ts';

describe('the address bar', () => {
  test('a formatted state parses back to the same state, and nothing is ignored', () => {
    fc.assert(
      fc.property(arbitraryAddress, (expected) => {
        expect(parseAddress(formatAddress(expected))).toEqual({ state: expected, ignored: [] });
      }),
    );
  });

  test('parsing never fails, and names broken parameters', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('view', 'from', 'to', 'at', 'speed', 'sel', 'colour', 'x'), fc.string()),
        (query) => {
          const parsed = parseAddress(`?${new URLSearchParams(query)}`);
          expect(Object.keys(query)).toEqual(expect.arrayContaining([...parsed.ignored]));
        },
      ),
    );
  });

  test.each([
    ['a window without an end', 'from=2026-11-21T10:00:00Z', ['from']],
    ['a window that is too long', 'from=2026-11-21T10:00:00Z&to=2026-11-22T10:00:01Z', ['from', 'to']],
    ['a window that ends before it starts', 'from=2026-11-21T10:00:00Z&to=2026-11-21T09:00:00Z', ['from', 'to']],
    ['an unknown speed', 'from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&speed=7', ['speed']],
    ['a time without a timezone', 'from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&at=2026-11-21T10:10:00', ['at']],
    [
      'an unknown speed next to a filter',
      'from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&speed=7&speed=5..',
      ['speed'],
    ],
    ['a filter that is no range', 'alt=high&rx=2..', ['alt']],
    ['an unknown colouring', 'colour=fast', ['colour']],
    ['a time without a window', 'at=2026-11-21T10:10:00Z', ['at']],
  ])('%s is reported as ignored', (_, query, ignored) => {
    expect(parseAddress(`?${query}`).ignored).toEqual(ignored);
  });

  test('selects the possible references of a link, and reports the others as ignored', () => {
    const many = Array.from({ length: SELECTED_MAX + 1 }, (_, index) => `RX-A-${index}`);
    expect(parseAddress(`?sel=${many.join()}`)).toMatchObject({
      state: { selectedRefs: many.slice(0, SELECTED_MAX) },
      ignored: ['sel'],
    });
    expect(parseAddress('?sel=RX-A-1,,RX-A-2,RX-A-1')).toMatchObject({
      state: { selectedRefs: ['RX-A-1', 'RX-A-2'] },
      ignored: ['sel'],
    });
    expect(parseAddress('?sel=')).toMatchObject({ state: { selectedRefs: [] }, ignored: ['sel'] });
  });

  test('a time outside the window is clamped to it', () => {
    const { state: parsed } = parseAddress(
      '?from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z&at=2026-11-21T11:00:00Z',
    );
    expect(parsed.replay?.cursor).toBe(Date.UTC(2026, 10, 21, 10, 30));
  });
});
