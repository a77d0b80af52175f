'use client';

import { House } from 'lucide-react';
import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-text.ts';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { RefreshedArea } from '#lib/client/status/status-query.ts';
import { useStatus } from '#lib/client/status/status-query.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, bboxesOverlap, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { type BoxCounts, countInBox, type OriginCounts, sumOfCounts } from '#lib/picture/draw-picture.ts';
import { epochMs } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { boxText } from '../allowance/area-text.ts';
import { originText, shortNumbers } from '../layers/count-text.ts';
import { LayerIcon } from '../layers/layer-chip.tsx';
import { barCount } from '../ui/bar.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';

/** Chooses the home area, which is requested whatever the map shows, and says what it costs. */
export function HomeAreaSection() {
  const { mapCommands, mapView, server } = useLookout();
  const [{ homeArea }, change] = usePreferences();
  const { visible } = useValue(mapView);
  const { status } = useStatus(homeArea !== null);
  const isTooWide = visible !== undefined && Math.max(lonSpanDeg(visible), latSpanDeg(visible)) > LIVE_MAX_SPAN_DEG;
  return (
    <section aria-label="Home area" className="flex flex-col gap-2">
      <p className="font-medium">Home area</p>
      <p className="text-caption text-dim" data-testid="home-area">
        {homeArea
          ? `${boxText(homeArea)}. Requested whatever the map shows; the bar counts it. ${homePriceText(homeArea, server.hasAllowance, status?.areas)}`
          : 'None. A home area is requested whatever the map shows, and the bar shows its counts and emergencies.'}
        {isTooWide && ` A home area is at most ${LIVE_MAX_SPAN_DEG}° wide and high: zoom in first.`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={!visible || isTooWide} onClick={() => change({ homeArea: visible ?? null })}>
          {homeArea ? 'Use this view instead' : 'Use this view'}
        </Button>
        {homeArea && (
          <>
            <Button onClick={() => mapCommands.run({ kind: 'show-box', bbox: homeArea })}>Go there</Button>
            <Button onClick={() => change({ homeArea: null })}>Remove</Button>
          </>
        )}
      </div>
    </section>
  );
}

/** Counts the positions in the home area while the map shows another place. */
export function HomeChip() {
  const { display, mapCommands, mapView } = useLookout();
  const [{ homeArea }] = usePreferences();
  const { now, isPast } = useDisplay();
  const { visible } = useValue(mapView);
  if (!homeArea || now === undefined || isPast || isInView(homeArea, visible)) return null;
  const counts = countInBox(display.tracks.columns, epochMs(now), homeArea);
  const emergencies = homeEmergencyText(counts);
  const { aircraft, drone } = counts;
  const both = {
    real: aircraft.real + drone.real,
    simulated: aircraft.simulated + drone.simulated,
    test: aircraft.test + drone.test,
  };
  const text = [homeCountText(counts), emergencies ?? []].flat().join(' · ');
  return (
    <Tooltip text={`Go there. ${text}`}>
      <button
        type="button"
        data-testid="home-chip"
        translate="no"
        onClick={() => mapCommands.run({ kind: 'show-box', bbox: homeArea })}
        className={barCount(
          classNames(
            'bg-raised',
            // A phone has no room for a third count: another place gives way first.
            '@max-[479px]/bar:group-has-[[data-testid=chip-incidents]~[data-testid=emergency-count]]/head:hidden',
            emergencies === undefined ? 'border-line hover:border-edge' : 'border-bad text-bad',
          ),
        )}
      >
        <span className="sr-only">{text}</span>
        <House aria-hidden size={15} className="shrink-0" />
        {LAYER_DISPLAY_ORDER.map((layer) => (
          <span key={layer} aria-hidden className="flex items-center gap-1 crowded:hidden">
            <LayerIcon layer={layer} />
            {countedOf(layer === 'adsb' ? aircraft : drone)}
          </span>
        ))}
        <span aria-hidden className="hidden crowded:inline">
          {countedOf(both)}
        </span>
      </button>
    </Tooltip>
  );
}

/** A number in the width of a chip: simulated and test positions stand for themselves, where there is no real one. */
function countedOf(counts: OriginCounts): string {
  return shortNumbers(counts, counts)[0] ?? '';
}

export function homeCountText({ aircraft, drone }: BoxCounts): string {
  return `Home: ${originText(aircraft, aircraft)} aircraft · ${originText(drone, drone)} drones`;
}

export function homeEmergencyText({ emergencies }: BoxCounts): string | undefined {
  const count = sumOfCounts(emergencies);
  if (count === 0) return undefined;
  return `${originText(emergencies, emergencies)} ${count === 1 ? 'emergency' : 'emergencies'}`;
}

export function isInView(home: Bbox, visible: Bbox | undefined): boolean {
  return visible !== undefined && bboxCovers(visible, home);
}

/** @param areas planned now; `undefined` before the first status */
export function homePriceText(home: Bbox, hasAllowance: boolean, areas: readonly RefreshedArea[] | undefined): string {
  if (!hasAllowance) return '';
  const over = (areas ?? []).filter(({ bbox }) => bboxesOverlap(bbox, home));
  if (over.length === 0) return 'Its price is shown once it is read.';
  const anHour = over.reduce(
    (sum, { cost, intervalMs }) => sum + (intervalMs === undefined ? 0 : (cost * HOUR_MS) / intervalMs),
    0,
  );
  return `It takes about ${groupedNumber(Math.ceil(anHour))} requests an hour, less where others look at the same places.`;
}
