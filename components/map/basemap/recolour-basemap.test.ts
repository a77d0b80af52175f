import { expect, test } from 'vitest';
import { basemapStyle, recolourBasemap } from './basemap-style.ts';

function mapOf(style: ReturnType<typeof basemapStyle>) {
  const layers = new Map(style.layers.map((layer) => [layer.id, structuredClone(layer)]));
  const map = {
    getLayer: (id: string) => layers.get(id),
    setPaintProperty: (id: string, name: string, value: unknown) => {
      const layer = layers.get(id)!;
      Object.assign(layer, { paint: { ...layer.paint, [name]: value } });
    },
    setLayoutProperty: (id: string, name: string, value: unknown) => {
      const layer = layers.get(id)!;
      Object.assign(layer, { layout: { ...layer.layout, [name]: value } });
    },
  };
  return { layers, map: map as unknown as Parameters<typeof recolourBasemap>[0] };
}

test('a recoloured dark map equals the light one, options included', () => {
  const { layers, map } = mapOf(basemapStyle('dark'));
  recolourBasemap(map, 'light', { dimming: 0.5, places: false });
  for (const wanted of basemapStyle('light', { dimming: 0.5, places: false }).layers) {
    expect(layers.get(wanted.id)!.paint).toEqual(wanted.paint);
    expect(layers.get(wanted.id)!.layout?.visibility ?? 'visible').toBe(wanted.layout?.visibility ?? 'visible');
  }
});

test('a map with another basemap is left unchanged', () => {
  const { layers, map } = mapOf({ ...basemapStyle('dark'), layers: [{ id: 'streets', type: 'background' }] });
  recolourBasemap(map, 'light');
  expect([...layers.values()]).toEqual([{ id: 'streets', type: 'background' }]);
});
