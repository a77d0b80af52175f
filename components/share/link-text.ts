import { parseAddress } from '#lib/api/address-state.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import type { CopyOutcome } from '../ui/copy-text.ts';

export function copyOutcomeText(outcome: CopyOutcome | undefined): string {
  if (outcome === undefined) return '';
  return outcome === 'copied'
    ? 'Link copied.'
    : 'This browser did not let Lookout copy. The link is selected: copy it with Ctrl+C, or ⌘C on a Mac.';
}

/** A link may open another picture than the sender's own. */
export function linkMeaning(link: string, needsSignIn: boolean): readonly string[] {
  const { search, hostname } = new URL(link);
  const { replay } = parseAddress(search).state;
  const what = replay
    ? `Opens this replay at ${dateTimeText(replay.cursor, 'utc')}, as long as the account’s history reaches back to it.`
    : 'Opens this place live, with the positions received at that time, not with those you see now.';
  const meaning = [what];
  if (needsSignIn) meaning.push('It can be opened by operators of this Lookout, who sign in.');
  else if (isThisMachine(hostname)) meaning.push('This link works on this computer only.');
  return meaning;
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
