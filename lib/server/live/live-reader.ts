import 'server-only';
import type { Since } from '#lib/api/compact-answer.ts';
import type { LiveAnswer, LiveLayer } from '#lib/api/live-answer.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { formatInstant, type LocalInstant } from '#lib/time/instant.ts';
import { apiRecord } from '../api-record.ts';
import { counts } from '../counts/counts.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { withinMs } from '../upstream/unless-aborted.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { compactAnswer } from './compact-answer.ts';
import type { ViewerPage } from './demand.ts';
import { type LayerView, type LiveView, viewLayer } from './live-view.ts';
import { keepNewest } from './refresh-area.ts';
import type { RefreshJob } from './refresh-job.ts';
import type { WatchedAreas } from './watched-areas.ts';

/** How long a viewer waits for the first records of a place before it gets what there is. */
export const FIRST_VIEW_WAIT_MS = 1500;
export const MIN_POLL_MS = 1000;
/** Well below the silence after which a viewer is forgotten. */
export const MAX_POLL_MS = 15_000;
/** Usual time from when a refresh is due until its records have arrived. */
const REFRESH_TAKES_MS = 300;

export interface LiveReaderOptions {
  readonly watched: WatchedAreas;
  readonly snapshots: Snapshots;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
}

/** Answers viewers from snapshots. It sends no upstream requests: it records the demand, and the one who plans requests. */
export class LiveReader {
  readonly #options: LiveReaderOptions;

  constructor(options: LiveReaderOptions) {
    this.#options = options;
  }

  /**
   * The JSON form: exactly the records in the view.
   * @param centre where to watch if the view exceeds the limit; default: its centre
   */
  async read(viewer: ViewerPage, viewport: Bbox, layers: readonly Layer[], centre?: LonLat): Promise<LiveAnswer> {
    const view = await this.#view(viewer, viewport, layers, centre);
    const { rid, adsb } = Object.fromEntries(
      Array.from(view.layers, ([layer, layerView]): [Layer, LiveLayer] => [
        layer,
        { ...layerView.answer, records: recordsOf(layerView) },
      ]),
    ) as Partial<Record<Layer, LiveLayer>>;
    return { ...view.answer, layers: { ...(rid && { rid }), ...(adsb && { adsb }) } };
  }

  /** The form of lib/api/compact-answer.ts: whole areas, reduced to what changed since the viewer's last answer. */
  async readCompact(
    viewer: ViewerPage,
    viewport: Bbox,
    layers: readonly Layer[],
    since: Since,
    centre?: LonLat,
  ): Promise<Uint8Array<ArrayBuffer>> {
    return compactAnswer(await this.#view(viewer, viewport, layers, centre), since);
  }

  /** What the log calls the areas that a view is answered from. */
  areas(viewport: Bbox, layers: readonly Layer[], centre?: LonLat): readonly number[] {
    const { bbox } = capBbox(viewport, LIVE_MAX_SPAN_DEG, centre);
    return [...new Set(this.#jobs(splitAtAntimeridian(bbox), layers).map(({ number }) => number))];
  }

  async #view(viewer: ViewerPage, viewport: Bbox, layers: readonly Layer[], centre?: LonLat): Promise<LiveView> {
    counts().liveReads++;
    const { watched: areas, clock } = this.#options;
    const { bbox: watched, capped } = capBbox(viewport, LIVE_MAX_SPAN_DEG, centre);
    const covered = splitAtAntimeridian(watched);
    await areas.look(viewer, covered, layers);
    await this.#awaitFirstRecords(covered, layers);
    const views = new Map<Layer, LayerView>();
    for (const layer of layers) views.set(layer, await this.#viewLayer(layer, covered, viewer.operator));
    return {
      answer: {
        as_of: formatInstant(clock.now()),
        next_poll_ms: this.#nextPollMs(covered, layers),
        requested: corners(viewport),
        covered: covered.map(corners),
        capped,
      },
      layers: views,
    };
  }

  #viewLayer(layer: Layer, covered: readonly Bbox[], operator: string): Promise<LayerView> {
    const { watched, snapshots, clock } = this.#options;
    const jobs = [...new Set(covered.flatMap((box) => watched.jobsOver(layer, box)))];
    return viewLayer(layer, covered, { jobs, operator }, snapshots, clock);
  }

  /** A place that is being read for the first time is worth a short wait for its first records. */
  async #awaitFirstRecords(covered: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const firstRecords = this.#jobs(covered, layers).flatMap(({ running, spending }) =>
      running && spending === 'first-view' ? running.firstRecords : [],
    );
    if (firstRecords.length > 0) await withinMs(Promise.all(firstRecords), FIRST_VIEW_WAIT_MS);
  }

  #nextPollMs(covered: readonly Bbox[], layers: readonly Layer[]): number {
    const { watched } = this.#options;
    const inMs = Math.min(
      MAX_POLL_MS,
      ...this.#jobs(covered, layers).map((job) => watched.dueInMs(job) ?? MAX_POLL_MS),
    );
    return Math.round(Math.max(MIN_POLL_MS, Math.min(MAX_POLL_MS, inMs + REFRESH_TAKES_MS)));
  }

  #jobs(covered: readonly Bbox[], layers: readonly Layer[]): readonly RefreshJob[] {
    const { watched } = this.#options;
    return layers.flatMap((layer) => covered.flatMap((box) => watched.jobsOver(layer, box)));
  }
}

function recordsOf({ parts }: LayerView): LiveLayer['records'] {
  const positions = new Map<string, Position>();
  for (const { snapshot, regions } of parts) {
    for (const position of snapshot.positions.values()) {
      if (regions.some((region) => bboxContains(region, position.lon, position.lat))) keepNewest(positions, position);
    }
  }
  return Array.from(positions.values(), apiRecord);
}
