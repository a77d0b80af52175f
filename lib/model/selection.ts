/** As many as one request for trails may name. */
export const SELECTED_MAX = 20;

/** The selected tracks. */
export interface Selection {
  /** References in the order in which they were selected, each once. */
  readonly refs: readonly string[];
  /** The one whose card is open, and which can be followed; `undefined` if nothing is selected. */
  readonly primary: string | undefined;
}

export const NOTHING_SELECTED: Selection = { refs: [], primary: undefined };

/** Selects these alone; the first is the primary one. Those beyond the limit are left out. */
export function selectionOf(refs: readonly string[]): Selection {
  return withAdded(NOTHING_SELECTED, refs);
}

/** Adds as many of these as there is room for, in their order. Returns the same object if nothing changes. */
export function withAdded(selection: Selection, refs: readonly string[]): Selection {
  const all = [...new Set([...selection.refs, ...refs])].slice(0, SELECTED_MAX);
  if (all.length === selection.refs.length) return selection;
  return { refs: all, primary: selection.primary ?? all[0] };
}

/** Without the primary one, the next becomes it, or the last if there is none. */
export function without(selection: Selection, ref: string): Selection {
  const at = selection.refs.indexOf(ref);
  if (at < 0) return selection;
  const refs = selection.refs.filter((other) => other !== ref);
  return { refs, primary: selection.primary === ref ? (refs[at] ?? refs.at(-1)) : selection.primary };
}

/** Adds the reference, or removes it if it is selected. Returns the same object if there is no room for it. */
export function withToggled(selection: Selection, ref: string): Selection {
  return selection.refs.includes(ref) ? without(selection, ref) : withAdded(selection, [ref]);
}

/** Makes one of the selected tracks the primary one. */
export function withPrimary(selection: Selection, ref: string): Selection {
  return selection.refs.includes(ref) && selection.primary !== ref ? { ...selection, primary: ref } : selection;
}

/** As a link has them: the primary one first. */
export function linkedRefs({ refs, primary }: Selection): readonly string[] {
  return primary === undefined ? [] : [primary, ...refs.filter((ref) => ref !== primary)];
}

export function isSameSelection(one: Selection, other: Selection): boolean {
  const { refs, primary } = other;
  return (
    one.primary === primary && one.refs.length === refs.length && one.refs.every((ref, index) => ref === refs[index])
  );
}
