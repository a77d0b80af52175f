import 'server-only';
import type { AreaPart, CompactHead, Since } from '#lib/api/compact-answer.ts';
import type { LiveAnswer, LiveLayer } from '#lib/api/live-answer.ts';
import { writeHead } from '#lib/codec/json-head.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxContains, intersectBbox, splitAtAntimeridian, subtractBbox } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { formatInstant, type LocalInstant } from '#lib/time/instant.ts';
import { counts } from '../allowance/counts.ts';
import { withinMs } from '../machine.ts';
import { apiRecord } from '../upstream/api-record.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { GroupedStarts } from '../work/yielding.ts';
import type { AreaReads } from './area-reads.ts';
import { type LayerView, type LiveView, viewLayer } from './live-view.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { PlannedAreas } from './planned-areas.ts';
import { dueInMs, type RefreshJob } from './refresh-job.ts';
import { type AreaBodies, coverBox, keepNewest, type Snapshots } from './snapshots.ts';

export const FIRST_VIEW_WAIT_MS = 1500;
export const MIN_POLL_MS = 1000;
/** Bounds the answers of areas that change at different times. */
const MIN_WAITING_POLL_MS = 300;
/** The poll arrives before the next records on any usable network. */
const POLL_AHEAD_MS = 500;
/** Refreshes that end within this go out in one answer. */
const TOGETHER_MS = 100;
/** The longest pause between polls, well below `VIEWER_KEPT_MS`. */
const MAX_POLL_MS = 15_000;
/** How long a refresh takes, from due to received. */
const REFRESH_TAKES_MS = 300;

export interface LiveReaderOptions {
  readonly planned: PlannedAreas;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
  /** Whether the upstream announces changes: the time of the next read is then unknown. */
  readonly isAnnounced?: boolean | undefined;
  /** The longest wait for first records; 1.5 s by default. */
  readonly firstViewWaitMs?: number | undefined;
}

/**
 * Answers the polls of viewers: registers what they want, waits a little for first records, and makes the answer from
 * snapshots. It sends no upstream requests.
 */
export class LiveReader {
  readonly #options: LiveReaderOptions;
  readonly #waiting: WaitingPolls;
  /** One read makes all polls due that wait for it. */
  readonly #starts = new GroupedStarts();

  constructor(options: LiveReaderOptions) {
    this.#options = options;
    this.#waiting = new WaitingPolls(options.reads);
  }

  /** @param centre of the covered part of a view over the limit; default: its centre */
  async read(viewer: ViewerPage, viewport: Bbox, layers: readonly Layer[], centre?: LonLat): Promise<LiveAnswer> {
    return (await this.prepare(viewer, viewport, layers, centre))();
  }

  /** Waits for first records. @returns what makes the answer, which may take 100 ms */
  async prepare(
    viewer: ViewerPage,
    viewport: Bbox,
    layers: readonly Layer[],
    centre?: LonLat,
  ): Promise<() => LiveAnswer> {
    const seen = capViewport(viewport, centre);
    await this.#register(viewer, seen, layers);
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

  /** The answer, reduced to what changed since the viewer's last one. */
  async readCompact(
    viewer: ViewerPage,
    viewport: Bbox,
    layers: readonly Layer[],
    since: Since,
    { centre, home, waitMs = 0 }: CompactOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const seen = capViewport(viewport, centre, home);
    const answer = (heldMs = 0) =>
      this.#starts.run(async () =>
        compactAnswer(this.#view(viewer.operator, seen, layers, { isWaiting: waitMs > 0, heldMs }), since),
      );
    await this.#register(viewer, seen, layers);
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

  async #register(viewer: ViewerPage, { covered, wanted }: CappedViewport, layers: readonly Layer[]): Promise<void> {
    counts().liveReads++;
    await this.#options.planned.register(viewer, wanted, layers);
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
  /** The centre of the covered part; default: the view's. */
  readonly centre?: LonLat | undefined;
  /** An area that is covered as well. */
  readonly home?: Bbox | undefined;
  /** How long the poll waits for news; default: 0. */
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

/** A viewport, and its covered part. */
interface CappedViewport {
  readonly viewport: Bbox;
  /** Boxes to plan for. They may overlap; none crosses 180°. */
  readonly wanted: readonly Bbox[];
  /** The covered places, each in one box. */
  readonly covered: readonly Bbox[];
  readonly capped: boolean;
}

/** Caps a viewport at the contract's 30° a side around `centre`, and splits it at 180°. The home area is covered as well. */
function capViewport(viewport: Bbox, centre: LonLat | undefined, home?: Bbox): CappedViewport {
  const { bbox, capped } = capBbox(viewport, LIVE_MAX_SPAN_DEG, centre);
  const seen = splitAtAntimeridian(bbox);
  if (!home) return { viewport, wanted: seen, covered: seen, capped };
  const atHome = splitAtAntimeridian(capBbox(home, LIVE_MAX_SPAN_DEG).bbox);
  const remaining = seen.reduce((rest, box) => rest.flatMap((part) => subtractBbox(part, box)), atHome);
  return { viewport, wanted: [...seen, ...atHome], covered: [...seen, ...remaining], capped };
}

interface WaitingPoll {
  readonly boxes: readonly Bbox[];
  readonly layers: readonly Layer[];
  readonly wake: () => void;
}

/** Polls that wait for the next read of what they show. */
class WaitingPolls {
  readonly #polls = new Set<WaitingPoll>();
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(reads: AreaReads) {
    this.#unsubscribe = reads.subscribe(({ kind, area: { layer, bbox } }) => {
      if (kind !== 'read') return;
      for (const { boxes, layers, wake } of this.#polls) {
        if (layers.includes(layer) && boxes.some((box) => intersectBbox(box, bbox))) wake();
      }
    });
  }

  /** @returns `read`, which resolves with the next read, and `end`, which callers must call in any case */
  wait(boxes: readonly Bbox[], layers: readonly Layer[]): { readonly read: Promise<void>; end(): void } {
    const { promise: read, resolve: wake } = Promise.withResolvers<void>();
    const poll = { boxes, layers, wake };
    if (this.#isClosed) wake();
    else this.#polls.add(poll);
    return { read, end: () => this.#polls.delete(poll) };
  }

  /** Answers all polls: none may delay a stop. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const { wake } of this.#polls) wake();
  }
}

/** The answer in the form of lib/api/compact-answer.ts. @returns `isNew`: the viewer lacks some of the records */
export async function compactAnswer(
  view: LiveView,
  since: Since,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isNew: boolean }> {
  const bodies: Uint8Array[] = [];
  const layers: Partial<Record<Layer, CompactHead['layers']['rid']>> = {};
  for (const layer of ['rid', 'adsb'] as const) {
    const layerView = view.layers.get(layer);
    if (!layerView) continue;
    const parts: AreaPart[] = [];
    for (const part of layerView.parts) {
      const made = await part.snapshot.bodies(since.get(part.snapshot.name));
      bodies.push(...made.bodies);
      parts.push(areaPart(part, made));
    }
    layers[layer] = { ...layerView.answer, parts };
  }
  return { bytes: Buffer.concat([writeHead({ ...view.answer, layers }), ...bodies]), isNew: bodies.length > 0 };
}

function areaPart({ snapshot, regions }: LayerView['parts'][number], { deltas, bodies }: AreaBodies): AreaPart {
  return {
    area: snapshot.name,
    sequence: snapshot.sequence,
    deltas,
    bodies: bodies.map(({ byteLength }) => byteLength),
    regions: regions.map(corners),
  };
}
