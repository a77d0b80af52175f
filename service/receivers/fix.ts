import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

declare const trackKey: unique symbol;

/**
 * 32 hex digits: a digest of the track's id on the air (ICAO address, serial number, MAC), keyed with this service's secret. The id itself
 * never leaves a parser.
 */
export type TrackKey = string & { readonly [trackKey]: true };

/**
 * Digests layer and name. Equal names give equal keys for every feed, so a name that is unique at one station only must contain the feed's
 * id.
 */
export type KeyOf = (layer: Layer, name: string) => TrackKey;

/**
 * How a position was determined, best first: sent by the track, repeated by a ground station, measured by several stations, seen by a
 * radar, unknown to the format.
 */
export const POSITION_ORIGINS = ['broadcast', 'rebroadcast', 'mlat', 'tisb', 'unknown'] as const;
export type PositionOrigin = (typeof POSITION_ORIGINS)[number];

/**
 * One position as one feed received it, in the contract's units: WGS84 degrees, metres, metres per second, degrees clockwise from
 * north. The value null means "not reported", and parsers turn their format's sentinels into it. A fix identifies neither owner,
 * pilot nor station.
 */
export interface Fix {
  readonly layer: Layer;
  readonly trackKey: TrackKey;
  /** Reception time, ms since 1970 on the feed's clock. `undefined` if the format has no time. */
  readonly feedTimeMs: number | undefined;
  /** Remote ID's own timestamp, ms since 1970, `undefined` if not sent. It orders fixes of one track and reveals repetitions. */
  readonly trackTimeMs: number | undefined;
  /** Arrival time, ms since 1970 on our clock, if the parser held the fix for a later message. */
  readonly queuedSinceMs?: number;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly heightAglM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
  readonly onGround: boolean;
  readonly origin: PositionOrigin;
  /** Radius that contains the true position, as the track claims. */
  readonly accuracyM: number | null;
  readonly emergencyState: string | null;
  /** A recognised test: the drone says so, or it has a serial number from the examples of a transmitter's source code. */
  readonly testBroadcast: boolean;
}

/** Why a message or a part of it gave no fix. Counted for each feed and shown to its operator. */
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
] as const;
export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

/** The result for one message: the body of a poll, a line, an MQTT payload. */
export interface Parsed {
  readonly fixes: readonly Fix[];
  /** One entry for each row or message without a fix. */
  readonly refused: readonly RefusalCause[];
  /** The feed's clock when it sent the message, ms since 1970, if the format has it. */
  readonly feedClockMs: number | undefined;
  /** Fields without a usable value, absent if there are none. */
  readonly fields?: FieldCounts | undefined;
}

type RefusalCounts = Readonly<Partial<Record<RefusalCause, number>>>;

/** A parsed message whose refusals are counted: a large answer may have millions. */
export interface CountedParsed extends Omit<Parsed, 'refused'> {
  readonly refused: RefusalCounts;
}

export function counted({ refused, ...parsed }: Parsed): CountedParsed {
  const counts: Partial<Record<RefusalCause, number>> = {};
  for (const cause of refused) counts[cause] = (counts[cause] ?? 0) + 1;
  return { ...parsed, refused: counts };
}

/** Counts by name of the format's field. Values are never kept. */
export interface FieldCounts {
  /** Fields that our copy of the format does not list. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Values of a wrong type or out of range. */
  readonly unusable: ReadonlyMap<string, number>;
}

/** A parsed message, with what its transport knows about its age. */
export interface Delivery extends Omit<Parsed, 'refused'> {
  /** Age in ms on arrival, if the transport knows more than "just now". */
  readonly writtenAgoMs?: number | undefined;
  /** First answer of its address. Without a clock of its own, it may be an old file. */
  readonly mayBeOld?: boolean | undefined;
}

export interface ParserSettings {
  /** Unique among the feeds. */
  readonly feed: string;
  readonly keyOf: KeyOf;
}

/** Reads the messages of one feed. It may keep bounded state between messages, and never throws. */
export interface Parser {
  parse(message: string | Uint8Array, receivedAt: UpstreamInstant): Parsed;
  /**
   * Fixes that waited for another message, at most 5 s. The caller calls it about once a second, so that the last message before a silence
   * is served too.
   */
  due?(now: UpstreamInstant): Parsed;
}

export type MakeParser = (settings: ParserSettings) => Parser;
