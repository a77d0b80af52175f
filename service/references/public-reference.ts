import { createHmac, type KeyObject } from 'node:crypto';
import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

export interface ReferenceSettings {
  /** It links the references of one track. A KeyObject of the same bytes is six times as fast. */
  readonly secret: Uint8Array | KeyObject;
  /** `<PFX>` of the contract. */
  readonly prefix: string;
  readonly periodMs: number;
}

/** The contract names no period. Six hours outlast an hour of replay. */
export const REFERENCE_PERIOD_MS = 6 * HOUR_MS;

/** `A` for aircraft, `D` for drones (Position: public_track_id). */
export function layerLetter(layer: Layer): 'A' | 'D' {
  return layer === 'adsb' ? 'A' : 'D';
}

/**
 * In whole minutes. Not all references change at once, but many ids share a phase, so that a change identifies none.
 */
export function rotationPhaseMs(settings: ReferenceSettings, sourceId: string, layer: Layer): number {
  const digest = createHmac('sha256', settings.secret).update(`phase\n${layer}\n${sourceId}`).digest();
  return (digest.readUIntBE(0, 6) % Math.ceil(settings.periodMs / MINUTE_MS)) * MINUTE_MS;
}

export function rotationPeriod(settings: ReferenceSettings, phaseMs: number, at: UpstreamInstant): number {
  return Math.floor((epochMs(at) + phaseMs) / settings.periodMs);
}

/** Does not reveal the id without the secret. */
export function referenceInPeriod(settings: ReferenceSettings, sourceId: string, layer: Layer, period: number): string {
  const digest = createHmac('sha256', settings.secret)
    .update(`reference\n${layer}\n${period}\n${sourceId}`)
    .digest('hex');
  return `${settings.prefix}-${layerLetter(layer)}-${digest.slice(0, 16).toUpperCase()}`;
}

/** `<PFX>-[AD]-[0-9A-F]{16}` */
export function publicReference(
  settings: ReferenceSettings,
  sourceId: string,
  layer: Layer,
  at: UpstreamInstant,
): string {
  const period = rotationPeriod(settings, rotationPhaseMs(settings, sourceId, layer), at);
  return referenceInPeriod(settings, sourceId, layer, period);
}
