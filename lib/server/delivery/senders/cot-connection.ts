import 'server-only';
import type { Socket } from 'node:net';
import { backOffMs, halfJitterMs } from '#lib/async/back-off.ts';
import type { Position } from '#lib/model/position.ts';
import { pingEvent, positionEvent, staleAt } from '#lib/outputs/cot-events.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Guard } from '../guard.ts';
import { CotSocket, CUT, cotProblem, type SocketOptions } from './cot-socket.ts';
import { SendFailure } from './sender.ts';

/** A TLS record has so many. */
const CHUNK_CHARACTERS = 16_384;
const CLOSED = new SendFailure('retry', 'The destination was changed or closed.');

export const COT_TIMES = {
  connectMs: 10 * SECOND_MS,
  settleMs: SECOND_MS,
  pingMs: 15 * SECOND_MS,
  silentMs: 40 * SECOND_MS,
  retryFirstMs: SECOND_MS,
  retryMaxMs: MINUTE_MS,
  /** A connection that lasted as long resets the back-off. */
  steadyMs: 30 * SECOND_MS,
};

export type CotState =
  | { readonly kind: 'connecting' | 'connected' }
  /** The connection is retried. */
  | { readonly kind: 'lost'; readonly problem: string };

export interface CotConnectionOptions extends Omit<SocketOptions, 'socket' | 'times'> {
  readonly guard: Pick<Guard, 'connect'>;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly random: () => number;
  /** Of positions. Default: none. */
  readonly hasTrails?: boolean;
  readonly onState?: (state: CotState) => void;
  readonly times?: typeof COT_TIMES;
}

/**
 * A connection to a TAK server, which is retried until it is closed. Alarms wait for their confirmation; of states and
 * positions only the newest is kept, and may be lost.
 */
export class CotConnection {
  readonly #options: CotConnectionOptions;
  readonly #times: typeof COT_TIMES;
  readonly #queue = new CotQueue();
  #state: CotState = { kind: 'connecting' };
  #socket: CotSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #connectedMs = 0;
  #isClosed = false;

  constructor(options: CotConnectionOptions) {
    this.#options = options;
    this.#times = options.times ?? COT_TIMES;
    void this.#connect();
  }

  get state(): CotState {
    return this.#state;
  }

  offer(positions: Iterable<Position>): void {
    for (const position of positions) this.#queue.putPosition(position);
    this.#pump();
  }

  /** @param xml an event that replaces an earlier one of its uid, also one that waits */
  offerState(uid: string, xml: string): void {
    this.#queue.putState(uid, xml);
    this.#pump();
  }

  /**
   * CoT has no receipts. Resolves when the server answered a ping after it, or for a server that answers none, when the
   * system has taken it. Sending it again is harmless: its uid stays the same.
   * @throws SendFailure; the signal's reason
   */
  async send(xml: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isClosed) throw CLOSED;
    if (this.#state.kind === 'lost') throw new SendFailure('retry', this.#state.problem);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const remove = this.#queue.putAlarm({ xml, settle: (problem) => (problem ? reject(problem) : resolve()) });
    const abort = () => {
      remove();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#pump();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Closes within 2 s. Alarms that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#queue.refuseAlarms(CLOSED);
    await this.#socket?.end();
  }

  /** Never rejects. */
  /** Never rejects: a failure is a loss, after which it connects again. */
  async #connect(): Promise<void> {
    const { config, now, guard } = this.#options;
    let socket: Socket | undefined;
    try {
      socket = await guard.connect(config.host, config.port);
      if (this.#isClosed) {
        socket.destroy();
        return;
      }
      this.#socket = new CotSocket(
        { ...this.#options, socket, times: this.#times },
        {
          onReady: () => {
            this.#connectedMs = performance.now();
            this.#become({ kind: 'connected' });
            this.#pump();
          },
          onDrain: () => this.#pump(),
          onPing: () => pingEvent(now()),
          onClosed: (problem) => this.#lost(problem),
        },
      );
    } catch (error) {
      socket?.destroy();
      this.#lost(cotProblem(error));
    }
  }

