/** A selection has at most as many tracks as one request for trails may name. */
export const SELECTED_MAX = 20;

export interface Selection {
  /** It has each reference once, in the order of selection. */
  readonly refs: readonly string[];
  /** The track whose card is open. */
  readonly primary: string | undefined;
}

export const NOTHING_SELECTED: Selection = { refs: [], primary: undefined };

/** Selects these tracks, the first as the primary one, and drops those beyond the limit. */
export function selectionOf(refs: readonly string[]): Selection {
  return withAdded(NOTHING_SELECTED, refs);
}

/** Adds as many tracks as fit. The same object if nothing changes. */
export function withAdded(selection: Selection, refs: readonly string[]): Selection {
  const all = [...new Set([...selection.refs, ...refs])].slice(0, SELECTED_MAX);
  if (all.length === selection.refs.length) return selection;
  return { refs: all, primary: selection.primary ?? all[0] };
}

/** Removes a track. If it is the primary one, the next track takes its place, or the last. */
export function without(selection: Selection, ref: string): Selection {
  const at = selection.refs.indexOf(ref);
  if (at < 0) return selection;
  const refs = selection.refs.filter((other) => other !== ref);
  return { refs, primary: selection.primary === ref ? (refs[at] ?? refs.at(-1)) : selection.primary };
}

/** Adds or removes a track. The same object if there is no room. */
export function withToggled(selection: Selection, ref: string): Selection {
  return selection.refs.includes(ref) ? without(selection, ref) : withAdded(selection, [ref]);
}

export function withPrimary(selection: Selection, ref: string): Selection {
  return selection.refs.includes(ref) && selection.primary !== ref ? { ...selection, primary: ref } : selection;
}

export function linkedRefs({ refs, primary }: Selection): readonly string[] {
  return primary === undefined ? [] : [primary, ...refs.filter((ref) => ref !== primary)];
}

export function isSameSelection(one: Selection, other: Selection): boolean {
  const { refs, primary } = other;
  return (
    one.primary === primary && one.refs.length === refs.length && one.refs.every((ref, index) => ref === refs[index])
  );
}
