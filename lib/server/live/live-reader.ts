import 'server-only';
import type { Since } from '#lib/api/compact-answer.ts';
import type { LiveAnswer, LiveLayer } from '#lib/api/live-answer.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { formatInstant, type LocalInstant } from '#lib/time/instant.ts';
import { counts } from '../allowance/counts.ts';
import { withinMs } from '../machine.ts';
import { apiRecord } from '../upstream/api-record.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { Turnstile } from '../work/turns.ts';
import type { AreaReads } from './area-reads.ts';
import { compactAnswer } from './compact-answer.ts';
import { coverBox } from './cover-box.ts';
import { type LayerView, type LiveView, viewLayer } from './live-view.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { PlannedAreas } from './planned-areas.ts';
import { keepNewest } from './refresh-area.ts';
import { dueInMs, type RefreshJob } from './refresh-job.ts';
import type { Snapshots } from './snapshots.ts';
import { type CappedViewport, capViewport } from './viewport-cap.ts';
import { WaitingPolls } from './waiting-polls.ts';

export const FIRST_VIEW_WAIT_MS = 1500;
export const MIN_POLL_MS = 1000;
/** Bounds the answers of areas that change at different times. */
const MIN_WAITING_POLL_MS = 300;
/** The poll arrives before the next records on any usable network. */
const POLL_AHEAD_MS = 500;
/** Refreshes that end within this go out in one answer. */
const TOGETHER_MS = 100;
/** Well below `VIEWER_KEPT_MS`. */
const MAX_POLL_MS = 15_000;
/** From due to received. */
const REFRESH_TAKES_MS = 300;

export interface LiveReaderOptions {
  readonly planned: PlannedAreas;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
  /** The next read after an announced change has no known time. */
  readonly isAnnounced?: boolean | undefined;
  /** Default: 1.5 s. */
  readonly firstViewWaitMs?: number | undefined;
}

/** Answers from snapshots: sends no upstream requests. */
export class LiveReader {
  readonly #options: LiveReaderOptions;
  readonly #waiting: WaitingPolls;
  /** One read makes all polls due that wait for it. */
  readonly #turnstile = new Turnstile();

  constructor(options: LiveReaderOptions) {
    this.#options = options;
    this.#waiting = new WaitingPolls(options.reads);
  }

  /** @param centre of the covered part of a view over the limit; default: its centre */
  async read(viewer: ViewerPage, viewport: Bbox, layers: readonly Layer[], centre?: LonLat): Promise<LiveAnswer> {
    return (await this.look(viewer, viewport, layers, centre))();
  }

  /** Waits for first records. @returns what makes the answer, which may take 100 ms */
  async look(viewer: ViewerPage, viewport: Bbox, layers: readonly Layer[], centre?: LonLat): Promise<() => LiveAnswer> {
    const seen = capViewport(viewport, centre);
    await this.#look(viewer, seen, layers);
    return () => this.#answer(viewer, seen, layers);
  }

  #answer(viewer: ViewerPage, seen: CappedViewport, layers: readonly Layer[]): LiveAnswer {
    const view = this.#view(viewer.operator, seen, layers, { isWaiting: false, heldMs: 0 });
    const { rid, adsb } = Object.fromEntries(
      Array.from(view.layers, ([layer, layerView]): [Layer, LiveLayer] => [
        layer,
        { ...layerView.answer, records: recordsOf(layerView) },
      ]),
    ) as Partial<Record<Layer, LiveLayer>>;
    return { ...view.answer, layers: { ...(rid && { rid }), ...(adsb && { adsb }) } };
  }

  /** Reduced to what changed since the viewer's last answer. */
  async readCompact(
    viewer: ViewerPage,
    viewport: Bbox,
    layers: readonly Layer[],
    since: Since,
    { centre, home, waitMs = 0 }: CompactOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const seen = capViewport(viewport, centre, home);
    const answer = (heldMs = 0) =>
      this.#turnstile.run(async () =>
        compactAnswer(this.#view(viewer.operator, seen, layers, { isWaiting: waitMs > 0, heldMs }), since),
      );
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

  close(): void {
    this.#waiting.close();
  }

  areas(viewport: Bbox, layers: readonly Layer[], centre?: LonLat): readonly number[] {
    const { wanted } = capViewport(viewport, centre);
    return [...new Set(this.#jobs(wanted, layers).map(({ number }) => number))];
  }

  async #look(viewer: ViewerPage, { covered, wanted }: CappedViewport, layers: readonly Layer[]): Promise<void> {
    counts().liveReads++;
    await this.#options.planned.look(viewer, wanted, layers);
    await this.#awaitFirstRecords(covered, layers);
  }

  #view(
    operator: string,
    { viewport, covered, capped }: CappedViewport,
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

  /** A first read is worth a short wait, where nothing is known yet: a plan may change under those that watch. */
  async #awaitFirstRecords(covered: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { snapshots, planned } = this.#options;
    const isMissing = (layer: Layer, box: Bbox) => coverBox(box, snapshots.intersecting(layer, box)).missing.length > 0;
    const firstRecords = layers.flatMap((layer) =>
      covered.flatMap((box) => {
        const running = planned
          .jobsOver(layer, box)
          .flatMap((job) => (job.running && job.spending === 'first-view' ? job.running.firstRecords : []));
        return running.length > 0 && isMissing(layer, box) ? running : [];
      }),
    );
    if (firstRecords.length > 0)
      await withinMs(Promise.all(firstRecords), this.#options.firstViewWaitMs ?? FIRST_VIEW_WAIT_MS);
  }

  #nextPollMs(covered: readonly Bbox[], layers: readonly Layer[], isWaiting: boolean): number {
    const minMs = isWaiting ? MIN_WAITING_POLL_MS : MIN_POLL_MS;
    if (this.#options.isAnnounced) return minMs;
    const atMs = this.#dueInMs(covered, layers) + (isWaiting ? -POLL_AHEAD_MS : REFRESH_TAKES_MS);
    return Math.round(Math.max(minMs, Math.min(MAX_POLL_MS, atMs)));
  }

  #isDueWithin(waitMs: number, covered: readonly Bbox[], layers: readonly Layer[]): boolean {
    return this.#options.isAnnounced || this.#dueInMs(covered, layers) + REFRESH_TAKES_MS <= waitMs;
  }

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
  /** Of the covered part; default: the view's. */
  readonly centre?: LonLat | undefined;
  /** Covered as well. */
  readonly home?: Bbox | undefined;
  /** Default: 0. */
  readonly waitMs?: number | undefined;
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
