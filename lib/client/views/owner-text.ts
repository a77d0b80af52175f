interface Owned {
  readonly mine: boolean;
  readonly shared: boolean;
  readonly owner: string | null;
}

/**
 * Whose a saved view or an overlay is, and who sees it.
 * @param hasOperators whether operators sign in
 */
export function ownerText({ mine, shared, owner }: Owned, hasOperators: boolean): string | undefined {
  if (!mine) return `Shared by ${owner ?? 'this Lookout before operators signed in'}`;
  if (!hasOperators) return undefined;
  return shared ? 'Yours, shared with everybody' : 'Yours alone';
}
