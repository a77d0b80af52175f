import { SELECTED_MAX, withAdded, withToggled } from '#lib/model/selection.ts';
import type { Lookout } from './lookout-context.tsx';

type Selecting = Pick<Lookout, 'display' | 'selectionNote'>;

export function toggleSelected({ display, selectionNote }: Selecting, ref: string): void {
  const { selection } = display.summary();
  const toggled = withToggled(selection, ref);
  if (toggled === selection) selectionNote.set(`At most ${SELECTED_MAX} tracks can be selected.`);
  else display.setSelection(toggled);
}

/**
 * Says if not all of them fit.
 * @param refs best first
 */
export function selectInBox({ display, selectionNote }: Selecting, refs: readonly string[]): void {
  const selection = withAdded(display.summary().selection, refs);
  display.setSelection(selection);
  const left = refs.filter((ref) => !selection.refs.includes(ref)).length;
  if (left === 0) return;
  selectionNote.set(
    `${left} of the ${refs.length} tracks in the box ${left === 1 ? 'is' : 'are'} not selected: at most ${SELECTED_MAX} can be. Emergencies come first, then those nearest to its middle.`,
  );
}
