import 'server-only';

/** An operator's id; `undefined` without sign-in. */
export type Owner = string | undefined;

export function ownerKey(owner: Owner): string {
  return owner ?? '';
}

const byName = new Intl.Collator('en', { numeric: true });

/** Sorts the viewer's own items first. */
export function inOrder<Item extends { readonly id: string; readonly name: string; readonly mine: boolean }>(
  items: Item[],
): Item[] {
  return items.sort(
    (a, b) => Number(b.mine) - Number(a.mine) || byName.compare(a.name, b.name) || (a.id < b.id ? -1 : 1),
  );
}
