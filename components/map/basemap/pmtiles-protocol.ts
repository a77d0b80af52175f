import { addProtocol } from 'maplibre-gl';
import { Protocol } from 'pmtiles';

let registered = false;

/** Teaches MapLibre `pmtiles://` addresses. To be called before a map with such a source is made; again does nothing. */
export function registerPmtilesProtocol(): void {
  if (registered) return;
  registered = true;
  addProtocol('pmtiles', new Protocol().tile);
}
