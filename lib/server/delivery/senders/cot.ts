import 'server-only';
import { randomUUID } from 'node:crypto';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import { type Bbox, bboxContains, intersectBbox, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { worstReception } from '#lib/model/reception.ts';
import { noticeEvents, RECEPTION_EVERY_MS, receptionEvent } from '#lib/outputs/cot-events.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaEvent, AreaReads } from '../../live/area-reads.ts';
import type { LiveArea } from '../../live/snapshots.ts';
import { CotConnection } from './cot-connection.ts';
import { attempt, type Sender, type SenderDeps } from './sender.ts';

/** Sends alarms, and if chosen positions, to one TAK server. @param keyPem of the client certificate */
export function openCot(
  config: ConfigOf<'cot'>,
  keyPem: string,
  { guard, now, log, reads }: Pick<SenderDeps, 'guard' | 'now' | 'log' | 'reads'>,
): Sender {
  let logged: string | undefined;
  const connection = new CotConnection({
    config,
    keyPem,
    now,
    guard,
    random: Math.random,
    hasTrails: config.positions?.trail ?? false,
    onState(state) {
      const problem = state.kind === 'lost' ? state.problem : undefined;
      if (problem !== undefined && problem !== logged) log.warn({ host: config.host, problem }, 'a TAK server is lost');
      logged = problem;
    },
  });
  const feed = config.positions && new CotFeed(reads, config.positions, connection);
  return {
    get problem() {
      const { state } = connection;
      if (state.kind === 'lost') return state.problem;
      return state.kind === 'connected' ? null : undefined;
    },
    send: (notice, signal) => attempt(signal, (within) => connection.send(noticeEvents(notice, now()), within)),
    async close() {
      feed?.close();
      await connection.close();
    },
  };
}

export type CotPositions = NonNullable<ConfigOf<'cot'>['positions']>;

/** So many tracks have a known time of their last sent position: about 10 MB. */
const TRACKS_MAX = 100_000;

/** An area that is no longer read says nothing about the receivers. */
const RECEPTION_KEPT_MS = MINUTE_MS;

interface CotTarget {
  offer(positions: readonly Position[]): void;
  offerState(uid: string, xml: string): void;
}

interface KnownReception {
  readonly reception: Reception;
  readonly readAt: UpstreamInstant;
}

/** Sends new positions of the live reads, and alarms while a layer has no receiver. It causes no request. */
export class CotFeed {
  readonly #choice: CotPositions;
  readonly #box: Bbox | undefined;
  readonly #target: CotTarget;
  /** Another Lookout may send to the same server. */
  readonly #name = randomUUID();
  readonly #receptions: Readonly<Record<Layer, Map<string, KnownReception>>> = { rid: new Map(), adsb: new Map() };
  /** When the alarm about a layer without a receiver was sent last. */
  readonly #lostSentAt = new Map<Layer, UpstreamInstant>();
  /** The observed time of the position that was sent last, by reference, the latest last. */
  readonly #sentAt = new Map<string, UpstreamInstant>();
  readonly close: () => void;

  /** @param reads of the writer */
  constructor(reads: AreaReads, choice: CotPositions, target: CotTarget) {
    this.#choice = choice;
    this.#target = target;
    this.#box = choice.bbox ? boxFromCorners(choice.bbox) : undefined;
    this.close = reads.subscribe((event) => this.#read(event));
  }

  #read(event: AreaEvent): void {
    if (event.kind !== 'read' || !this.#choice.layers.includes(event.area.layer)) return;
    if (event.reception) this.#received(event.area, { reception: event.reception, readAt: event.readAt });
    const due = event.positions.values().filter((position) => this.#isDue(position));
    const positions = Array.from(due);
    if (positions.length > 0) this.#target.offer(positions);
  }

  #received({ layer, key, bbox }: LiveArea, known: KnownReception): void {
    const box = this.#box;
    if (box && !splitAtAntimeridian(box).some((part) => intersectBbox(part, bbox))) return;
    const areas = this.#receptions[layer];
    areas.set(key, known);
    const { readAt: at } = known;
    for (const [each, { readAt }] of areas) if (msBetween(readAt, at) > RECEPTION_KEPT_MS) areas.delete(each);
    const worst = worstReception(areas.values().map(({ reception }) => reception));
    if (!worst) return;
    const sentAt = this.#lostSentAt.get(layer);
    const isLost = worst.state === 'lost';
    if (isLost ? sentAt !== undefined && msBetween(sentAt, at) < RECEPTION_EVERY_MS : sentAt === undefined) return;
    if (isLost) this.#lostSentAt.set(layer, at);
    else this.#lostSentAt.delete(layer);
    const uid = `lookout-${layer}-${this.#name}`;
    this.#target.offerState(uid, receptionEvent({ uid, layer, reception: worst, at }));
  }

  /** Positions are spaced in observed time. */
  #isDue({ ref, lon, lat, observedAt }: Position): boolean {
    if (this.#box && !bboxContains(this.#box, lon, lat)) return false;
    const sent = this.#sentAt.get(ref);
    if (sent !== undefined && msBetween(sent, observedAt) < this.#choice.every_s * SECOND_MS) return false;
    this.#sentAt.delete(ref);
    this.#sentAt.set(ref, observedAt);
    if (this.#sentAt.size > TRACKS_MAX) this.#sentAt.delete(this.#sentAt.keys().next().value ?? '');
    return true;
  }
}
