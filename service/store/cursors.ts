import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { layerLetter } from '../references/public-reference.ts';

export interface PagedQuery {
  readonly accountId: string;
  readonly layer: Layer;
  readonly bbox: Bbox;
  readonly limit: number;
}

export interface Cursors {
  issue(query: PagedQuery, after: string, now: UpstreamInstant): string;
  /** `undefined` if it is unknown, expired or of another query. */
  resolve(cursor: string, query: PagedQuery, now: UpstreamInstant): string | undefined;
}

/** After a longer pause, a refresh should start again. */
const CURSOR_TTL_MS = 5 * MINUTE_MS;

/** Handles are reusable until they expire, so that a lost page can be requested again. */
export function makeCursors(
  settings: { readonly prefix: string; readonly randomBytes: (size: number) => Uint8Array },
  capacity = 50_000,
): Cursors {
  const issued = new Map<
    string,
    { readonly query: string; readonly after: string; readonly expiresAt: UpstreamInstant }
  >();

  return {
    issue(query, after, now) {
      const handle = Buffer.from(settings.randomBytes(8)).toString('hex').toUpperCase();
      const cursor = `${settings.prefix}-${layerLetter(query.layer)}-${handle}`;
      issued.set(cursor, { query: identityOf(query), after, expiresAt: addMs(now, CURSOR_TTL_MS) });
      for (const [oldest, { expiresAt }] of issued) {
        if (issued.size <= capacity && now < expiresAt) break;
        issued.delete(oldest);
      }
      return cursor;
    },
    resolve(cursor, query, now) {
      const known = issued.get(cursor);
      return known && now < known.expiresAt && known.query === identityOf(query) ? known.after : undefined;
    },
  };
}

function identityOf({ accountId, layer, bbox, limit }: PagedQuery): string {
  return JSON.stringify([accountId, layer, bbox.west, bbox.south, bbox.east, bbox.north, limit]);
}
