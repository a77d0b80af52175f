import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { ObservationColumns } from '#lib/codec/record-columns.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { KIND_OF_LAYER, LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, formatInstant, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { type FailureRemedy, failureMessage, remedyOf } from '../request/refusal-message.ts';
import {
  type LoadListener,
  LoadOrder,
  loadedFrom,
  openReplayTransport,
  type ReplayTransport,
} from './load/replay-transport.ts';
import { isWaiting, type Playback, type PlaybackCommand, playbackAfter, startedReplay } from './playback.ts';
import { type AutomaticLoad, automaticLoad, isOnlyLoaded, quoteOf, termsOfQuote } from './replay-price.ts';
import {
  emptyProgress,
  type LayerLoadProgress,
  type LoadProgress,
  loadingFromLine,
  progressAtEnd,
  progressAtStart,
  progressFromLine,
  progressStopped,
  readyUntil,
  withGaps,
} from './replay-progress.ts';
import { historyQuery, type ReplayRequest } from './replay-request.ts';
import {
  type LoadTerms,
  type ReplayGap,
  type ReplayLayer,
  type ReplayLoading,
  type ReplayQuote,
  type ReplaySummary,
  termsOfLoad,
  type WideChoice,
} from './replay-summary.ts';
import { ReplayCursor } from './store/replay-cursor.ts';
import { ReplayStore } from './store/replay-store.ts';
import type { TimeToLive } from './time-to-live.ts';

/** A load that breaks off goes on this often: another server has what the previous one read. */
const RESUMES_MAX = 6;
export const RESUMED_AFTER_MS = 1000;

/** Makes the session of a replay. @param before the replaced replay's playback */
export type MakeSession = (request: ReplayRequest, before: Playback | undefined, onChange: () => void) => ReplaySession;

/** @param onClock as in `openReplayTransport` */
export function openSessions(onClock: (asOf: UpstreamInstant, delayMs: number) => void): MakeSession {
  return sessionsOver(openReplayTransport(onClock));
}

/** Sessions that share a transport: it runs one load at a time. */
export function sessionsOver(transport: ReplayTransport): MakeSession {
  return (request, before, onChange) => new ReplaySession(request, before, transport, onChange);
}

/**
 * One replay, from opening to end: asks for its price, loads it once that is accepted, and moves its cursor. Loading
 * never makes more requests than its quote's maximum. Only this class changes what it publishes as `summary`.
 */
export class ReplaySession {
  readonly #transport: ReplayTransport;
  readonly #onChange: () => void;
  readonly #request: Omit<ReplayRequest, 'layers' | 'window' | 'leadInMs'>;
  #leadInMs: number;
  #layers: ReadonlySet<Layer>;
  #playback: Playback;
  #past: LoadedPast;
  #loading: ReplayLoading = { kind: 'quoting' };
  #progress: LoadProgress = emptyProgress();
  #loadedArea: Bbox | undefined;
  readonly #order: LoadOrder;
  #inFlight = new AbortController();
  #isEnded = false;
  #summary: ReplaySummary;

  /**
   * @param before the replaced replay's playback
   * @param onChange not called after the end
   */
  constructor(
    { layers, window, leadInMs = 0, ...request }: ReplayRequest,
    before: Playback | undefined,
    transport: ReplayTransport,
    onChange: () => void,
  ) {
    this.#transport = transport;
    this.#onChange = onChange;
    this.#request = request;
    this.#order = new LoadOrder((load, from) => transport.seek(load, from));
    this.#leadInMs = leadInMs;
    this.#layers = layers;
    this.#playback = startedReplay({ window, ...request }, before);
    this.#past = new LoadedPast(window, leadInMs, request.ttlMs, layers);
    this.#summary = this.#summarise(this.#summariseLayers());
  }

  /** The same object until something changes. */
  get summary(): ReplaySummary {
    return this.#summary;
  }

  get playback(): Playback {
    return this.#playback;
  }

  get store(): ReplayStore {
    return this.#past.store;
  }

  get cursor(): ReplayCursor {
    return this.#past.cursor;
  }

  /** The requested area until a load starts, then the loaded one. */
  get area(): Bbox {
    return this.#loadedArea ?? this.#request.area;
  }

