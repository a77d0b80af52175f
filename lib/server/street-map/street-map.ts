import 'server-only';
import { join } from 'node:path';
import { ApiError } from '#lib/api/error-code.ts';
import type { StreetMapSize, StreetMapState } from '#lib/api/street-map.ts';
import { epochMs, formatLocalInstant, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { planRegion, type RegionPlan } from './plan-region.ts';
import { FetchFailure, FileMissing, RangeSource } from './range-source.ts';
import type { Around } from './region.ts';
import { sizeText, writeRegion } from './write-region.ts';

/** A larger region needs the command, which takes `--max-mb`. */
const BYTES_MAX = 1e9;
const MEASURE_MAX_MS = 2 * MINUTE_MS;
const FETCH_MAX_MS = 2 * HOUR_MS;
/** Builds appear daily, and some days have none. */
const DAYS_BACK = 8;
const DATE = 'YYYYMMDD';

export interface StreetMapOptions {
  /** A web address, in which `YYYYMMDD` stands for the newest day that has a file; `undefined`: none. */
  readonly source: string | undefined;
  /** The folder whose files Lookout serves as maps. */
  readonly folder: string;
  readonly now: () => LocalInstant;
  /** Called with what is no failure of source or disk. */
  readonly onDefect: (error: unknown) => void;
  /** Before a second try; twice as long before the third. */
  readonly retryMs?: number;
}

class Cancelled extends FetchFailure {}

interface Measured {
  readonly source: RangeSource;
  readonly plan: RegionPlan;
  readonly size: StreetMapSize;
  readonly abort: AbortController;
}

/**
 * Cuts a street map around a place from a large archive on the web, for an admin. It sends requests only when it is
 * called, for one region at a time of at most a gigabyte. The file appears when it is whole, and nothing stays of one
 * that fails or is cancelled.
 */
export class StreetMap {
  readonly #options: StreetMapOptions;
  #work: { readonly state: 'measuring' | 'fetching'; readonly abort: AbortController } | undefined;
  #ended: 'idle' | 'done' | 'failed' | 'cancelled' = 'idle';
  #size: StreetMapSize | null = null;
  #bytesDone = 0;
  #problem: string | null = null;

  constructor(options: StreetMapOptions) {
    this.#options = options;
  }

  get state(): StreetMapState {
    return {
      source: this.#options.source ?? null,
      state: this.#work?.state ?? this.#ended,
      size: this.#size,
      bytes_done: this.#bytesDone,
      problem: this.#problem,
    };
  }

  /** Reads the directories of the source, until `caller` leaves. @throws ApiError with the reason */
  async measure(around: Around, caller: AbortSignal): Promise<StreetMapSize> {
    const { size } = await this.#measure(around, caller, 'only');
    return size;
  }

  /** Measures, and fetches in the background. @throws ApiError if it does not begin */
  async begin(around: Around, caller: AbortSignal): Promise<StreetMapSize> {
    const measured = await this.#measure(around, caller, 'and fetch');
    this.#size = measured.size;
    this.#bytesDone = 0;
    this.#problem = null;
    void this.#fetch(measured);
    return measured.size;
  }

  /** @returns the name of the map whose fetching it ended; `undefined` if none was fetched */
  cancel(): string | undefined {
    if (this.#work?.state !== 'fetching') return undefined;
    this.close();
    return this.#size?.map;
  }

  close(): void {
    this.#work?.abort.abort(new Cancelled('Cancelled; nothing of the map was kept.'));
  }

  async #measure(around: Around, caller: AbortSignal, then: 'only' | 'and fetch'): Promise<Measured> {
    const address = this.#options.source;
    if (address === undefined)
      throw new ApiError('not_possible', 'No street map can be fetched here: MAP_SOURCE_URL is off.');
    if (this.#work)
      throw new ApiError('not_possible', 'A street map is being fetched or measured: wait for it, or cancel it.');
    const abort = new AbortController();
    const leave = () => abort.abort(new Cancelled('The caller has left.'));
    const endTooLate = endAfter(MEASURE_MAX_MS, abort);
    caller.addEventListener('abort', leave, { once: true });
    this.#work = { state: 'measuring', abort };
    try {
      const source = await this.#open(address, abort.signal);
      const plan = await planRegion(source, around);
      if (plan.bytes > BYTES_MAX)
        throw new FetchFailure(`The map has ${sizeText(plan.bytes)}, more than ${sizeText(BYTES_MAX)}: take less.`);
      abort.signal.throwIfAborted();
      if (then === 'and fetch') this.#work = { state: 'fetching', abort };
      return { source, plan, size: sizeOf(plan, source, around), abort };
    } catch (error) {
      caller.throwIfAborted();
      throw error instanceof FetchFailure ? new ApiError('map_unavailable', error.message) : error;
    } finally {
      endTooLate();
      caller.removeEventListener('abort', leave);
      if (this.#work.state === 'measuring') this.#work = undefined;
    }
  }

  async #open(address: string, signal: AbortSignal): Promise<RangeSource> {
    const { now, retryMs } = this.#options;
    const at = (url: string) => new RangeSource(new URL(url), { signal, ...(retryMs !== undefined && { retryMs }) });
    if (!address.includes(DATE)) return at(address);
    for (let back = 0; back < DAYS_BACK; back++) {
      const day = formatLocalInstant(localInstant(epochMs(now()) - back * DAY_MS)).slice(0, 10);
      const source = at(address.replaceAll(DATE, day.replaceAll('-', '')));
      try {
        await source.getBytes(0, 127);
        return source;
      } catch (error) {
        if (!(error instanceof FileMissing)) throw error;
      }
    }
    throw new FetchFailure(`${new URL(address).host} has no map of the last ${DAYS_BACK} days.`);
  }

  /** It never fails: what went wrong is in the state. */
  async #fetch({ source, plan, size, abort }: Measured): Promise<void> {
    const endTooLate = endAfter(FETCH_MAX_MS, abort);
    try {
      await writeRegion(source, plan, join(this.#options.folder, `${size.map}.pmtiles`), ({ length }) => {
        this.#bytesDone = Math.min(size.bytes, this.#bytesDone + length);
      });
      this.#bytesDone = size.bytes;
      this.#ended = 'done';
    } catch (error) {
      this.#ended = abort.signal.reason instanceof Cancelled ? 'cancelled' : 'failed';
      if (this.#ended === 'failed') {
        this.#problem = error instanceof FetchFailure ? error.message : 'The server failed; its log has the reason.';
        if (!(error instanceof FetchFailure)) this.#options.onDefect(error);
      }
    } finally {
      endTooLate();
      this.#work = undefined;
    }
  }
}

/** @returns keeps it from ending */
function endAfter(ms: number, abort: AbortController): () => void {
  const minutes = ms / MINUTE_MS;
  const late = () => abort.abort(new FetchFailure(`The source took longer than ${minutes} minutes.`));
  const timer = setTimeout(late, ms).unref();
  return () => clearTimeout(timer);
}

function sizeOf({ bytes, tiles, batches, maxZoom, attribution }: RegionPlan, source: RangeSource, around: Around) {
  return {
    map: `Streets ${around.lat.toFixed(2)} ${around.lon.toFixed(2)} ${around.radiusKm} km`,
    source: source.getKey(),
    attribution,
    bytes,
    tiles,
    requests: batches.length,
    max_zoom: maxZoom,
  };
}
