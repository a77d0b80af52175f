import { groupedNumber } from '#lib/model/grouped-number.ts';

export interface ExportState {
  readonly isPast: boolean;
  /** Whether any layer is on. */
  readonly hasLayers: boolean;
  /** Whether anything of the past is loaded. */
  readonly isLoaded: boolean;
  /** Requests to the upstream; `undefined` until they are quoted. */
  readonly expected: number | undefined;
  readonly hasFailed: boolean;
  /** Marks on the map. */
  readonly shown: number;
  readonly filtersAge: boolean;
}

/** What the files would hold, and what they would cost. */
export function exportSentence(state: ExportState): string {
  const { isPast, hasLayers, isLoaded, expected, hasFailed, shown, filtersAge } = state;
  if (!hasLayers) return 'Both layers are off: there is nothing to export.';
  if (!isPast)
    return `The positions of this view as the service was last asked for them, as far as the filter shows them; ${groupedNumber(shown)} marks are on the map, coasted ones included. Simulated and test broadcasts are marked as such.`;
  if (!isLoaded) return 'Load the past first; then it can be exported.';
  if (hasFailed) return 'The price of this export could not be asked. Close this and try again.';
  if (expected === undefined) return 'Asking for the price…';
  const price =
    expected === 0 ? 'It is loaded already: no requests.' : `It takes about ${groupedNumber(expected)} requests.`;
  const ages = filtersAge ? ' Ages are not filtered: every position of the past is a moment of its own.' : '';
  return `Every received position of the loaded area and window that the filter shows. ${price}${ages}`;
}
