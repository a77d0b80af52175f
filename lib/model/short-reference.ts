/** The last five characters of a reference: enough to distinguish neighbouring tracks. */
export function shortReference(ref: string): string {
  return ref.slice(-5);
}
