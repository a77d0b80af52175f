import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAddress, parseAddress } from './address-state.ts';
import { arbitraryAddress } from './arbitrary-address.fixture.ts';
import { incompleteEnd } from './link-end.ts';

const LINK =
  '?view=47.46,8.55,9&at=2026-11-26T14:05:00Z&from=2026-11-26T14:00:00Z&to=2026-11-26T14:20:00Z&sel=AB-A-0123456789ABCDEF';

describe('incompleteEnd', () => {
  test.each(['?view=47.46,8', '?layers=rid,ad', '?view=47.46,8.55,9&kind=dro', '?view=47.46,8.55,9&agl=50.'])(
    'names the value in which a link was cut: %s',
    (cut) => {
      expect(incompleteEnd(cut)).toBe(cut.slice(1).split('&').at(-1));
    },
  );

  test('names the cut of a replay link wherever it is, from its time on', () => {
    const silent = Array.from({ length: LINK.length - LINK.indexOf('&at=') - 2 }, (_, index) =>
      LINK.slice(0, -1 - index),
    )
      .filter((cut) => incompleteEnd(cut) === undefined && parseAddress(cut).ignored.length === 0)
      .map((cut) => cut.split('&').at(-1));
    // Cut between two parameters, the rest is a whole link.
    expect(silent).toEqual(['', 'to=2026-11-26T14:20:00Z']);
  });

  test('finds nothing incomplete in a whole link', () => {
    fc.assert(
      fc.property(arbitraryAddress, (state) => {
        expect(incompleteEnd(formatAddress(state))).toBeUndefined();
      }),
    );
  });
});
