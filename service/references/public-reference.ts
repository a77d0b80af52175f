import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Layer } from '#lib/contract/operation.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

/** How a service calls itself in its answers, so that it does not read itself. It tells nothing else of the secret. */
export function serviceIdOf(secret: Uint8Array): string {
  return createHmac('sha256', secret).update('service').digest('hex').slice(0, 16);
}

interface ReferenceSettings {
  /** It links the references of one track. A KeyObject of the same bytes is six times as fast. */
  readonly secret: Uint8Array | KeyObject;
  /** The `<PFX>` of the contract. */
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
 * When a track's references change, in whole minutes of the period. Not all references change at once, but many ids
 * share a phase, so that a change identifies none.
 */
export function rotationPhaseMs(settings: ReferenceSettings, sourceId: string, layer: Layer): number {
  const digest = createHmac('sha256', settings.secret).update(`phase\n${layer}\n${sourceId}`).digest();
  return (digest.readUIntBE(0, 6) % Math.ceil(settings.periodMs / MINUTE_MS)) * MINUTE_MS;
}

function rotationPeriod(settings: ReferenceSettings, phaseMs: number, at: UpstreamInstant): number {
  return Math.floor((epochMs(at) + phaseMs) / settings.periodMs);
}

function referenceInPeriod(settings: ReferenceSettings, sourceId: string, layer: Layer, period: number): string {
  const digest = createHmac('sha256', settings.secret)
    .update(`reference\n${layer}\n${period}\n${sourceId}`)
    .digest('hex');
  return `${settings.prefix}-${layerLetter(layer)}-${digest.slice(0, 16).toUpperCase()}`;
}

/**
 * `<PFX>-[AD]-[0-9A-F]{16}`: what callers see of a track's id. It stays for a period, and without the secret it reveals
 * neither the id nor the next reference.
 */
export function publicReference(
  settings: ReferenceSettings,
  sourceId: string,
  layer: Layer,
  at: UpstreamInstant,
): string {
  const period = rotationPeriod(settings, rotationPhaseMs(settings, sourceId, layer), at);
  return referenceInPeriod(settings, sourceId, layer, period);
}

export type ReferenceOf = (sourceId: string, layer: Layer, at: UpstreamInstant) => string;

interface CachedReference {
  readonly phaseMs: number;
  period: number;
  reference: string;
}

/** `publicReference` with its last results cached: it changes the cost, never the result. */
export function cacheReferences({ secret, prefix, periodMs }: ReferenceSettings, capacity = 100_000): ReferenceOf {
  const key = secret instanceof Uint8Array ? createSecretKey(secret) : secret;
  const settings: ReferenceSettings = { secret: key, prefix, periodMs };
  const cachedByLayer: Record<Layer, Map<string, CachedReference>> = { rid: new Map(), adsb: new Map() };

  return (sourceId, layer, at) => {
    const cachedById = cachedByLayer[layer];
    const cached = cachedById.get(sourceId);
    const phaseMs = cached?.phaseMs ?? rotationPhaseMs(settings, sourceId, layer);
    const period = rotationPeriod(settings, phaseMs, at);
    if (cached?.period === period) return cached.reference;
    const reference = referenceInPeriod(settings, sourceId, layer, period);
    if (cached) {
      cached.period = period;
      cached.reference = reference;
      return reference;
    }
    if (cachedById.size >= capacity) {
      const first = cachedById.keys().next();
      if (!first.done) cachedById.delete(first.value);
    }
    cachedById.set(sourceId, { phaseMs, period, reference });
    return reference;
  };
}
