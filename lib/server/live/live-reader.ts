import 'server-only';
import type { Since } from '#lib/api/compact-answer.ts';
import type { LiveAnswer, LiveLayer } from '#lib/api/live-answer.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { subtractBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { formatInstant, type LocalInstant } from '#lib/time/instant.ts';
import { counts } from '../allowance/counts.ts';
import { apiRecord } from '../upstream/api-record.ts';
import { withinMs } from '../upstream/unless-aborted.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { AreaReads } from './area-reads.ts';
import { compactAnswer } from './compact-answer.ts';
import { type LayerView, type LiveView, viewLayer } from './live-view.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { PlannedAreas } from './planned-areas.ts';
import { keepNewest } from './refresh-area.ts';
import { dueInMs, type RefreshJob } from './refresh-job.ts';
import type { Snapshots } from './snapshots.ts';
import { WaitingPolls } from './waiting-polls.ts';

export const FIRST_VIEW_WAIT_MS = 1500;
export const MIN_POLL_MS = 1000;
/** Of pages whose polls wait: this bounds the answers a second where several areas change at different times. */
const MIN_WAITING_POLL_MS = 300;
/** A poll that waits is sent this much before the next records are due, and so arrives before them on any usable network. */
const POLL_AHEAD_MS = 500;
/** Other refreshes of the view that end within this go out in the same answer. */
const TOGETHER_MS = 100;
/** Well below the silence after which a viewer is forgotten. */
const MAX_POLL_MS = 15_000;
/** Usual time from when a refresh is due until its records have arrived. */
const REFRESH_TAKES_MS = 300;

export interface LiveReaderOptions {
  readonly planned: PlannedAreas;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
  /** Whether areas are read when the upstream announces a change, so their next read has no known time. */
  readonly isAnnounced?: boolean | undefined;
  /** How long a viewer waits for the first records of a place before it gets what there is. Default: 1.5 s. */
  readonly firstViewWaitMs?: number | undefined;
}

/** Answers viewers from snapshots. It sends no upstream requests: it records the demand, and the one who plans requests. */
export class LiveReader {
  readonly #options: LiveReaderOptions;
  readonly #waiting: WaitingPolls;

  constructor(options: LiveReaderOptions) {
    this.#options = options;
    this.#waiting = new WaitingPolls(options.reads);
  }

  /**
   * The JSON form: exactly the records in the view.
   * @param centre of the part to cover if the view exceeds the limit; default: its centre
   */
  async read(viewer: ViewerPage, viewport: Bbox, layers: readonly Layer[], centre?: LonLat): Promise<LiveAnswer> {
    const seen = seenBoxes(viewport, centre);
    await this.#look(viewer, seen, layers);
    const view = this.#view(viewer.operator, seen, layers, { isWaiting: false, heldMs: 0 });
    const { rid, adsb } = Object.fromEntries(
      Array.from(view.layers, ([layer, layerView]): [Layer, LiveLayer] => [
        layer,
        { ...layerView.answer, records: recordsOf(layerView) },
      ]),
    ) as Partial<Record<Layer, LiveLayer>>;
    return { ...view.answer, layers: { ...(rid && { rid }), ...(adsb && { adsb }) } };
  }

