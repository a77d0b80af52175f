import { type SavedView, VIEWS_MAX } from '#lib/api/saved-view.ts';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { noAnswerMessage } from '#lib/client/request/refusal-message.ts';

export function ownerText({ mine, shared, owner }: SavedView, hasOperators: boolean): string | undefined {
  if (!mine) return `Shared by ${owner ?? 'this Lookout before operators signed in'}`;
  if (!hasOperators) return undefined;
  return shared ? 'Yours, shared with everybody' : 'Yours alone';
}

/** Without an answer, the change may have been made. */
export function viewsFailureText({ kind, code }: LookoutRequestError): string {
  if (kind === 'signed-out') return 'You are signed out; nothing was changed.';
  if (kind === 'unreachable') return noAnswerMessage('; nothing may have changed.');
  switch (code) {
    case 'name_taken':
      return 'You have a view of this name already. Choose another.';
    case 'too_many_views':
      return `You have ${VIEWS_MAX} saved views, which is the most. Delete one first.`;
    case 'not_owner':
      return 'Only the operator who saved this view can change it.';
    case 'not_found':
      return 'This view is no longer there.';
    case 'storage_failed':
      return 'Lookout’s server cannot read or write its saved views; nothing was changed. Its log says why.';
    case 'database_busy':
      return 'Lookout’s saved views are in use by another process; nothing was changed. Try again in a few seconds.';
    case 'database_lost':
      return 'Lookout’s database does not answer. Look at the list before you try again.';
    case 'bad_body':
      return 'A name has 1 to 80 characters on one line.';
    default:
      return 'That did not work. Try again.';
  }
}
