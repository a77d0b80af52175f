import { OVERLAYS_MAX } from '#lib/api/overlay.ts';
import { DATABASE_LOST_AT_LIST } from '#lib/client/request/refusal-message.ts';

export function addedText(name: string, shapes: number, leftOut: readonly string[]): string {
  const added = `Added “${name}”: ${shapes} ${shapes === 1 ? 'shape' : 'shapes'}.`;
  return leftOut.length === 0 ? added : `${added} Not drawn: ${leftOut.join(', ')}.`;
}

/** Sentences about overlays that name what an operator can do, in place of the server’s. */
export const OVERLAY_FAILURES: Readonly<Record<string, string>> = {
  name_taken: 'You have an overlay of this name already. Rename the file, or remove the other overlay first.',
  too_many_overlays: `You have ${OVERLAYS_MAX} overlays, which is the most. Remove one first.`,
  not_owner: 'Only the operator who added this overlay can remove it.',
  not_found: 'This overlay is no longer there.',
  storage_failed: 'Lookout’s server cannot read or write its overlays; nothing was changed. Its log says why.',
  database_lost: DATABASE_LOST_AT_LIST,
};

/** A file that is no overlay. Its message is for the operator. */
export class OverlayProblem extends Error {}