  /**
   * The form of lib/api/compact-answer.ts: whole areas, reduced to what changed since the viewer's last answer.
   */
  async readCompact(
    viewer: ViewerPage,
    viewport: Bbox,
    layers: readonly Layer[],
    since: Since,
    { centre, home, waitMs = 0 }: CompactOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const seen = seenBoxes(viewport, centre, home);
    const answer = async (heldMs = 0) =>
      compactAnswer(this.#view(viewer.operator, seen, layers, { isWaiting: waitMs > 0, heldMs }), since);
    await this.#look(viewer, seen, layers);
    if (waitMs === 0) return (await answer()).bytes;
    const poll = this.#waiting.wait(seen.covered, layers);
    try {
      const { bytes, isNew } = await answer();
      if (isNew || !this.#isDueWithin(waitMs, seen.covered, layers)) return bytes;
      const waitsFrom = performance.now();
      await withinMs(poll.read, waitMs);
      const running = this.#jobs(seen.covered, layers).flatMap((job) => job.running?.done ?? []);
      if (running.length > 0) await withinMs(Promise.all(running), TOGETHER_MS);
      return (await answer(Math.round(performance.now() - waitsFrom))).bytes;
    } finally {
      poll.end();
    }
  }

  /** No poll waits from now on. */
  close(): void {
    this.#waiting.close();
  }

  /** The log's numbers of the areas that answer a view. */
  areas(viewport: Bbox, layers: readonly Layer[], centre?: LonLat): readonly number[] {
    const { bbox } = capBbox(viewport, LIVE_MAX_SPAN_DEG, centre);
    return [...new Set(this.#jobs(splitAtAntimeridian(bbox), layers).map(({ number }) => number))];
  }

  async #look(viewer: ViewerPage, { covered, wanted }: SeenBoxes, layers: readonly Layer[]): Promise<void> {
    counts().liveReads++;
    await this.#options.planned.look(viewer, wanted, layers);
    await this.#awaitFirstRecords(covered, layers);
  }

  #view(
    operator: string,
    { viewport, covered, capped }: SeenBoxes,
    layers: readonly Layer[],
    { isWaiting, heldMs }: { readonly isWaiting: boolean; readonly heldMs: number },
  ): LiveView {
    const views = new Map<Layer, LayerView>();
    for (const layer of layers) views.set(layer, this.#viewLayer(layer, covered, operator));
    return {
      answer: {
        as_of: formatInstant(this.#options.clock.nowForAges()),
        next_poll_ms: this.#nextPollMs(covered, layers, isWaiting),
        held_ms: heldMs,
        requested: corners(viewport),
        covered: covered.map(corners),
        capped,
      },
      layers: views,
    };
  }

  #viewLayer(layer: Layer, covered: readonly Bbox[], operator: string): LayerView {
    const { planned, snapshots, clock } = this.#options;
    const jobs = [...new Set(covered.flatMap((box) => planned.jobsOver(layer, box)))];
    return viewLayer(layer, covered, { jobs, operator }, snapshots, clock);
  }

  /** A place that is being read for the first time is worth a short wait for its first records. */
  async #awaitFirstRecords(covered: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const firstRecords = this.#jobs(covered, layers).flatMap(({ running, spending }) =>
      running && spending === 'first-view' ? running.firstRecords : [],
    );
    if (firstRecords.length > 0)
      await withinMs(Promise.all(firstRecords), this.#options.firstViewWaitMs ?? FIRST_VIEW_WAIT_MS);
  }

  /** @param isWaiting whether the viewer's polls wait for what is due */
  #nextPollMs(covered: readonly Bbox[], layers: readonly Layer[], isWaiting: boolean): number {
    const minMs = isWaiting ? MIN_WAITING_POLL_MS : MIN_POLL_MS;
    if (this.#options.isAnnounced) return minMs;
    const atMs = this.#dueInMs(covered, layers) + (isWaiting ? -POLL_AHEAD_MS : REFRESH_TAKES_MS);
    return Math.round(Math.max(minMs, Math.min(MAX_POLL_MS, atMs)));
  }

  #isDueWithin(waitMs: number, covered: readonly Bbox[], layers: readonly Layer[]): boolean {
    return this.#options.isAnnounced || this.#dueInMs(covered, layers) + REFRESH_TAKES_MS <= waitMs;
  }

  /** Milliseconds until something of the view is due, as far as that is known. */
  #dueInMs(covered: readonly Bbox[], layers: readonly Layer[]): number {
    const { planned, now } = this.#options;
    const at = now();
    const inMs = (job: RefreshJob) => dueInMs(job, planned.mayRequest(job), at) ?? MAX_POLL_MS;
    return Math.min(MAX_POLL_MS, ...this.#jobs(covered, layers).map(inMs));
  }

  #jobs(covered: readonly Bbox[], layers: readonly Layer[]): readonly RefreshJob[] {
    const { planned } = this.#options;
    return layers.flatMap((layer) => covered.flatMap((box) => planned.jobsOver(layer, box)));
  }
}

interface CompactOptions {
  /** Of the part to cover if the view exceeds the limit; default: the view's centre. */
  readonly centre?: LonLat | undefined;
  /** Covered as well, wherever the view is. */
  readonly home?: Bbox | undefined;
  /** How long the answer may wait for newer records when a refresh is due. Default: it never waits. */
  readonly waitMs?: number | undefined;
}

/** A viewport, and its covered part. */
interface SeenBoxes {
  readonly viewport: Bbox;
  /** Boxes to plan for. They may overlap; none crosses 180°. */
  readonly wanted: readonly Bbox[];
  /** The same places, each in one box. */
  readonly covered: readonly Bbox[];
  readonly capped: boolean;
}

function seenBoxes(viewport: Bbox, centre: LonLat | undefined, home?: Bbox): SeenBoxes {
  const { bbox, capped } = capBbox(viewport, LIVE_MAX_SPAN_DEG, centre);
  const seen = splitAtAntimeridian(bbox);
  if (!home) return { viewport, wanted: seen, covered: seen, capped };
  const atHome = splitAtAntimeridian(capBbox(home, LIVE_MAX_SPAN_DEG).bbox);
  const beside = seen.reduce((rest, box) => rest.flatMap((part) => subtractBbox(part, box)), atHome);
  return { viewport, wanted: [...seen, ...atHome], covered: [...seen, ...beside], capped };
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
