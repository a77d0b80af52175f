import { createHmac, createSecretKey } from 'node:crypto';
import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';

declare const trackKey: unique symbol;

/**
 * 32 hex digits: a digest of the track's id on the air (ICAO address, serial number, MAC), keyed with this service's
 * secret. The id never leaves a parser.
 */
export type TrackKey = string & { readonly [trackKey]: true };

/** Equal names give equal keys for every feed: a name that is unique at one station must contain the feed's id. */
export type KeyOf = (layer: Layer, name: string) => TrackKey;

/**
 * Origins of a position, best first: sent by the track, repeated by a ground station, measured by several, seen by a
 * radar.
 */
export const POSITION_ORIGINS = ['broadcast', 'rebroadcast', 'mlat', 'tisb', 'unknown'] as const;
export type PositionOrigin = (typeof POSITION_ORIGINS)[number];

/**
 * A position of a track as one message gives it, in the contract's units (WGS84). null means "not reported". A fix
 * identifies neither owner, pilot nor station.
 */
export interface Fix {
  readonly layer: Layer;
  readonly trackKey: TrackKey;
  /** A time of the feed's clock, ms since 1970. */
  readonly feedTimeMs: number | undefined;
  /** Remote ID's own timestamp, ms since 1970. It orders fixes and reveals repetitions. */
  readonly trackTimeMs: number | undefined;
  /** ms since 1970 on our clock, if the fix waited for a later message. */
  readonly queuedSinceMs?: number;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly heightAglM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
  readonly onGround: boolean;
  readonly origin: PositionOrigin;
  /** The radius in which the track claims to be. */
  readonly accuracyM: number | null;
  readonly emergencyState: string | null;
  /** Declared, or a serial number from a transmitter's example code. */
  readonly testBroadcast: boolean;
  /** The labels of another service. Fixes of own receivers have none. */
  readonly relayed?: RelayedReport | undefined;
}

export interface RelayedReport extends Pick<Observation, 'confidence' | 'confidenceScore' | 'receiverCount'> {
  readonly simulated: boolean;
}

export const REFUSAL_CAUSES = [
  'unreadable',
  'too_long',
  'no_position',
  'no_age',
  'no_identity',
  'impossible_value',
  'drone_as_aircraft',
  'station_as_drone',
  'obstacle',
  'withheld',
  'not_positions',
  'flood',
  'other_layer',
  'compressed',
  'relayed',
] as const;
export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

export interface Parsed {
  readonly fixes: readonly Fix[];
  readonly refused: readonly RefusalCause[];
  readonly feedClockMs: number | undefined;
  readonly fields?: FieldCounts | undefined;
  /** Tracks that another service no longer has, in a complete answer: they are not live any more. */
  readonly gone?: readonly Pick<Fix, 'layer' | 'trackKey'>[] | undefined;
}

type RefusalCounts = Readonly<Partial<Record<RefusalCause, number>>>;

/** A large answer may have millions of refusals. */
export interface CountedParsed extends Omit<Parsed, 'refused'> {
  readonly refused: RefusalCounts;
}

export function countRefusals({ refused, ...parsed }: Parsed): CountedParsed {
  const counts: Partial<Record<RefusalCause, number>> = {};
  for (const cause of refused) counts[cause] = (counts[cause] ?? 0) + 1;
  return { ...parsed, refused: counts };
}

/** Counts by the name of a field. Values are never kept. */
export interface FieldCounts {
  readonly unknown: ReadonlyMap<string, number>;
  /** Values of a wrong type or out of range. */
  readonly unusable: ReadonlyMap<string, number>;
}

export interface FeedDelivery extends Omit<Parsed, 'refused'> {
  /** How old the message was on arrival, if the transport knows it. */
  readonly writtenAgoMs?: number | undefined;
  /** The first answer of an address without a clock of its own may be an old file. */
  readonly mayBeOld?: boolean | undefined;
}

export interface ParserSettings {
  readonly feed: string;
  readonly keyOf: KeyOf;
}

/** Keeps bounded state between messages. Never throws. */
export interface Parser {
  parse(message: string | Uint8Array, receivedAt: UpstreamInstant): Parsed;
  /**
   * Fixes that waited for another message, at most 5 s. Called about once a second, for the last message before a
   * silence.
   */
  due?(now: UpstreamInstant): Parsed;
}

export type MakeParser = (settings: ParserSettings) => Parser;

const KEY_HEX_DIGITS = 32;

/**
 * Keys are the first 16 bytes of HMAC-SHA-256. The secret suffices to try all 2^24 ICAO addresses, so keep it apart
 * from data and backups.
 */
export function makeKeyOf(secret: Uint8Array): KeyOf {
  // The key is prepared once, not for every digest.
  const key = createSecretKey(secret);
  return (layer, name) =>
    createHmac('sha256', key).update(`track\n${layer}\n${name}`).digest('hex').slice(0, KEY_HEX_DIGITS) as TrackKey;
}
