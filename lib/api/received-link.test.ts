import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAddress, parseAddress } from './address-state.ts';
import { arbitraryAddress } from './arbitrary-address.fixture.ts';
import { incompleteEnd, mendedLink } from './received-link.ts';

const LINK = '?view=47.46,8.55,9&at=2026-11-26T14:05:00Z&from=2026-11-26T14:00:00Z&to=2026-11-26T14:20:00Z&speed=1';

describe('mendedLink', () => {
  test.each([
    ['HTML entities', LINK.replaceAll('&', '&amp;')],
    ['HTML entities, twice', LINK.replaceAll('&', '&amp;amp;')],
    ['encoded entities', LINK.replaceAll('&', '&amp%3B')],
    ['encoded separators', LINK.replaceAll('&', '%26')],
    ['encoded values', LINK.replaceAll(',', '%2C').replaceAll(':', '%3A')],
    ['values encoded twice', LINK.replaceAll(',', '%252C').replaceAll(':', '%253A')],
    ['values encoded three times', LINK.replaceAll(',', '%25252C')],
    ['a whole query that was encoded', `?${encodeURIComponent(LINK.slice(1))}`],
    ['a full stop', `${LINK}.`],
    ['a bracket and a full stop', `${LINK}).`],
    ['an encoded bracket', `${LINK}%29`],
    ['quotation marks', `${LINK}”`],
    ['a space at the end', `${LINK}%20`],
    ['a space after a comma', LINK.replace(',', ',%20')],
    ['a plus sign after a comma', LINK.replace(',', ',+')],
    ['a line break', LINK.replace('&to', '%0D%0A&to')],
    ['a zero-width space', LINK.replace('&to', '%E2%80%8B&to')],
    ['campaign parameters', `${LINK}&utm_source=mail&utm_medium=x&fbclid=IwAR0`],
    ['campaign parameters first', LINK.replace('?', '?utm_source=chat&')],
    ['several at once', `${LINK.replaceAll('&', '&amp%3B').replace(',', ',+')}&amp;utm_source=x).`],
  ])('opens a link whole after %s', (_, mangled) => {
    expect(parseAddress(mendedLink(mangled))).toEqual(parseAddress(LINK));
  });

  test.each([
    ['?agl=500..', '?agl=500..'],
    ['?agl=500...', '?agl=500..'],
    ['?agl=500..).', '?agl=500..'],
    ['?alt=0.5..', '?alt=0.5..'],
    ['?alt=1..2.', '?alt=1..2'],
    ['?rx=2..&agl=..120).', '?rx=2..&agl=..120'],
  ])('keeps the dots of an open range: %s', (mangled, mended) => {
    expect(mendedLink(mangled)).toBe(mended);
  });

  test('keeps the offset of a time zone', () => {
    expect(mendedLink('?from=2026-11-26T14:00:00+01:00&at=x')).toBe('?from=2026-11-26T14:00:00+01:00&at=x');
  });

  test('leaves every whole link as it is', () => {
    fc.assert(
      fc.property(arbitraryAddress, (state) => {
        const link = formatAddress(state);
        expect(mendedLink(link)).toBe(link);
      }),
    );
  });

  test('never fails, and mends once and for all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const mended = mendedLink(text);
        expect(mendedLink(mended)).toBe(mended);
      }),
    );
  });
});

const WHOLE_LINK =
  '?view=47.46,8.55,9&at=2026-11-26T14:05:00Z&from=2026-11-26T14:00:00Z&to=2026-11-26T14:20:00Z&sel=AB-A-0123456789ABCDEF';

describe('incompleteEnd', () => {
  test.each([
    '?view=47.46,8',
    '?layers=rid,ad',
    '?view=47.46,8.55,9&kind=dro',
    '?view=47.46,8.55,9&agl=50.',
    '?alt=0',
    '?alt=0_',
    '?alt=0_9',
    '?rx=2_',
    '?speed=5_50mp',
  ])('names the value in which a link was cut: %s', (cut) => {
    expect(incompleteEnd(cut)).toBe(cut.slice(1).split('&').at(-1));
  });

  test('names the cut of a replay link wherever it is, from its time on', () => {
    const silent = Array.from({ length: WHOLE_LINK.length - WHOLE_LINK.indexOf('&at=') - 2 }, (_, index) =>
      WHOLE_LINK.slice(0, -1 - index),
    )
      .filter((cut) => incompleteEnd(cut) === undefined && parseAddress(cut).ignored.length === 0)
      .map((cut) => cut.split('&').at(-1));
    // After a cut between parameters, the link is whole.
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
