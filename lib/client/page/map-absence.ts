/** Why the page has no map, while everything else works. */
export type MapAbsence =
  | { readonly kind: 'no-webgl2' | 'failed' | 'lost' }
  /** It does not arrive, and is tried again. */
  | { readonly kind: 'pending'; readonly problem: string };

/** Asked after a failure only: a context is expensive. */
export function drawsWebgl2(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return context !== null;
  } catch {
    return false;
  }
}
