import { isOnlyLoaded, ROLE_SPENDS_NOTHING } from '#lib/client/replay/replay-price.ts';
import type { ReplayPrice } from '#lib/client/replay/replay-summary.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';

export interface ExportState {
  readonly isPast: boolean;
  readonly hasLayers: boolean;
  readonly isLoaded: boolean;
  readonly price: ReplayPrice | undefined;
  readonly hasFailed: boolean;
  readonly shown: number;
  readonly filtersAge: boolean;
}

export function exportSentence(state: ExportState): string {
  const { isPast, hasLayers, isLoaded, price, hasFailed, shown, filtersAge } = state;
  if (!hasLayers) return 'Both layers are off: there is nothing to export.';
  if (!isPast)
    return `The positions of this view as last read from the service, as far as the filter shows them; ${groupedNumber(shown)} marks are on the map, expired ones included. Simulated and test broadcasts are marked as such.`;
  if (!isLoaded) return 'Load the past first; then it can be exported.';
  if (hasFailed) return 'The price of this export could not be read. Close this and try again.';
  if (price === undefined) return 'Reading the price…';
  const ages = filtersAge ? ' Ages are not filtered: every position of the past is a moment of its own.' : '';
  return `Every received position of the loaded area and window that the filter shows. ${costText(price)}${ages}`;
}

function costText(price: ReplayPrice): string {
  if (isOnlyLoaded(price)) return `Parts that are not loaded yet are left out, and listed: ${ROLE_SPENDS_NOTHING}.`;
  return price.expected === 0
    ? 'It is loaded already: no requests.'
    : `It takes about ${groupedNumber(price.expected)} requests.`;
}
