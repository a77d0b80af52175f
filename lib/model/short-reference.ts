/** The last five characters of a reference: enough to tell neighbours apart, and never the whole handle. */
export function shortReference(ref: string): string {
  return ref.slice(-5);
}
