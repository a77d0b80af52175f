import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Fix, ParserSettings, RefusalCause, TrackKey } from '../fix.ts';
import {
  DRONE_ID_KINDS,
  type DroneId,
  type DroneIdKind,
  type DronePosition,
  droneName,
  isSampleId,
} from './remote-id.ts';

export interface DroneMessage {
  /** 12 hex digits. `undefined` if the format has none. */
  readonly mac: string | undefined;
  readonly ids: readonly DroneId[];
  readonly position: DronePosition | RefusalCause;
  readonly feedTimeMs: number | undefined;
  readonly saysTest: boolean | undefined;
}

/** Over Bluetooth 4, name and position alternate within about a second. */
const HOLD_NAMELESS_MS = 5 * SECOND_MS;
const ADDRESS_LIFE_MS = 2 * MINUTE_MS;
const MAX_ADDRESSES = 4096;
const QUEUED_MAX = 16;
const MAX_NAMES = 8;

interface Waiting {
  readonly position: DronePosition;
  readonly feedTimeMs: number | undefined;
  readonly queuedSinceMs: number;
}

interface Named {
  readonly kind: DroneIdKind;
  readonly trackKey: TrackKey;
  readonly isSample: boolean;
}

interface Address {
  latestMs: number;
  /** The names seen at the address, each with its latest time in ms since 1970. */
  readonly names: Map<TrackKey, { readonly named: Named; latestMs: number }>;
  /** ms since 1970. `undefined` if no position ever waited. */
  namelessSinceMs: number | undefined;
  queued: Waiting[];
  saysTest: boolean;
}

interface Merged {
  readonly fixes: Fix[];
  readonly refused: RefusalCause[];
}

/**
 * A transmitter address lasts for a flight. Positions wait for a name, else they are served under the address. A name
 * joins a drone's addresses. Both are kept only as digests.
 */
export class DroneMerger {
  readonly #settings: ParserSettings;
  /** The addresses in the order of their latest messages. */
  readonly #addresses = new Map<TrackKey, Address>();

  constructor(settings: ParserSettings) {
    this.#settings = settings;
  }

  add(message: DroneMessage, receivedAt: UpstreamInstant): Merged {
    const nowMs = epochMs(receivedAt);
    const ids = message.ids.map((id) => this.#named(id));
    const { mac, position, feedTimeMs } = message;
    if (mac === undefined) return withoutAddress(message, bestNamed(ids));
    const refused = this.#forget(nowMs);
    const addressKey = this.#settings.keyOf('rid', `mac:${this.#settings.feed}:${mac}`);
    const address = this.#addressOf(addressKey, nowMs);
    refused.push(...this.#forget(nowMs));
    for (const named of ids) learnName(address, named, nowMs);
    if (message.saysTest !== undefined) address.saysTest = message.saysTest;

    const fixes: Fix[] = [];
    const nameHere = onlyName(address);
    if (nameHere !== undefined && nameHere !== 'several') fixes.push(...release(address, nameHere));
    if (typeof position === 'string') return { fixes, refused: [...refused, position] };
    const waiting: Waiting = { position, feedTimeMs, queuedSinceMs: nowMs };
    const named = bestNamed(ids) ?? nameHere;
    if (named === 'several') {
      refused.push('no_identity');
    } else if (named) {
      fixes.push(fixOf({ position, feedTimeMs }, named, address.saysTest));
    } else {
      address.namelessSinceMs ??= nowMs;
      if (!isRepeated(address.queued.at(-1)?.position, position)) address.queued.push(waiting);
      if (address.queued.length > QUEUED_MAX) {
        address.queued.shift();
        refused.push('no_identity');
      }
      fixes.push(...releaseDue(addressKey, address, nowMs));
    }
    return { fixes, refused };
  }

  due(now: UpstreamInstant): Fix[] {
    return [...this.#addresses].flatMap(([key, address]) => releaseDue(key, address, epochMs(now)));
  }

  #named(id: DroneId): Named {
    return { kind: id.kind, trackKey: this.#settings.keyOf('rid', droneName(id)), isSample: isSampleId(id) };
  }

  #addressOf(key: TrackKey, nowMs: number): Address {
    const known = this.#addresses.get(key);
    const address = known ?? { latestMs: 0, names: new Map(), namelessSinceMs: undefined, queued: [], saysTest: false };
    address.latestMs = nowMs;
    this.#addresses.delete(key);
    this.#addresses.set(key, address);
    return address;
  }

  #forget(nowMs: number): RefusalCause[] {
    const lost: RefusalCause[] = [];
    for (const [key, { latestMs, queued }] of this.#addresses) {
      if (nowMs - latestMs < ADDRESS_LIFE_MS && this.#addresses.size <= MAX_ADDRESSES) break;
      for (const _ of queued) lost.push('no_identity');
      this.#addresses.delete(key);
    }
    return lost;
  }
}

function withoutAddress({ position, feedTimeMs, saysTest }: DroneMessage, named: Named | undefined): Merged {
  if (typeof position === 'string') return { fixes: [], refused: [position] };
  if (!named) return { fixes: [], refused: ['no_identity'] };
  return { fixes: [fixOf({ position, feedTimeMs }, named, saysTest === true)], refused: [] };
}

function fixOf(
  { position, ...times }: Omit<Waiting, 'queuedSinceMs'> & Partial<Pick<Waiting, 'queuedSinceMs'>>,
  { trackKey, isSample }: Named,
  saysTest: boolean,
): Fix {
  return { ...position, ...times, layer: 'rid', trackKey, testBroadcast: saysTest || isSample };
}

/** Over Wi-Fi a drone repeats each position about ten times. */
function isRepeated(last: DronePosition | undefined, position: DronePosition): boolean {
  const { lon, lat, trackTimeMs } = position;
  return last?.lon === lon && last.lat === lat && last.trackTimeMs === trackTimeMs;
}

function release(address: Address, named: Named): Fix[] {
  const fixes = address.queued.map((waiting) => fixOf(waiting, named, address.saysTest));
  address.queued = [];
  return fixes;
}

function releaseDue(addressKey: TrackKey, address: Address, nowMs: number): Fix[] {
  if (address.namelessSinceMs === undefined || nowMs - address.namelessSinceMs < HOLD_NAMELESS_MS) return [];
  return release(address, { kind: 'session', trackKey: addressKey, isSample: false });
}

function learnName(address: Address, named: Named, nowMs: number): void {
  address.names.delete(named.trackKey);
  address.names.set(named.trackKey, { named, latestMs: nowMs });
  // Silent names have left the address. A single one stays.
  for (const [key, { latestMs }] of address.names) {
    if (nowMs - latestMs >= ADDRESS_LIFE_MS || address.names.size > MAX_NAMES) address.names.delete(key);
  }
}

function bestNamed(names: readonly Named[]): Named | undefined {
  return names.toSorted((a, b) => DRONE_ID_KINDS.indexOf(a.kind) - DRONE_ID_KINDS.indexOf(b.kind))[0];
}

/** The only name at an address; `several` if drones share it, as behind a repeater. */
function onlyName(address: Address): Named | 'several' | undefined {
  const names = [...address.names.values()].map(({ named }) => named);
  for (const kind of DRONE_ID_KINDS) {
    const [first, ...others] = names.filter((named) => named.kind === kind);
    if (first) return others.length === 0 ? first : 'several';
  }
  return undefined;
}
