import { OVERLAYS_MAX, type Overlay } from '#lib/api/overlay.ts';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { noAnswerMessage } from '#lib/client/request/refusal-message.ts';

/** @param hasOperators whether operators sign in */
export function seenByText({ mine, shared, owner }: Overlay, hasOperators: boolean): string | undefined {
  if (!mine) return `Shared by ${owner ?? 'this Lookout before operators signed in'}`;
  if (!hasOperators) return undefined;
  return shared ? 'Yours, shared with everybody' : 'Yours alone';
}

export function addedText(name: string, shapes: number, leftOut: readonly string[]): string {
  const added = `Added “${name}”: ${shapes} ${shapes === 1 ? 'shape' : 'shapes'}.`;
  return leftOut.length === 0 ? added : `${added} Not drawn: ${leftOut.join(', ')}.`;
}

/** Without an answer, the change may have been made. */
export function overlayFailureText({ kind, code, said }: LookoutRequestError): string {
  if (kind === 'signed-out') return 'You are signed out; nothing was changed.';
  if (kind === 'unreachable') return noAnswerMessage('; nothing may have changed.');
  switch (code) {
    case 'name_taken':
      return 'You have an overlay of this name already. Rename the file, or remove the other overlay first.';
    case 'too_many_overlays':
      return `You have ${OVERLAYS_MAX} overlays, which is the most. Remove one first.`;
    case 'not_owner':
      return 'Only the operator who added this overlay can remove it.';
    case 'not_found':
      return 'This overlay is no longer there.';
    case 'storage_failed':
      return 'Lookout’s server cannot read or write its overlays; nothing was changed. Its log says why.';
    case 'database_lost':
      return 'Lookout’s database does not answer. Look at the list before you try again.';
    default:
      return said ?? 'That did not work. Try again.';
  }
}
