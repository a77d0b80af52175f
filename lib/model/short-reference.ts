/** The end of a reference, which is enough to distinguish neighbouring tracks. */
export function shortReference(ref: string): string {
  return ref.slice(-5);
}
