import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import { withinMs } from '../machine.ts';
import { LiveReader } from './live-reader.ts';
import type { ZoneBox } from './plan/demand-of-all.ts';
import type { PlannedAreas } from './planned-areas.ts';
import { RequestScheduler, type RequestSchedulerOptions } from './request-scheduler.ts';

export type LiveEngineOptions = Omit<RequestSchedulerOptions, 'afterGeneration'>;

/**
 * The live picture, of a server alone or of several: `reader` answers viewers, `planned` says what is refreshed and why
 * not. Only the writer requests.
 */
export interface LiveEngine {
  readonly planned: PlannedAreas;
  readonly reader: LiveReader;
  checkAccount(): Promise<void>;
  upstreamChanged(layer: Layer): void;
  /** Replaces the boxes that are read for zones, with or without viewers. Every server calls it; the writer plans them. */
  watch(boxes: readonly ZoneBox[]): void;
  /** Another server may become the writer. */
  leave(): Promise<void>;
  /** Waits a little for running refreshes. */
  close(): Promise<void>;
}

export function startLiveEngine(options: LiveEngineOptions): LiveEngine {
  const { snapshots, reads, client, ledger, now } = options;
  client.clock.onSetBack((ms) => snapshots.setBack(ms));
  const writer = new LiveWriter(options);
  const reader = new LiveReader({
    planned: writer.scheduler,
    snapshots,
    reads,
    clock: client.clock,
    now,
    isAnnounced: ledger.isUnlimited,
  });
  return {
    planned: writer.scheduler,
    reader,
    checkAccount: () => client.retryAccount(),
    upstreamChanged: (layer) => writer.scheduler.changed(layer),
    watch: (boxes) => writer.scheduler.watch(boxes),
    async leave() {},
    async close() {
      reader.close();
      await writer.stop();
    },
  };
}

/** The shortest pause between generations: more than ten a second gain nothing. */
const MIN_PAUSE_MS = 100;
/** A stop waits this long for refreshes: only their answers state what they cost. */
const STOP_REFRESHES_MS = 1000;

/** Runs the scheduler while this server is the writer. */
export class LiveWriter {
  readonly scheduler: RequestScheduler;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: RequestSchedulerOptions) {
    this.scheduler = new RequestScheduler({
      ...options,
      afterGeneration: (nextTickInMs) => {
        options.afterGeneration?.(nextTickInMs);
        clearTimeout(this.#timer);
        if (nextTickInMs === undefined || this.#isStopped) return;
        // It never rejects: the supervised part reports a failure.
        this.#timer = setTimeout(() => void this.scheduler.tick(), Math.max(MIN_PAUSE_MS, nextTickInMs)).unref();
      },
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.scheduler.stop();
    clearTimeout(this.#timer);
    await withinMs(this.scheduler.idle(), STOP_REFRESHES_MS);
  }
}
