import { createSecretKey } from 'node:crypto';
import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { type ReferenceSettings, referenceInPeriod, rotationPeriod, rotationPhaseMs } from './public-reference.ts';

export type ReferenceOf = (sourceId: string, layer: Layer, at: UpstreamInstant) => string;

interface CachedReference {
  readonly phaseMs: number;
  period: number;
  reference: string;
}

/** Changes the cost, never the result. */
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
