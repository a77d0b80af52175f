import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation, PastObservations } from '../sources/observation.ts';
import { askedBox } from './box-in-steps.ts';
import type { Past, PastState } from './past.ts';
import { PERIOD_MS, periodKey, periodStart } from './period.ts';
import { type AskedPeriod, earliestObservations, earliestTimes, OpenPeriod } from './read-past.ts';
import { Rows } from './rows.ts';
import { STEPS_PER_DEG, storeObservation } from './stored-observation.ts';

/** A replay of the last hour also requests what leads into it. */
const KEPT_MS = HOUR_MS + 10 * MINUTE_MS;
/** So many rows take 200 MB: more than an hour of a thousand aircraft once a second. */
const DEFAULT_ROWS_MAX = 4_000_000;

/** The past of a service without a data directory: the last hour, in memory. It drops the oldest five minutes first. */
export class MemoryPast implements Past {
  readonly #rowsMax: number;
  readonly #periods = new Map<string, OpenPeriod>();
  #rows = 0;
  #keptSince: UpstreamInstant | undefined;
  #unstorable = 0;

  constructor(rowsMax = DEFAULT_ROWS_MAX) {
    this.#rowsMax = rowsMax;
  }

  append(observations: readonly Observation[]): void {
    const rowsOf = new Map<OpenPeriod, Rows>();
    let latest: UpstreamInstant | undefined;
    for (const observation of observations) {
      const { layer, observedAt } = observation;
      const period = this.#period(layer, periodStart(observedAt));
      const rows = rowsOf.get(period) ?? new Rows();
      rowsOf.set(period, rows);
      if (!storeObservation(rows, observation)) this.#unstorable += 1;
      if (latest === undefined || observedAt > latest) latest = observedAt;
    }
    for (const [period, rows] of rowsOf) {
      period.add(rows);
      this.#rows += rows.length;
    }
    if (latest !== undefined) this.#forget(addMs(latest, -KEPT_MS));
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations> {
    return earliestObservations(this.#asked(layer, bbox, window), maxCount);
  }

  historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]> {
    return earliestTimes(this.#asked(layer, bbox, window), maxCount);
  }

  oldestAt(): UpstreamInstant | undefined {
    const firsts = [...this.#periods.values()].flatMap(({ firstAt }) => firstAt ?? []);
    return firsts.sort(compareInstants)[0];
  }

  keptSince(): UpstreamInstant | undefined {
    return this.#keptSince;
  }

  state(): PastState {
    return {
      problem: undefined,
      oldestAt: this.oldestAt(),
      bytes: 0,
      segments: 0,
      damagedSegments: 0,
      overdue: undefined,
      dropped: { untimely: 0, unstorable: this.#unstorable, unwritten: 0 },
    };
  }

  close(): Promise<void> {
    this.#periods.clear();
    return Promise.resolve();
  }

  #period(layer: Layer, start: UpstreamInstant): OpenPeriod {
    const key = periodKey({ layer, start });
    const period = this.#periods.get(key) ?? new OpenPeriod({ layer, start });
    this.#periods.set(key, period);
    return period;
  }

  #asked(layer: Layer, bbox: Bbox, window: Window): AskedPeriod[] {
    const box = askedBox(bbox, STEPS_PER_DEG[layer]);
    const asked: AskedPeriod[] = [];
    for (let start = periodStart(window.start); start < window.end; start = addMs(start, PERIOD_MS)) {
      const period = this.#periods.get(periodKey({ layer, start }));
      const [fromMs, untilMs] = [msBetween(start, window.start), msBetween(start, window.end)];
      if (period) asked.push({ start, period, asked: { box, fromMs, untilMs } });
    }
    return asked;
  }

  #forget(before: UpstreamInstant): void {
    const byAge = [...this.#periods].sort(([, a], [, b]) => compareInstants(a.period.start, b.period.start));
    const newest = byAge.at(-1)?.[1].period.start;
    for (const [key, { period, rows }] of byAge) {
      const isOver = addMs(period.start, PERIOD_MS) <= before;
      // The newest period stays in any case: otherwise there would be no past at all.
      if (!isOver && (this.#rows <= this.#rowsMax || period.start === newest)) break;
      this.#rows -= rows.length;
      this.#periods.delete(key);
      const end = addMs(period.start, PERIOD_MS);
      if (this.#keptSince === undefined || this.#keptSince < end) this.#keptSince = end;
    }
  }
}
