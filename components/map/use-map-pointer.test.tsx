import { act } from '@testing-library/react';
import type { Map as MapLibreMap, Point } from 'maplibre-gl';
import { useEffect } from 'react';
import { expect, test } from 'vitest';
import { startMeasuring } from '#lib/client/measuring/measuring-state.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { newDraft } from '#lib/client/zones/zone-draft.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';
import type { MarksLayer } from './marks/marks-layer.ts';
import { useMapPointer } from './use-map-pointer.ts';

const AT = { x: 10, y: 10, dist: () => 0 } as unknown as Point;

/** A map whose only mark is at every place. */
async function showMark() {
  let handlers: ReturnType<typeof useMapPointer>['handlers'] | undefined;
  function OneMark() {
    const { display, mapShown } = useLookout();
    const marks = { pickSlot: () => display.tracks.slotOf('RX-A-0000000000000000') } as unknown as MarksLayer;
    handlers = useMapPointer(marks).handlers;
    useEffect(() => mapShown.set(true), [mapShown]);
    return null;
  }
  const page = await showPage({ map: <OneMark /> });
  act(() => page.receives(recordsNow([{}])));
  return {
    ...page,
    shiftClick: () => act(() => handlers?.boxZoom.boxZoomEnd({} as MapLibreMap, AT, AT)),
    selected: () => page.lookout.display.summary().selection.refs,
  };
}

test('a Shift click adds the mark under the pointer, and selects nothing while a tool takes the presses', async () => {
  const { lookout, shiftClick, selected } = await showMark();
  const { drawing, measuring, zones } = lookout;
  act(() => zones.startDraft(newDraft()));
  const tools = [
    () => drawing.start('polygon'),
    () => measuring.change((state) => startMeasuring(state)),
    () => zones.change((draft) => ({ ...draft, isDrawing: true })),
  ];
  for (const start of tools) {
    act(() => void start());
    shiftClick();
    expect(selected()).toEqual([]);
  }
  act(() => void zones.stopDrawing());
  shiftClick();
  expect(selected()).toEqual(['RX-A-0000000000000000']);
});