  /** The loaded area; `undefined` before the first load, and if all of the requested one is loaded. */
  get loadedArea(): Bbox | undefined {
    return this.#loadedArea;
  }

  /**
   * Loads at once where the request allows the price. It never rejects: a failure is in the summary.
   * @param asks whether to wait for the operator at any price
   */
  async quote({ asks = false } = {}): Promise<void> {
    const signal = this.#restart();
    this.#progress = progressStopped(this.#progress);
    if (this.#layers.size === 0) {
      this.#refuse('No layer is on: switch one on to load it.');
      return;
    }
    this.#loading = { kind: 'quoting' };
    this.#changed();
    let cost: HistoryCost;
    try {
      cost = await this.#transport.cost(this.#query(), signal);
    } catch (error) {
      if (!signal.aborted) this.#refuseWith(error);
      return;
    }
    if (signal.aborted) return;
    this.#endAt(parseInstant(cost.end));
    const quote = quoteOf(cost);
    const automatic = asks ? automaticLoad(quote, 0, 0) : this.#automatic(quote, leftOf(cost));
    switch (automatic.kind) {
      case 'load': {
        const terms = termsOfQuote(quote, quote.wide && 'middle');
        this.#load({ ...terms, maxRequests: Math.min(terms.maxRequests, automatic.maxRequests) });
        break;
      }
      case 'ask':
        this.#loading = { kind: 'quoted', quote, asks: automatic.reason };
        this.#changed();
    }
  }

