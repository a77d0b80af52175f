import type { TrailsHead } from '#lib/api/trails-answer.ts';
import { type Bbox, bboxCovers, formatBbox, joinAtAntimeridian } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, instantOf, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { reportPageError } from '../page-errors/page-errors.ts';
import type { LoadedTrails } from './trails-client.ts';

/** After a longer pause the server may have read positions that the page has not seen. */
const PAUSE_MAX_MS = 20 * SECOND_MS;
const RETRY_MS = 10 * SECOND_MS;

export type TrailsState =
  | { readonly kind: 'off' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed' }
  /** Start of complete trails; `undefined`: some of the place was not read. */
  | { readonly kind: 'loaded'; readonly since: UpstreamInstant | undefined };

export interface WantedTrails {
  readonly covered: readonly Bbox[];
  readonly layers: readonly Layer[];
  /** The trails of all tracks where it is `undefined`. */
  readonly refs: readonly string[] | undefined;
  readonly asOf: UpstreamInstant;
}

export interface TrailsLoadingOptions {
  readonly load: (query: URLSearchParams) => Promise<LoadedTrails>;
  readonly onLoaded: (trails: LoadedTrails) => void;
  readonly onState: (state: TrailsState) => void;
}

interface KnownTrails {
  readonly what: string;
  readonly boxes: readonly Bbox[];
  readonly until: UpstreamInstant;
}

export const TRAILS_OFF: TrailsState = { kind: 'off' };

/** Loads the earlier positions of trails, once for each place. Later ones arrive with `/api/live`. */
export class TrailsLoading {
  readonly #options: TrailsLoadingOptions;
  #known: KnownTrails | undefined;
  #requested: string | undefined;
  #retryAt: UpstreamInstant | undefined;

  constructor(options: TrailsLoadingOptions) {
    this.#options = options;
  }

  /** @param wanted `undefined` ends the loading */
  follow(wanted: WantedTrails | undefined): void {
    const box = wanted && joinAtAntimeridian(wanted.covered);
    if (!wanted || !box || wanted.layers.length === 0) {
      this.#known = undefined;
      this.#requested = undefined;
      this.#retryAt = undefined;
      this.#options.onState(TRAILS_OFF);
      return;
    }
    const { covered, layers, refs, asOf } = wanted;
    const what = `${layers.join()} ${refs?.join() ?? ''}`;
    const known = this.#known;
    if (known?.what === what && msBetween(known.until, asOf) <= PAUSE_MAX_MS && isWithin(covered, known.boxes)) {
      // Places outside the view are not followed any longer.
      this.#known = { what, boxes: covered, until: asOf };
      return;
    }
    const query = new URLSearchParams({
      bbox: formatBbox(box),
      layers: layers.join(),
      ...(refs && { tracks: refs.join() }),
    });
    if (this.#requested === String(query)) return;
    if (this.#retryAt !== undefined && asOf < this.#retryAt) return;
    this.#load(query, { what, boxes: covered, until: asOf }).catch((error) => reportPageError('uncaught', error));
  }

  async #load(query: URLSearchParams, known: KnownTrails): Promise<void> {
    const requested = String(query);
    const { load, onLoaded, onState } = this.#options;
    this.#requested = requested;
    onState({ kind: 'loading' });
    let trails: LoadedTrails;
    try {
      trails = await load(query);
    } catch {
      if (this.#requested !== requested) return;
      this.#requested = undefined;
      this.#retryAt = addMs(known.until, RETRY_MS);
      onState({ kind: 'failed' });
      return;
    }
    if (this.#requested !== requested) return;
    this.#requested = undefined;
    this.#retryAt = undefined;
    this.#known = known;
    onLoaded(trails);
    onState({ kind: 'loaded', since: sinceOf(trails.head) });
  }
}

function isWithin(boxes: readonly Bbox[], known: readonly Bbox[]): boolean {
  return boxes.every((box) => known.some((each) => bboxCovers(each, box)));
}

function sinceOf({ layers }: TrailsHead): UpstreamInstant | undefined {
  let latest: UpstreamInstant | undefined;
  for (const layer of Object.values(layers)) {
    if (layer.since === null) return undefined;
    const since = instantOf(layer.since);
    if (latest === undefined || since > latest) latest = since;
  }
  return latest;
}
