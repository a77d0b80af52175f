'use client';

import type { Map as MapLibreMap } from 'maplibre-gl';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { ValueStore } from '#lib/client/value-store.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { KIND_TEXT } from '#lib/model/position.ts';
import { msBetween } from '#lib/time/instant.ts';
import { ConfidenceBadge } from '../../ui/confidence-badge.tsx';
import { labelText } from './track-labels.ts';

export interface HoverTipProps {
  readonly map: MapLibreMap;
  readonly hovered: ValueStore<string | undefined>;
}

const WIDTH_PX = 220;
const HEIGHT_PX = 90;
const AWAY_PX = 16;

/** A track's values next to its mark under the pointer. Screen readers get the same from table and card. */
export function HoverTip({ map, hovered }: HoverTipProps) {
  const ref = useValue(hovered);
  return ref === undefined ? null : <Tip map={map} trackRef={ref} />;
}

function Tip({ map, trackRef }: { readonly map: MapLibreMap; readonly trackRef: string }) {
  const { display } = useLookout();
  const [{ units }] = usePreferences();
  const { shownAt } = useDisplay();
  const slot = display.tracks.slotOf(trackRef);
  if (slot === undefined || shownAt === undefined) return null;
  const position = display.tracks.positionAt(slot);
  const { x, y } = map.project([position.lon, position.lat]);
  const { clientWidth, clientHeight } = map.getCanvas();
  const isLeft = x + WIDTH_PX > clientWidth;
  const isAbove = y + HEIGHT_PX > clientHeight;
  const [name, values] = labelText(position, 'full', units, true).split('\n');
  return (
    <div
      aria-hidden="true"
      data-testid="hover-tip"
      className="map-tip"
      style={{
        left: x,
        top: y,
        translate: `${isLeft ? `calc(-100% - ${AWAY_PX}px)` : `${AWAY_PX}px`} ${isAbove ? `calc(-100% - ${AWAY_PX}px)` : `${AWAY_PX}px`}`,
      }}
    >
      <p className="font-semibold">
        {KIND_TEXT[position.kind]} <span className="font-mono">{name}</span>
      </p>
      <p>{values}</p>
      <p className="flex items-center gap-2">
        <ConfidenceBadge label={position.confidence} />
        <span className="text-dim">{durationText(msBetween(position.observedAt, shownAt))} ago</span>
      </p>
    </div>
  );
}