  load(choice: WideChoice): void {
    if (this.#loading.kind === 'quoted') this.#load(termsOfQuote(this.#loading.quote, choice));
  }

  /** Loads again on the same terms; cached parts cost nothing. */
  retry(): void {
    if (this.#loading.kind === 'done') this.#load(this.#loading.terms);
  }

  command(command: PlaybackCommand): void {
    const before = this.#playback;
    this.#playback = playbackAfter(before, command);
    if (this.#playback === before) return;
    if (command.do !== 'tick' && !this.#isLoadedAtCursor()) this.#order.moved(this.#loadedFrom());
    this.#moved();
  }

  tick(passedMs: number): void {
    this.command({ do: 'tick', passedMs, readyUntil: this.#readyUntil() });
  }

  setLayers(layers: ReadonlySet<Layer>): void {
    this.#layers = layers;
    this.#past.cursor.setShown(layers);
    const isMissing = (layer: Layer) => layers.has(layer) && this.#progress[layer].minutes.length === 0;
    // A quote is for the layers that were on, and it says itself why it failed.
    if (!termsOfLoad(this.#loading) || LAYERS.some(isMissing)) void this.quote();
    else this.#changed();
  }

  end(): void {
    this.#isEnded = true;
    this.#order.end();
    this.#inFlight.abort();
  }

  #query(): URLSearchParams {
    const { area, centre } = this.#request;
    const query = historyQuery({ area, centre, window: this.#loadedWindow, layers: this.#layers });
    query.set('from', formatInstant(this.#loadedFrom()));
    return query;
  }

  get #loadedWindow(): Window {
    const { start, end } = this.#playback.window;
    return { start: addMs(start, -this.#leadInMs), end };
  }

  #loadedFrom(): UpstreamInstant {
    return loadedFrom(this.#loadedWindow, this.#playback.cursor);
  }

  #isLoadedAtCursor(): boolean {
    return this.#readyUntil() > this.#playback.cursor;
  }

  #automatic(quote: ReplayQuote, left: number | undefined): AutomaticLoad {
    const { acceptedMax, autoLoadMax = 0 } = this.#request;
    const price = quote.wide?.middle ?? quote;
    if (acceptedMax !== undefined && (price.expected <= acceptedMax || isOnlyLoaded(price)))
      return { kind: 'load', maxRequests: acceptedMax };
    // The operator chooses between the middle and all of a wide area.
    return quote.wide ? { kind: 'ask', reason: 'wide' } : automaticLoad(price, autoLoadMax, left);
  }

  /** A request that begins before the account's history is refused as a whole. */
  #isLeadInTooOld(): boolean {
    const isTooOld = LAYERS.some((layer) =>
      this.#progress[layer].gaps.some(({ reason }) => reason === 'outside_lookback'),
    );
    return this.#leadInMs > 0 && isTooOld;
  }

  #loadWithoutLeadIn(terms: LoadTerms): void {
    const made = this.#sum('requestsMade');
    this.#leadInMs = 0;
    this.#past = new LoadedPast(this.#playback.window, 0, this.#request.ttlMs, this.#layers);
    this.#progress = emptyProgress();
    this.#load({ ...terms, maxRequests: Math.max(0, terms.maxRequests - made) });
  }

  #sum(of: 'requestsMade' | 'requestsBefore'): number {
    return LAYERS.reduce((sum, layer) => sum + this.#progress[layer][of], 0);
  }

  /** @returns the signal for the next request */
  #restart(): AbortSignal {
    this.#inFlight.abort();
    this.#inFlight = new AbortController();
    return this.#inFlight.signal;
  }

  /** @param resumes how often it may still go on by itself; `undefined` for a load that begins */
  #load(terms: LoadTerms, resumes?: number): void {
    const signal = this.#restart();
    this.#loadedArea = terms.area;
    this.#progress = progressAtStart(this.#progress, resumes !== undefined);
    this.#loading = { kind: 'loading', terms };
    const query = this.#query();
    if (terms.choice !== undefined) query.set('wide', terms.choice);
    query.set('max_requests', String(Math.max(0, terms.maxRequests - this.#sum('requestsBefore'))));
    query.set('load', this.#order.begin(this.#loadedFrom()));
    this.#changed();
    this.#transport.load(query, this.#listenTo(terms, signal, resumes), signal);
  }

  /** @param resumes `undefined`: none before the server has answered */
  #listenTo(terms: LoadTerms, signal: AbortSignal, resumes: number | undefined): LoadListener {
    let resumesLeft = resumes;
    return {
      part: (layer, span, records, unreadable) => {
        if (!signal.aborted) this.#addPart(layer, span, records, unreadable);
      },
      queued: ({ rank, running }) => {
        if (signal.aborted) return;
        resumesLeft ??= RESUMES_MAX;
        this.#loading = { kind: 'queued', terms, rank, running };
        this.#changed();
      },
      progress: (line) => {
        if (signal.aborted) return;
        resumesLeft ??= RESUMES_MAX;
        this.#progress = progressFromLine(this.#progress, line);
        this.#loading = loadingFromLine(line, terms);
        this.#changed();
      },
      done: (line) => {
        const finish = () => {
          if (signal.aborted) return;
          this.#progress = progressAtEnd(this.#progress, line);
          if (this.#isLeadInTooOld()) this.#loadWithoutLeadIn(terms);
          else {
            this.#loading = { kind: 'done', terms };
            this.#changed();
          }
        };
        // A part that cannot be added refuses the load.
        this.#past.added.then(finish, () => undefined);
      },
      failed: (error) => {
        if (signal.aborted) return;
        const goesOn = resumesLeft !== undefined && resumesLeft > 0 && error.kind !== 'signed-out';
        if (!goesOn) this.#refuseWith(error);
        else setTimeout(() => signal.aborted || this.#load(terms, (resumesLeft ?? 0) - 1), RESUMED_AFTER_MS);
      },
    };
  }

  #addPart(layer: Layer, span: Window, records: ObservationColumns, unreadable: number): void {
    this.#progress = {
      ...this.#progress,
      [layer]: { ...this.#progress[layer], unreadable: this.#progress[layer].unreadable + unreadable },
    };
    const past = this.#past;
    const isWanted = () => !this.#isEnded && past === this.#past;
    past
      .add(layer, { bbox: this.area, ...span }, records, { yieldToMain: () => this.#transport.yieldToMain(), isWanted })
      .then(
        () => this.#changed(),
        (error) => isWanted() && this.#refuseWith(error),
      );
  }

  #endAt(end: UpstreamInstant | undefined): void {
    const { window, cursor } = this.#playback;
    if (end === undefined || end >= window.end) return;
    const ended = { start: window.start, end };
    this.#playback = { ...this.#playback, window: ended, cursor: cursor < end ? cursor : end };
    this.#past = new LoadedPast(ended, this.#leadInMs, this.#request.ttlMs, this.#layers);
  }

  #refuseWith(error: unknown): void {
    this.#refuse(failureMessage(error), remedyOf(error));
  }

  #refuse(message: string, remedy?: FailureRemedy): void {
    this.#restart();
    this.#progress = progressStopped(this.#progress);
    this.#loading = { kind: 'refused', message, remedy };
    this.#changed();
  }

  #readyUntil(): UpstreamInstant {
    const { cursor } = this.#playback;
    return readyUntil({ window: this.#loadedWindow, cursor }, this.#layers, this.#progress);
  }

  #changed(): void {
    this.#publish(this.#summariseLayers());
  }

  #moved(): void {
    this.#publish(this.#summary.layers);
  }

  #publish(layers: ReplaySummary['layers']): void {
    this.#summary = this.#summarise(layers);
    if (!this.#isEnded) this.#onChange();
  }

  #summarise(layers: ReplaySummary['layers']): ReplaySummary {
    return {
      playback: this.#playback,
      isWaiting: isWaiting(this.#playback, this.#readyUntil()),
      loading: this.#loading,
      area: this.area,
      layers,
    };
  }

  #summariseLayers(): ReplaySummary['layers'] {
    return { rid: this.#summariseLayer('rid'), adsb: this.#summariseLayer('adsb') };
  }

  #summariseLayer(layer: Layer): ReplayLayer {
    return { on: this.#layers.has(layer), ...this.#past.summariseLayer(layer, this.#progress[layer]) };
  }
}

/** The requests that are left: `undefined` if unknown, infinite without an allowance. */
function leftOf({ has_allowance: hasAllowance, left }: HistoryCost): number | undefined {
  return hasAllowance ? (left ?? undefined) : Number.POSITIVE_INFINITY;
}

/** Records are added in slices of this size: the page stays responsive. */
const SLICE = 2000;

/** The received observations of one replay, with its lead-in. Overflow is the part that did not fit. */
class LoadedPast {
  readonly store: ReplayStore;
  readonly cursor: ReplayCursor;
  readonly #overflow: { readonly layer: Layer; readonly gap: ReplayGap }[] = [];
  readonly #leadInMs: number;
  #added: Promise<void> = Promise.resolve();

  /** @param leadInMs in whole minutes */
  constructor({ start, end }: Window, leadInMs: number, ttlMs: TimeToLive, layers: ReadonlySet<Layer>) {
    this.#leadInMs = leadInMs;
    this.store = new ReplayStore({ window: { start: addMs(start, -leadInMs), end } });
    this.cursor = new ReplayCursor(this.store, ttlMs);
    this.cursor.setShown(layers);
  }

  /**
   * In slices; resolves once added, or dropped because `isWanted` returned false.
   * @param place where and when the part was received
   */
  add(
    layer: Layer,
    place: Omit<ReplayGap, 'reason'>,
    records: ObservationColumns,
    { yieldToMain, isWanted }: { yieldToMain(): Promise<void>; isWanted(): boolean },
  ): Promise<void> {
    this.#added = this.#added.then(async () => {
      let refused = 0;
      for (let first = 0; first < records.count && isWanted(); first += SLICE) {
        refused += this.store.add(records, first, Math.min(records.count, first + SLICE)).refused;
        if (first + SLICE < records.count) await yieldToMain();
      }
      if (refused > 0) this.#overflow.push({ layer, gap: { ...place, reason: 'page_full' } });
    });
    return this.#added;
  }

  get added(): Promise<void> {
    return this.#added;
  }

  summariseLayer(layer: Layer, progress: LayerLoadProgress): Omit<ReplayLayer, 'on'> {
    const { binMs, counts } = this.store.histogram;
    const histogram = counts[layer].subarray(this.#leadInMs / binMs);
    const overflow = this.#overflow.flatMap((each) => (each.layer === layer ? [each.gap] : []));
    const leadInMinutes = this.#leadInMs / MINUTE_MS;
    const { minutes, ...rest } = withGaps(progress, overflow, this.store.window);
    return {
      layer,
      shownForMs: this.cursor.shownForMs(KIND_OF_LAYER[layer]),
      histogram,
      observations: histogram.reduce((sum, count) => sum + count, 0),
      ...rest,
      leadIn: minutes.slice(0, leadInMinutes),
      minutes: minutes.slice(leadInMinutes),
    };
  }
}
