import { expect, test } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { SELECTED_MAX } from '#lib/model/selection.ts';
import { localInstant } from '#lib/time/instant.ts';
import { ValueStore } from '../value-store.ts';
import { selectInBox, toggleSelected } from './select-more.ts';

const page = () => ({
  display: new Display(new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }), () => 0),
  selectionNote: new ValueStore<string | undefined>(undefined),
});
const refs = (count: number) => Array.from({ length: count }, (_, index) => `RX-A-${index}`);

test('a box adds its tracks, best first, and says how many did not fit', () => {
  const { display, selectionNote } = page();
  display.select('RX-A-99');
  selectInBox({ display, selectionNote }, refs(3));
  expect(display.summary().selection).toEqual({ refs: ['RX-A-99', ...refs(3)], primary: 'RX-A-99' });
  expect(selectionNote.get()).toBeUndefined();
  selectInBox({ display, selectionNote }, refs(25));
  expect(display.summary().selection.refs).toEqual(['RX-A-99', ...refs(SELECTED_MAX - 1)]);
  expect(selectionNote.get()).toMatch(/^6 of the 25 tracks in the box are not selected: at most 20 can be/);
});

test('a click adds and removes; beyond the limit it says why nothing was added', () => {
  const { display, selectionNote } = page();
  for (const ref of refs(SELECTED_MAX)) toggleSelected({ display, selectionNote }, ref);
  expect(selectionNote.get()).toBeUndefined();
  toggleSelected({ display, selectionNote }, 'RX-A-99');
  expect(selectionNote.get()).toBe('At most 20 tracks can be selected.');
  expect(display.summary().selection.refs).toEqual(refs(SELECTED_MAX));
  toggleSelected({ display, selectionNote }, 'RX-A-0');
  expect(display.summary().selection).toMatchObject({ primary: 'RX-A-1', refs: refs(SELECTED_MAX).slice(1) });
});