  #pump(): void {
    const socket = this.#socket;
    while (socket?.canWrite) {
      const { now, hasTrails } = this.#options;
      const chunk = this.#queue.take(CHUNK_CHARACTERS, now(), hasTrails);
      if (!chunk) return;
      if (chunk.alarms.length === 0) {
        socket.write(chunk.xml);
        continue;
      }
      socket.writeConfirmed(chunk.xml, (error) => {
        const problem = error ? new SendFailure('retry', CUT) : undefined;
        for (const { settle } of chunk.alarms) settle(problem);
      });
    }
  }

  #lost(problem: string): void {
    this.#socket = undefined;
    if (this.#isClosed) return;
    if (this.#state.kind === 'connected' && performance.now() - this.#connectedMs >= this.#times.steadyMs)
      this.#failures = 0;
    this.#queue.refuseAlarms(new SendFailure('retry', problem));
    const { retryFirstMs, retryMaxMs } = this.#times;
    this.#failures += 1;
    const longestMs = backOffMs(this.#failures, { firstMs: retryFirstMs, maxMs: retryMaxMs });
    const waitMs = halfJitterMs(longestMs, this.#options.random);
    this.#retry = setTimeout(() => void this.#connect(), waitMs).unref();
    this.#become({ kind: 'lost', problem });
  }

  #become(state: CotState): void {
    if (this.#isClosed) return;
    this.#state = state;
    this.#options.onState?.(state);
  }
}

/** Beyond so many, the oldest positions are dropped: twice the tracks of the largest measured picture. */
const TRACKS_MAX = 50_000;
/** Beyond so many, alarms are refused: their delivery is retried. */
const ALARMS_MAX = 1000;

interface WaitingAlarm {
  readonly xml: string;
  readonly settle: (problem: unknown) => void;
}

interface CotChunk {
  readonly xml: string;
  readonly alarms: readonly WaitingAlarm[];
}

/** Events that wait for the receiver: alarms first, then states of layers, then the newest position of each track. */
export class CotQueue {
  readonly #alarms = new Set<WaitingAlarm>();
  /** The newest state of each uid. */
  readonly #states = new Map<string, string>();
  /** A newer position takes the place of the older one, so that busy tracks do not overtake others. */
  readonly #positions = new Map<string, Position>();

  putPosition(position: Position): void {
    this.#positions.set(position.ref, position);
    if (this.#positions.size <= TRACKS_MAX) return;
    const [oldest] = this.#positions.keys();
    if (oldest !== undefined) this.#positions.delete(oldest);
  }

  /** @param xml an event that replaces an earlier one of its uid */
  putState(uid: string, xml: string): void {
    this.#states.set(uid, xml);
  }

  /** @throws SendFailure if too many wait @returns a function that removes the alarm, unless it was taken */
  putAlarm(alarm: WaitingAlarm): () => void {
    if (this.#alarms.size >= ALARMS_MAX) throw new SendFailure('retry', 'Too many alarms wait for it.');
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Takes the next events, without positions that are stale. @returns `undefined` if nothing waits */
  take(characters: number, now: UpstreamInstant, hasTrails = false): CotChunk | undefined {
    let xml = '';
    const alarms: WaitingAlarm[] = [];
    for (const alarm of this.#alarms) {
      if (xml.length >= characters) break;
      this.#alarms.delete(alarm);
      alarms.push(alarm);
      xml += alarm.xml;
    }
    for (const [uid, state] of this.#states) {
      if (xml.length >= characters) break;
      this.#states.delete(uid);
      xml += state;
    }
    for (const [ref, position] of this.#positions) {
      if (xml.length >= characters) break;
      this.#positions.delete(ref);
      if (staleAt(position) > now) xml += positionEvent(position, hasTrails);
    }
    return xml === '' ? undefined : { xml, alarms };
  }

  refuseAlarms(problem: unknown): void {
    const waiting = [...this.#alarms];
    this.#alarms.clear();
    for (const { settle } of waiting) settle(problem);
  }
}
