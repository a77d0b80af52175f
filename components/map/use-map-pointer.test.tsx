import { act, within } from '@testing-library/react';
import type { MapLayerMouseEvent, Map as MapLibreMap, Point } from 'maplibre-gl';
import { useEffect } from 'react';
import { expect, test } from 'vitest';
import { alarmOf, ZONE_ID } from '#lib/client/alarms/alarm.fixture.ts';
import { startMeasuring } from '#lib/client/measuring/measuring-state.ts';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import type { WatchedRow } from '#lib/client/zones/zone-desk.ts';
import { newDraft } from '#lib/client/zones/zone-draft.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';
import { type MapName, makeMapNames } from './labels/map-names.ts';
import type { MarksLayer } from './marks/marks-layer.ts';
import { useMapPointer } from './use-map-pointer.ts';

const AT = { x: 10, y: 10, dist: () => 0 } as unknown as Point;

/** A map whose only mark is at every place. */
async function showMark({ isThere = true, names = makeMapNames(), answers = {} } = {}) {
  let handlers: ReturnType<typeof useMapPointer>['handlers'] | undefined;
  function OneMark() {
    const { display, mapShown } = useLookout();
    const slot = () => (isThere ? display.tracks.slotOf('RX-A-0000000000000000') : undefined);
    const marks = { pickSlot: slot, pileAt: () => [slot()].flat().filter((at) => at !== undefined) };
    handlers = useMapPointer(marks as unknown as MarksLayer, names).handlers;
    useEffect(() => mapShown.set(true), [mapShown]);
    return null;
  }
  const page = await showPage({ map: <OneMark />, answers });
  act(() => page.receives(recordsNow([{}])));
  return {
    ...page,
    shiftClick: () => act(() => handlers?.boxZoom.boxZoomEnd({} as MapLibreMap, AT, AT)),
    click: () =>
      act(() => handlers?.onClick({ point: AT, lngLat: {}, originalEvent: {} } as unknown as MapLayerMouseEvent)),
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

test('a click on the name of a zone goes to its alarm in the list; on one without alarms, to the zone; a mark under it wins', async () => {
  const names = makeMapNames();
  const [zone, alarm] = [zoneOf(1, { id: ZONE_ID }), alarmOf(1)];
  let number = 0;
  const answers = {
    'GET /api/zones': () => Response.json({ zones: [pricedZone(zone)] }),
    'GET /api/alarms': () =>
      ++number > 3 ? new Promise<Response>(() => undefined) : Response.json({ alarms: [alarm], next: String(number) }),
  };
  const opens = (row: WatchedRow) => names.find.set(() => ({ ...PLAIN, opens: row }));
  const setting = { isThere: false, names, answers };
  const { screen, click, selected, closes } = await showMark(setting);
  opens({ zone: zone.id, alarm: alarm.id });
  click();
  const row = within(await screen.findByTestId('alarm'));
  await expect.poll(() => row.getByRole('button', { expanded: true })).toBe(document.activeElement);
  opens({ zone: zone.id });
  click();
  const list = within(await screen.findByTestId('zone-list'));
  await expect.poll(() => document.activeElement).toBe(list.getAllByRole('button')[0]);
  expect(selected()).toEqual([]);
  closes();
  const marked = await showMark({ ...setting, isThere: true });
  marked.click();
  expect(marked.selected()).toEqual(['RX-A-0000000000000000']);
});

const PLAIN: MapName = { mercatorX: 0, mercatorY: 0, lines: ['Runway'], side: 'above', look: 'plain' };
