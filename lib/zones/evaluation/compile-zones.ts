import type { WatchedZone } from './transition.ts';

/** Zones prepared for evaluation: a spatial index and exact tests. Made again when a zone changes. */
export interface CompiledZones {
  readonly zones: readonly WatchedZone[];
}

export function compileZones(zones: readonly WatchedZone[]): CompiledZones {
  return { zones };
}
