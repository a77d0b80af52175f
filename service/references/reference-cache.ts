import { createSecretKey } from 'node:crypto';
import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { type ReferenceSettings, referenceInPeriod, rotationPeriod, rotationPhaseMs } from './public-reference.ts';

export type ReferenceOf = (sourceId: string, layer: Layer, at: UpstreamInstant) => string;

interface Known {
  readonly phaseMs: number;
  period: number;
  reference: string;
}

/**
 * `publicReference` with what was computed last for each of at most `capacity` ids a layer kept; beyond it the id that
 * came first is forgotten. It changes the cost and never the answer.
 */
export function cacheReferences({ secret, prefix, periodMs }: ReferenceSettings, capacity = 100_000): ReferenceOf {
  const key = secret instanceof Uint8Array ? createSecretKey(secret) : secret;
  const settings: ReferenceSettings = { secret: key, prefix, periodMs };
  const knownByLayer: Record<Layer, Map<string, Known>> = { rid: new Map(), adsb: new Map() };

  return (sourceId, layer, at) => {
    const knownById = knownByLayer[layer];
    const known = knownById.get(sourceId);
    const phaseMs = known?.phaseMs ?? rotationPhaseMs(settings, sourceId, layer);
    const period = rotationPeriod(settings, phaseMs, at);
    if (known?.period === period) return known.reference;
    const reference = referenceInPeriod(settings, sourceId, layer, period);
    if (known) {
      known.period = period;
      known.reference = reference;
      return reference;
    }
    if (knownById.size >= capacity) {
      const first = knownById.keys().next();
      if (!first.done) knownById.delete(first.value);
    }
    knownById.set(sourceId, { phaseMs, period, reference });
    return reference;
  };
}
