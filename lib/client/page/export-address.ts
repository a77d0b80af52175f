import type { ExportFormat } from '#lib/api/export-format.ts';
import { formatFilter } from '#lib/filter/filter-parameters.ts';
import type { TrackFilter } from '#lib/filter/track-filter.ts';
import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { formatInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';

export interface ExportedView {
  readonly visible: Bbox;
  /** The middle of the screen, around which a too large view is cut. */
  readonly centre: LonLat;
  readonly layers: ReadonlySet<Layer>;
  readonly filter: TrackFilter;
  readonly trails: boolean;
  /** `undefined`: live. */
  readonly past:
    | { readonly area: Bbox; readonly window: Window; readonly maxRequests: number; readonly isWide: boolean }
    | undefined;
}

/** Past positions have no age: drops a filter of ages. */
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
