import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

declare const trackKey: unique symbol;

/**
 * 32 hex digits: a digest of what a track is called on the air, keyed with the secret of this service. It is all that
 * leaves a parser of an ICAO address, a serial number or a MAC.
 */
export type TrackKey = string & { readonly [trackKey]: true };

/**
 * Digests a name of a track. Equal names give equal keys whichever feed they come from, so a name that is unique at one
 * station only must contain the feed's id. The layer is part of the digest.
 */
export type KeyOf = (layer: Layer, name: string) => TrackKey;

/**
 * How a position was determined, best first: sent by the track itself; repeated by a ground station; measured by several
 * stations; seen by a radar; unknown, because the format cannot tell.
 */
export const POSITION_ORIGINS = ['broadcast', 'rebroadcast', 'mlat', 'tisb', 'unknown'] as const;
export type PositionOrigin = (typeof POSITION_ORIGINS)[number];

/**
 * One position as one feed received it, in the contract's units: WGS84 degrees, metres, metres per second, degrees
 * clockwise from north. null is "not reported": a parser turns the sentinels of its format into it. Nothing in a fix
 * says who or where the track's owner, its pilot or the station is.
 */
export interface Fix {
  readonly layer: Layer;
  readonly trackKey: TrackKey;
  /** When it was received, ms since 1970 on the feed's clock; undefined if the format has no time. */
  readonly feedTimeMs: number | undefined;
  /**
   * When the track says that it was there, ms since 1970: Remote ID's own timestamp. It orders fixes of one track and
   * shows which are repeated; undefined if not sent.
   */
  readonly trackTimeMs: number | undefined;
  /** When it arrived, ms since 1970 on our clock, if the parser queued it until a later message; else left out. */
  readonly queuedSinceMs?: number;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly heightAglM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
  readonly onGround: boolean;
  readonly origin: PositionOrigin;
  /** The radius that contains the true position, as the track claims; null if unknown. */
  readonly accuracyM: number | null;
  readonly emergencyState: string | null;
  /** A recognised test: it says so itself, or it has a name from the examples of a transmitter's source. */
  readonly testBroadcast: boolean;
}

/** Why a message, or a part of it, gave no fix. Counted for each feed and shown to whoever runs it. */
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

/** What a parser made of one message: a poll's body, a line, an MQTT payload. */
export interface Parsed {
  readonly fixes: readonly Fix[];
  /** One for each row or message that gave none. */
  readonly refused: readonly RefusalCause[];
  /** The feed's clock when it sent the message, ms since 1970, if the message says so. */
  readonly feedClockMs: number | undefined;
  /** Fields that gave no value; left out if there are none. */
  readonly fields?: FieldCounts | undefined;
}

/** How often a field gave no value, by its name. Names are the format's, never values. */
export interface FieldCounts {
  /** Fields that the format does not have, as far as is known here. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Values that are not what the field holds: text for a number, or a number out of range. */
  readonly unusable: ReadonlyMap<string, number>;
}

/** What was parsed of one message, with what its transport knows of its age. */
export interface Delivery extends Omit<Parsed, 'refused'> {
  /** How long before it arrived it was written, in ms, if the transport knows better than "just now". */
  readonly writtenAgoMs?: number | undefined;
  /** It is the first answer of its address: without a clock of its own, nothing shows that it is a new one. */
  readonly mayBeOld?: boolean | undefined;
}

export interface ParserSettings {
  /** The feed's id, unique among the feeds. */
  readonly feed: string;
  readonly keyOf: KeyOf;
}

/**
 * Reads the messages of one feed. It may keep what belongs together over several messages, within bounds. It never
 * throws, whatever the message.
 */
export interface Parser {
  parse(message: string | Uint8Array, receivedAt: UpstreamInstant): Parsed;
  /**
   * What has waited for another message long enough, at most 5 s. Whoever runs the feed calls it about once a second, so
   * that the last message before a silence is served too.
   */
  due?(now: UpstreamInstant): Parsed;
}

export type MakeParser = (settings: ParserSettings) => Parser;
