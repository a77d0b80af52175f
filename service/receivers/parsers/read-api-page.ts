import { envelopeSchema } from '#lib/contract/envelope.ts';
import type { Layer } from '#lib/contract/operation.ts';
import { ownReceptionSchema, receptionSchema } from '#lib/contract/reception.ts';
import { isLabel, RECEIVED_BY, type WirePosition, wirePositionSchema } from '#lib/contract/wire-position.ts';
import { epochMs, instantOf, msBetween } from '#lib/time/instant.ts';
import type { Fix, Parsed, ParserSettings, RefusalCause, TrackKey } from '../fix.ts';
import type { AircraftPolicy } from './aircraft-value.ts';
import { messageText, numberWithin, ParsedMessage } from './parsed-message.ts';

export interface ReadApiPage {
  readonly parsed: Parsed;
  readonly nextCursor: string | null;
  /** The service that answers, if it says so. */
  readonly servedBy: string | undefined;
  /** Its own reception, by its clock. */
  readonly reception: ReportedReception | undefined;
}

export interface ReportedReception {
  readonly state: 'ok' | 'partly' | 'lost' | 'none';
  readonly receivers: number;
  readonly receiving: number;
  /** How many of these hear far less than usual. */
  readonly deaf: number;
  /** How long ago that began, when the answer was made. */
  readonly sinceMs: number | undefined;
}

interface PageSettings extends ParserSettings {
  readonly policy: AircraftPolicy;
}

const positionSchema = wirePositionSchema(undefined);

/**
 * Reads a live page of the Read API. An invalid record is refused alone. So is one that the other service has from a third
 * one: services that read each other would otherwise return each record for ever.
 * @returns undefined if it is no such page
 */
export function readReadApiPage(
  body: string | Uint8Array,
  layer: Layer,
  settings: PageSettings,
): ReadApiPage | undefined {
  const envelope = envelopeSchema.safeParse(jsonOf(body));
  if (!envelope.success || envelope.data.layer !== layer || envelope.data.mode !== 'live') return undefined;
  const { data, generated_at: generatedAt, next_cursor: nextCursor, served_by: servedBy, reception } = envelope.data;
  const message = new ParsedMessage();
  for (const row of data) message.add(fixOf(row, layer, settings));
  return {
    parsed: message.parsed(epochMs(instantOf(generatedAt))),
    nextCursor,
    servedBy: typeof servedBy === 'string' ? servedBy : undefined,
    reception: reportedReception(reception, generatedAt),
  };
}

function jsonOf(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(messageText(body));
  } catch {
    return undefined;
  }
}

function reportedReception(value: unknown, generatedAt: string): ReportedReception | undefined {
  const [all, own] = [receptionSchema.safeParse(value), ownReceptionSchema.safeParse(value)];
  const read = own.data?.own ?? all.data;
  if (!read) return undefined;
  const { state, since, receivers, receiving, deaf = 0 } = read;
  return {
    state,
    receivers,
    receiving,
    deaf,
    sinceMs: since === null ? undefined : msBetween(instantOf(since), instantOf(generatedAt)),
  };
}

function fixOf(row: unknown, layer: Layer, { feed, keyOf, policy }: PageSettings): Fix | RefusalCause {
  const read = positionSchema.safeParse(row);
  if (!read.success) return 'unreadable';
  const record = read.data;
  if ((record.track_kind === 'drone') !== (layer === 'rid')) return 'other_layer';
  if (record[RECEIVED_BY] === 'other') return 'relayed';
  if (record.longitude === 0 && record.latitude === 0) return 'no_position';
  const isWithheld = layer === 'adsb' && policy.emergency === 'unknown';
  return {
    layer,
    trackKey: relayedKey(record, layer, { feed, keyOf }),
    feedTimeMs: epochMs(instantOf(record.observed_at)),
    trackTimeMs: undefined,
    lon: record.longitude,
    lat: record.latitude,
    altitudeM: numberWithin(record.altitude_m, -1000, 100_000),
    heightAglM: numberWithin(record.height_agl_m, -1000, 100_000),
    speedMps: numberWithin(record.speed_mps, 0, 2000),
    headingDeg: numberWithin(record.heading_deg, 0, 360),
    onGround: false,
    origin: 'unknown',
    accuracyM: null,
    emergencyState: isWithheld ? null : labelOf(record.emergency_state),
    testBroadcast: record.test_broadcast,
    relayed: {
      confidence: labelOf(record.confidence),
      confidenceScore: numberWithin(record.confidence_score, -1000, 1000),
      receiverCount: numberWithin(record.receiver_count, 0, 1_000_000),
      simulated: record.simulated,
    },
  };
}

/** The reference of the other service rotates, and this key with it. */
function relayedKey(record: WirePosition, layer: Layer, { feed, keyOf }: ParserSettings): TrackKey {
  return keyOf(layer, `relayed\n${feed}\n${record.public_track_id}`);
}

function labelOf(text: string | null): string | null {
  return text !== null && isLabel(text) ? text : null;
}
