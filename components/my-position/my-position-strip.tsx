'use client';

import { LocateFixed, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import {
  useDisplay,
  useListedTracks,
  useLookout,
  usePreferences,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import type { KnownPosition, MyPosition } from '#lib/client/page/my-position.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { bearingDeg } from '#lib/geo/great-circle.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { bearingText, distanceText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { type NearDrone, nearestDrones } from '#lib/picture/nearest-drones.ts';
import type { TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { useLayerText } from '../layers/use-layer-text.ts';
import { TrackTags } from '../track-card/track-mark.tsx';
import { IconButton } from '../ui/icon-button.tsx';

const NEAREST = 3;

/** The position of this device, and the received drones nearest to it. It says where drones near it would not be shown. */
export function MyPositionStrip() {
  const { mapCommands, myPosition } = useLookout();
  const mine = useValue(myPosition.state);
  useDisplay((shown) => shown.shownAt);
  const [{ units }] = usePreferences();
  useShownOnce(mine.kind === 'known' ? mine : undefined);
  if (mine.kind === 'off') return null;
  return (
    <section
      aria-label="My position"
      data-testid="my-position"
      translate="no"
      className="flex min-h-10 items-center gap-x-4 border-line border-t bg-surface px-3 text-table phone:flex-wrap phone:px-2"
    >
      <p
        role={mine.kind === 'known' ? undefined : 'status'}
        data-testid="my-position-text"
        className="phone:flex-1 phone:pl-1.5"
      >
        <span className="font-semibold">My position</span>{' '}
        <span className="text-dim">{myPositionText(mine, localInstant(Date.now()), units)}</span>
      </p>
      {mine.kind === 'known' && <NearDrones mine={mine} />}
      <div className="ml-auto flex shrink-0">
        {mine.kind === 'known' && (
          <IconButton
            look="quiet"
            label="Centre on my position"
            icon={<LocateFixed />}
            onClick={() => mapCommands.run({ kind: 'centre', lon: mine.lon, lat: mine.lat })}
          />
        )}
        <IconButton look="quiet" label="My position: off" icon={<X />} onClick={myPosition.stop} />
      </div>
    </section>
  );
}

function NearDrones({ mine }: { readonly mine: KnownPosition }) {
  const { display } = useLookout();
  const moment = useListedTracks();
  const [{ units }] = usePreferences();
  const { layers, covered, isPast, selectedRef } = useDisplay();
  const limit = nearLimitText(mine, { layerOn: layers.rid.on, covered, isPast });
  const { tone, sentence } = useLayerText('rid');
  const nearest = nearestDrones(moment, mine, NEAREST);
  return (
    <div className="flex min-w-0 items-center gap-x-3 overflow-x-auto whitespace-nowrap phone:order-last phone:w-full">
      {limit !== undefined && <p className="text-warning phone:whitespace-normal">{limit}</p>}
      {nearest.length === 0 && limit === undefined && (
        <p className="text-dim">{tone === 'good' ? 'No drone is received.' : `${sentence}.`}</p>
      )}
      {nearest.length > 0 && (
        <ul aria-label="Nearest received drones" className="flex gap-x-1">
          {nearest.map((near) => {
            const { ref } = moment.positionAt(near.slot);
            return (
              <li key={ref}>
                <button
                  type="button"
                  aria-pressed={ref === selectedRef}
                  onClick={() => display.select(ref)}
                  className="inline-flex min-h-8 items-center gap-1.5 rounded-control px-1.5 -outline-offset-2 hover:bg-raised aria-pressed:bg-raised phone:min-h-11"
                >
                  <NearText near={near} mine={mine} moment={moment} units={units} />
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

interface NearTextProps {
  readonly near: NearDrone;
  readonly mine: KnownPosition;
  readonly moment: TrackMoment;
  readonly units: UnitSystem;
}

function NearText({ near, mine, moment, units }: NearTextProps) {
  const position = moment.positionAt(near.slot);
  const isExpired = moment.atMs >= (moment.columns.expiresAtMs[near.slot] as number);
  return (
    <>
      <span className="font-mono font-semibold">{shortReference(position.ref)}</span>
      <span>
        {distanceText(units, near.distanceM)} · {bearingText(bearingDeg(mine, position))}
        {isExpired && ' · expired'}
      </span>
      <TrackTags position={position} />
    </>
  );
}

/** Brings the first position into view. */
function useShownOnce(mine: KnownPosition | undefined): void {
  const { mapCommands, mapView } = useLookout();
  const isShown = useRef(false);
  useEffect(() => {
    if (!mine || isShown.current) return;
    isShown.current = true;
    const { visible } = mapView.get();
    if (visible && bboxContains(visible, mine.lon, mine.lat)) return;
    mapCommands.run({ kind: 'centre', lon: mine.lon, lat: mine.lat });
  }, [mine, mapCommands, mapView]);
}

export function myPositionText(mine: MyPosition, now: LocalInstant, units: UnitSystem): string {
  switch (mine.kind) {
    case 'off':
      return '';
    case 'asking':
      return 'Waiting for the position of this device…';
    case 'denied':
      return 'This browser does not share the position of this device. Allow it in the settings of this page.';
    case 'unavailable':
      return 'This device does not know its position.';
    case 'insecure':
      return 'Browsers share the position over HTTPS only.';
    case 'known': {
      const accuracy = `±${Math.ceil(lengthIn(units, mine.accuracyM))} ${LENGTH_UNIT[units]}`;
      return `${accuracy} · ${durationText(msBetween(mine.at, now))} ago`;
    }
  }
}

/** `undefined` if the list has all received drones. */
export function nearLimitText(
  mine: { readonly lon: number; readonly lat: number },
  {
    layerOn,
    covered,
    isPast,
  }: { readonly layerOn: boolean; readonly covered: readonly Bbox[]; readonly isPast: boolean },
): string | undefined {
  if (!layerOn) return 'The drone layer is off.';
  if (!covered.some((box) => bboxContains(box, mine.lon, mine.lat))) {
    return isPast
      ? 'You are outside the replayed area: drones near you are not loaded.'
      : 'You are outside the requested area: no drones near you are shown.';
  }
  return undefined;
}
