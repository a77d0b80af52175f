'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useEffect, useMemo, useState } from 'react';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { withShape } from '#lib/client/zones/zone-draft.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { useFeatures } from '../feature-layers.ts';
import { TerraDrawing } from './terra-drawing.ts';
import { draftFeatures } from './zone-features.ts';
import { DRAFT_LAYERS } from './zone-layers.ts';

export function DrawnZoneDraft({ map, theme }: { readonly map: MapLibreMap; readonly theme: BasemapTheme }) {
  const { zones } = useLookout();
  const draft = useValue(zones.draft);
  const preview = useValue(zones.preview);
  const sketch = useValue(zones.sketch);
  const shape = draft?.isDrawing ? sketch : draft?.shape;
  const features = useMemo(() => {
    const shapes = shape ? [shape, ...preview] : preview;
    return shapes.length > 0 ? draftFeatures(shapes) : undefined;
  }, [shape, preview]);
  useFeatures(map, theme, DRAFT_LAYERS, features);

  const isOpen = draft !== undefined;
  const [drawing, setDrawing] = useState<TerraDrawing>();
  useEffect(() => {
    if (!isOpen) return;
    const created = new TerraDrawing(map, {
      theme,
      halfWidthM: () => zones.draft.get()?.halfWidthM ?? 1,
      onSketch: (sketched) => zones.sketch.set(sketched),
      onShape: (drawn) => {
        zones.sketch.set(undefined);
        zones.change((state) => withShape(state, drawn));
      },
    });
    setDrawing(created);
    const stop = zones.listen((command) => (command === 'undo' ? created.undo() : created.finish()));
    return () => {
      stop();
      created.stop();
      setDrawing(undefined);
    };
  }, [map, theme, isOpen, zones]);

  const drawnType = draft?.isDrawing ? draft.shapeType : undefined;
  useEffect(() => {
    if (drawnType !== undefined) drawing?.draw(drawnType);
  }, [drawing, drawnType]);
  useEffect(() => {
    if (drawnType === undefined) drawing?.edit(draft?.shape);
  }, [drawing, drawnType, draft?.shape]);
  return null;
}
