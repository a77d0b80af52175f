'use client';

import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { EXPORT_FORMATS, type ExportFormat } from '#lib/api/export-format.ts';
import { useDisplay, useFilter, useLayersOn, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { historyCostQuery, isOnlyLoaded, replayPriceOf } from '#lib/client/replay/replay-price.ts';
import { historyQuery } from '#lib/client/replay/replay-request.ts';
import type { ReplayPrice } from '#lib/client/replay/replay-summary.ts';
import { formatFilter } from '#lib/filter/filter-parameters.ts';
import type { TrackFilter } from '#lib/filter/track-filter.ts';
import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { LinkButton } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

const FORMAT_NAME: Readonly<Record<ExportFormat, string>> = {
  csv: 'CSV, for a spreadsheet',
  geojson: 'GeoJSON, for a map',
  kml: 'KML, for Google Earth',
};

/** The files in which the positions on screen, or those of the loaded past, can be exported, and what an export costs. */
export function ExportChoices() {
  const { mapView, replay, server } = useLookout();
  const { filtered } = useDisplay();
  const { filter } = useFilter();
  const [layers] = useLayersOn();
  const { visible, lon, lat } = useValue(mapView);
  const [trails, setTrails] = useState(true);
  const session = replay.session;
  const loaded = session?.loadedArea && { area: session.loadedArea, window: session.playback.window };
  const query = loaded ? String(historyQuery({ ...loaded, layers })) : '';
  const cost = useQuery({ ...historyCostQuery(query), staleTime: 0 });
  if (!visible) return null;
  const quoted = cost.data?.tiles ?? cost.data?.middle;
  const price = quoted && replayPriceOf(quoted);
  const past = loaded && price && { ...loaded, maxRequests: price.maxRequests, isWide: cost.data?.wide ?? false };
  const isReady = layers.size > 0 && (session === undefined || past !== undefined);
  return (
    <section aria-label="Export" className="flex flex-col gap-2 border-line border-t pt-3">
      <h3 className="font-semibold">Export positions</h3>
      <p className="text-dim" data-testid="export-sentence">
        {exportSentence({
          isPast: session !== undefined,
          hasLayers: layers.size > 0,
          isLoaded: loaded !== undefined,
          price,
          hasFailed: cost.isError,
          hasAllowance: server.hasAllowance,
          shown: filtered.shown,
          filtersAge: filter.ageS !== undefined,
        })}
      </p>
      {isReady && session === undefined && (
        <SwitchRow
          label="With the trails of the last 15 minutes"
          note={`As far as this area was read.${server.hasAllowance ? ' Requests nothing.' : ''}`}
          checked={trails}
          onChange={setTrails}
        />
      )}
      {isReady && (
        <ul className="flex flex-wrap gap-2">
          {EXPORT_FORMATS.map((format) => (
            <li key={format}>
              <LinkButton
                download
                href={exportAddress(format, { visible, centre: { lon, lat }, layers, filter, trails, past })}
              >
                <Download aria-hidden size={14} />
                {FORMAT_NAME[format]}
              </LinkButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export interface ExportState {
  readonly isPast: boolean;
  readonly hasLayers: boolean;
  readonly isLoaded: boolean;
  readonly price: ReplayPrice | undefined;
  readonly hasFailed: boolean;
  readonly hasAllowance: boolean;
  readonly shown: number;
  readonly filtersAge: boolean;
}

export function exportSentence(state: ExportState): string {
  const { isPast, hasLayers, isLoaded, price, hasFailed, hasAllowance, shown, filtersAge } = state;
  if (!hasLayers) return 'Both layers are off: there is nothing to export.';
  if (!isPast)
    return `${shown === 1 ? '1 track' : `${groupedNumber(shown)} tracks`} in view, as last read and as the filter shows them, expired ones included. Simulated and test broadcasts are marked as such.`;
  if (!isLoaded) return 'Load the past first; then it can be exported.';
  if (hasFailed)
    return `The ${hasAllowance ? 'price' : 'extent'} of this export could not be read. Close this and try again.`;
  if (price === undefined) return hasAllowance ? 'Reading the price…' : 'Reading…';
  const ages = filtersAge ? ' Ages are not filtered: every position of the past is a moment of its own.' : '';
  const cost = hasAllowance ? ` ${costText(price)}` : '';
  return `Every received position of the loaded area and window that the filter shows.${cost}${ages}`;
}

function costText(price: ReplayPrice): string {
  if (isOnlyLoaded(price))
    return 'Parts that are not loaded yet are left out, and listed. Ask an operator to load them.';
  return price.expected === 0
    ? 'It is loaded already: no requests.'
    : `It takes about ${groupedNumber(price.expected)} requests.`;
}

export interface ExportedView {
  readonly visible: Bbox;
  /** The middle of the screen, around which a too large view is cut. */
  readonly centre: LonLat;
  readonly layers: ReadonlySet<Layer>;
  readonly filter: TrackFilter;
  readonly trails: boolean;
  /** `undefined` exports the live picture. */
  readonly past:
    | { readonly area: Bbox; readonly window: Window; readonly maxRequests: number; readonly isWide: boolean }
    | undefined;
}

/** Past positions have no age, so a filter of ages is dropped. */
export function exportAddress(
  format: ExportFormat,
  { visible, centre, layers, filter, trails, past }: ExportedView,
): string {
  const exported: TrackFilter = {
    ...filter,
    ...(filter.inside === 'view' && { inside: visible }),
    ...(past && { ageS: undefined }),
  };
  return `/api/export?${[
    `format=${format}`,
    `bbox=${formatBbox(past?.area ?? visible)}`,
    `layers=${LAYERS.filter((layer) => layers.has(layer)).join(',')}`,
    ...(past ? [] : [`centre=${formatLonLat(centre)}`, ...(trails ? ['trails=kept'] : [])]),
    ...(past ? [`start=${formatInstant(past.window.start)}`, `end=${formatInstant(past.window.end)}`] : []),
    ...(past ? [`max_requests=${past.maxRequests}`] : []),
    ...(past?.isWide ? ['wide=tiles'] : []),
    ...formatFilter(exported),
  ].join('&')}`;
}
