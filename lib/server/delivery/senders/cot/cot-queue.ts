import 'server-only';
import type { Position } from '#lib/model/position.ts';
import { positionEvent, staleAt } from '#lib/outputs/cot-events.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SendFailure } from '../sender.ts';

/** Beyond, the oldest are dropped: twice the tracks of the largest measured picture. */
const TRACKS_MAX = 50_000;
/** Alarms are refused beyond: their delivery is retried. */
const ALARMS_MAX = 1000;

interface WaitingAlarm {
  readonly xml: string;
  readonly settle: (problem: unknown) => void;
}

export interface CotChunk {
  readonly xml: string;
  readonly alarms: readonly WaitingAlarm[];
}

/** Waits for the receiver: alarms first, then states of layers, then of each track the newest position. */
export class CotQueue {
  readonly #alarms = new Set<WaitingAlarm>();
  /** By uid; the newest. */
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

  /** @throws SendFailure if too many wait @returns removes it, unless it was taken */
  putAlarm(alarm: WaitingAlarm): () => void {
    if (this.#alarms.size >= ALARMS_MAX) throw new SendFailure('retry', 'Too many alarms wait for it.');
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Without positions that are stale by now. @returns `undefined` if nothing waits */
  take(characters: number, now: UpstreamInstant): CotChunk | undefined {
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
      if (staleAt(position) > now) xml += positionEvent(position);
    }
    return xml === '' ? undefined : { xml, alarms };
  }

  refuseAlarms(problem: unknown): void {
    const waiting = [...this.#alarms];
    this.#alarms.clear();
    for (const { settle } of waiting) settle(problem);
  }
}
