import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSameSelection,
  linkedRefs,
  NOTHING_SELECTED,
  SELECTED_MAX,
  type Selection,
  selectionOf,
  withAdded,
  without,
  withPrimary,
  withToggled,
} from './selection.ts';

const ref = fc.nat(30).map((index) => `RX-A-${index}`);
const refs = fc.array(ref, { maxLength: 40 });
const step = fc.oneof(
  refs.map((given) => (selection: Selection) => withAdded(selection, given)),
  ref.map((given) => (selection: Selection) => withToggled(selection, given)),
  ref.map((given) => (selection: Selection) => withPrimary(selection, given)),
  ref.map((given) => (selection: Selection) => without(selection, given)),
  refs.map((given) => () => selectionOf(given)),
);
const reached = fc
  .array(step, { maxLength: 20 })
  .map((steps) => steps.reduce((selection, change) => change(selection), NOTHING_SELECTED));

describe('a selection', () => {
  test('has each track once, no more than the limit, and a primary one unless it is empty', () => {
    fc.assert(
      fc.property(reached, ({ refs: selected, primary }) => {
        expect(new Set(selected).size).toBe(selected.length);
        expect(selected.length).toBeLessThanOrEqual(SELECTED_MAX);
        if (selected.length === 0) expect(primary).toBeUndefined();
        else expect(selected).toContain(primary);
      }),
    );
  });

  test('toggling adds or removes one track, leaves the others, and twice is as if it was never done', () => {
    fc.assert(
      fc.property(reached, ref, (selection, given) => {
        const toggled = withToggled(selection, given);
        const isFull = selection.refs.length === SELECTED_MAX && !selection.refs.includes(given);
        if (isFull) expect(toggled).toBe(selection);
        else {
          expect(toggled.refs.includes(given)).toBe(!selection.refs.includes(given));
          expect(new Set(withToggled(toggled, given).refs)).toEqual(new Set(selection.refs));
        }
        expect(toggled.refs.filter((other) => other !== given)).toEqual(
          selection.refs.filter((other) => other !== given),
        );
      }),
    );
  });

  test('adding keeps the primary one, so that what is followed is not lost', () => {
    fc.assert(
      fc.property(reached, refs, (selection, given) => {
        const added = withAdded(selection, given);
        if (selection.primary !== undefined) expect(added.primary).toBe(selection.primary);
        else expect(added.primary).toBe(given[0]);
        expect(added.refs.slice(0, selection.refs.length)).toEqual(selection.refs);
      }),
    );
  });

  test('a link has the primary one first and selects the same tracks', () => {
    fc.assert(
      fc.property(reached, (selection) => {
        const opened = selectionOf(linkedRefs(selection));
        expect(opened.primary).toBe(selection.primary);
        expect(new Set(opened.refs)).toEqual(new Set(selection.refs));
        expect(isSameSelection(selectionOf(linkedRefs(opened)), opened)).toBe(true);
      }),
    );
  });
});
