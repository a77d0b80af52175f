import type { PlacesAnswer } from '#lib/api/places-answer.ts';
import type { LookoutRequestFailure } from '#lib/client/request/fetch-lookout.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';

export interface FindState {
  readonly text: string;
  readonly entryCount: number;
  readonly coordinateProblem: string | undefined;
  readonly trackCount: number;
  readonly places:
    | { readonly state: 'too-short' | 'searching' }
    | { readonly state: 'failed'; readonly failure: LookoutRequestFailure }
    | { readonly state: 'searched'; readonly answer: Pick<PlacesAnswer, 'more' | 'searched'> };
}

const FAILURE_TEXT: Readonly<Record<LookoutRequestFailure, string>> = {
  unreachable: NO_ANSWER,
  'signed-out': 'the session has ended, sign in again',
  refused: 'Lookout’s server could not search',
  unreadable: 'this page could not read the answer',
};

export function findStateText({ text, entryCount, coordinateProblem, trackCount, places }: FindState): string {
  if (text.trim() === '') return 'Searches current tracks and the built-in place list.';
  const sentences: string[] = [];
  if (coordinateProblem !== undefined) sentences.push(`Not read as coordinates: ${coordinateProblem}`);
  if (places.state === 'failed')
    sentences.push(`Places and airports were not searched: ${FAILURE_TEXT[places.failure]}.`);
  if (places.state === 'searching') sentences.push('Searching places and airports…');
  else if (entryCount === 0) sentences.push(`Nothing found. Searched: ${searchedText(trackCount, places)}.`);
  if (entryCount > 0 && places.state !== 'searching') sentences.push(`${entryCount} found.`);
  if (places.state === 'searched' && places.answer.more) sentences.push('More places match: type more of the name.');
  if (places.state === 'too-short') sentences.push('Places and airports are searched from two letters or digits.');
  return sentences.join(' ');
}

function searchedText(trackCount: number, places: FindState['places']): string {
  const tracks = `the ${groupedNumber(trackCount)} ${trackCount === 1 ? 'reference' : 'references'} on this page`;
  const coordinates = 'coordinates in decimal degrees, DMS and MGRS';
  if (places.state !== 'searched') return `${tracks} and ${coordinates}`;
  const { searched } = places.answer;
  return `${tracks}, ${groupedNumber(searched.places)} places, ${groupedNumber(searched.airports)} airports and heliports, and ${coordinates}`;
}
