import { createHmac, type KeyObject } from 'node:crypto';
import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

export interface ReferenceSettings {
  /**
   * Keep it secret: it links the references of one track. A KeyObject of the same bytes gives the same references, six
   * times as fast.
   */
  readonly secret: Uint8Array | KeyObject;
  /** `<PFX>` of the contract. */
  readonly prefix: string;
  /** How long a track keeps its reference. */
  readonly periodMs: number;
}

/**
 * The contract says that references rotate, but not how often. Six hours outlast an hour of replay.
 */
export const REFERENCE_PERIOD_MS = 6 * HOUR_MS;

/** The letter in references and cursors: `A` for aircraft, `D` for drones (Position: public_track_id). */
export function layerLetter(layer: Layer): 'A' | 'D' {
  return layer === 'adsb' ? 'A' : 'D';
}

/**
 * How far into its rotation period a source id is at the Unix epoch, in ms, a whole number of minutes. Ids have
 * different phases, so that not all references change at once; many ids share a phase, so that the time of a change
 * identifies none.
 */
export function rotationPhaseMs(settings: ReferenceSettings, sourceId: string, layer: Layer): number {
  const digest = createHmac('sha256', settings.secret).update(`phase\n${layer}\n${sourceId}`).digest();
  return (digest.readUIntBE(0, 6) % Math.ceil(settings.periodMs / MINUTE_MS)) * MINUTE_MS;
}

/** Number of the rotation period that `at` lies in, for an id of this phase. */
export function rotationPeriod(settings: ReferenceSettings, phaseMs: number, at: UpstreamInstant): number {
  return Math.floor((epochMs(at) + phaseMs) / settings.periodMs);
}

/** The reference of a source id in a rotation period. It does not reveal the id without the secret. */
export function referenceInPeriod(settings: ReferenceSettings, sourceId: string, layer: Layer, period: number): string {
  const digest = createHmac('sha256', settings.secret)
    .update(`reference\n${layer}\n${period}\n${sourceId}`)
    .digest('hex');
  return `${settings.prefix}-${layerLetter(layer)}-${digest.slice(0, 16).toUpperCase()}`;
}

/** The public reference of a source id at an instant: `<PFX>-[AD]-[0-9A-F]{16}`. */
export function publicReference(
  settings: ReferenceSettings,
  sourceId: string,
  layer: Layer,
  at: UpstreamInstant,
): string {
  const period = rotationPeriod(settings, rotationPhaseMs(settings, sourceId, layer), at);
  return referenceInPeriod(settings, sourceId, layer, period);
}
