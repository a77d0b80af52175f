'use client';

import { type ReactNode, useState } from 'react';
import { PAST_REASONS } from '#lib/api/layer-reason.ts';
import {
  SIGHTING_TEXT_MAX_LENGTH,
  type SightAnswer,
  type SightingCheck,
  type SightingReport,
} from '#lib/api/watching/sightings.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useDeskPreferences } from '#lib/client/page/desk.tsx';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { clockRangeText, clockText } from '#lib/model/clock-text.ts';
import { bearingText, distanceText } from '#lib/model/measure-text.ts';
import { KIND_TEXT } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { shownUnit } from '#lib/model/units.ts';
import { instantOf, isoTime } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { FORM_GRID, NumberField } from '../ui/form-fields.tsx';
import { PlaceField, TimeField, WordsField } from './desk-fields.tsx';

/** What is known of a sighting before it is written. */
export interface SightingStart {
  readonly atMs: number;
  readonly place?: LonLat | undefined;
  readonly bearingDeg?: number | undefined;
}

interface Sighting extends SightingStart {
  readonly atWithinS: number;
  readonly bearingWithinDeg: number;
  readonly elevationDeg: number | null;
  readonly elevationWithinDeg: number;
  readonly distanceM: number | null;
  readonly distanceWithinM: number;
  readonly text: string;
}

const WITHIN = { atWithinS: 60, bearingWithinDeg: 10, elevationWithinDeg: 10, distanceWithinM: 500 } as const;

interface SightingFormProps {
  readonly start: SightingStart;
  /** Such as “Check”. */
  readonly action: string;
  readonly isSending: boolean;
  readonly error: Error | null;
  readonly onSend: (report: SightingReport) => void;
}

/** A person's report of what was seen, on the map's page and on that of an incident. */
export function SightingForm({ start, action, isSending, error, onSend }: SightingFormProps) {
  const [{ units }] = useDeskPreferences();
  const [sighting, setSighting] = useState<Sighting>({
    ...WITHIN,
    elevationDeg: null,
    distanceM: null,
    text: '',
    ...start,
  });
  const set = (part: Partial<Sighting>) => setSighting((before) => ({ ...before, ...part }));
  const report = reportOf(sighting);
  const length = shownUnit('length', units);
  return (
    <form
      className={FORM_GRID}
      onSubmit={(event) => {
        event.preventDefault();
        if (report && !isSending) onSend(report);
      }}
    >
      <TimeField label="Seen at" ms={sighting.atMs} onChange={(atMs) => set({ atMs })} />
      <PlaceField label="From" place={sighting.place} isRequired onChange={(place) => set({ place })} />
      <NumberField
        label="Bearing, true"
        unit="°"
        min={0}
        max={360}
        value={sighting.bearingDeg ?? null}
        emptyMeans="0–360"
        onChange={(bearing) => set({ bearingDeg: bearing ?? undefined })}
      />
      <NumberField
        label="Bearing ±"
        unit="°"
        min={0}
        max={45}
        value={sighting.bearingWithinDeg}
        onChange={(bearingWithinDeg) => bearingWithinDeg !== null && set({ bearingWithinDeg })}
      />
      <NumberField
        label="Time ±"
        unit="s"
        min={0}
        max={900}
        value={sighting.atWithinS}
        onChange={(atWithinS) => atWithinS !== null && set({ atWithinS })}
      />
      <NumberField
        label="Elevation"
        unit="°"
        min={-90}
        max={90}
        value={sighting.elevationDeg}
        emptyMeans="not known"
        onChange={(elevationDeg) => set({ elevationDeg })}
      />
      {sighting.elevationDeg !== null && (
        <NumberField
          label="Elevation ±"
          unit="°"
          min={0}
          max={90}
          value={sighting.elevationWithinDeg}
          onChange={(elevationWithinDeg) => elevationWithinDeg !== null && set({ elevationWithinDeg })}
        />
      )}
      <NumberField
        label="Distance"
        {...length}
        min={1}
        max={100_000}
        value={sighting.distanceM}
        emptyMeans="not known"
        onChange={(distanceM) => set({ distanceM })}
      />
      {sighting.distanceM !== null && (
        <NumberField
          label="Distance ±"
          {...length}
          min={0}
          max={100_000}
          value={sighting.distanceWithinM}
          onChange={(distanceWithinM) => distanceWithinM !== null && set({ distanceWithinM })}
        />
      )}
      <div data-whole-row>
        <WordsField
          label="Words"
          text={sighting.text}
          rows={2}
          maxLength={SIGHTING_TEXT_MAX_LENGTH}
          placeholder="As the person said it"
          onChange={(text) => set({ text })}
        />
      </div>
      {error && (
        <p role="alert" className="text-bad">
          {failureMessage(error)}
        </p>
      )}
      <Button type="submit" look="primary" disabled={!report || isSending}>
        {isSending ? 'Checking…' : action}
      </Button>
    </form>
  );
}

/** `undefined` while place or bearing are missing. */
function reportOf(sighting: Sighting): SightingReport | undefined {
  const { atMs, place, bearingDeg, elevationDeg, distanceM } = sighting;
  if (!place || bearingDeg === undefined) return undefined;
  return {
    at: isoTime(atMs),
    at_within_s: sighting.atWithinS,
    place: [place.lon, place.lat],
    bearing_deg: bearingDeg,
    bearing_within_deg: sighting.bearingWithinDeg,
    elevation_deg: elevationDeg,
    elevation_within_deg: elevationDeg === null ? null : sighting.elevationWithinDeg,
    distance_m: distanceM,
    distance_within_m: distanceM === null ? null : sighting.distanceWithinM,
    text: sighting.text,
  };
}

interface SightingResultProps {
  readonly check: SightingCheck;
  /** Makes the way to the replay at that second; default: words alone. */
  readonly wayTo?: (sight: SightAnswer, words: ReactNode) => ReactNode;
}

/** What a sighting fits, what it does not, and what was not watched. */
export function SightingResult({ check, wayTo = (_, words) => words }: SightingResultProps) {
  const [{ zone: clock }] = useDeskPreferences();
  const { fits, fits_count, nearest_miss, sky, not_watched } = check;
  const left = fits_count - fits.length;
  return (
    <div className="flex flex-col gap-3" data-testid="sighting-result" translate="no">
      <section aria-label="Fits" className="flex flex-col gap-1">
        <h3 className="font-semibold">
          {fits_count === 0
            ? 'No received track fits.'
            : `${fits_count} received ${fits_count === 1 ? 'track fits' : 'tracks fit'}`}
        </h3>
        {fits.length > 0 && (
          <ol className="flex flex-col gap-1">
            {fits.map((sight) => (
              <li key={`${sight.track} ${sight.at}`}>{wayTo(sight, <SightWords sight={sight} />)}</li>
            ))}
            {left > 0 && <li className="text-dim">and {left} more</li>}
          </ol>
        )}
        {nearest_miss && (
          <p className="flex flex-wrap items-baseline gap-x-1.5">
            <span className="text-dim">Nearest that does not fit:</span>
            {wayTo(nearest_miss, <SightWords sight={nearest_miss} />)}
          </p>
        )}
      </section>
      <section aria-label="Sky">
        <h3 className="font-semibold">
          {sky.length === 0 ? 'No planet or bright star there' : 'In that direction of the sky'}
        </h3>
        <ul>
          {sky.map(({ body, azimuth_deg, altitude_deg, off_deg }) => (
            <li key={body}>
              {body} {bearingText(azimuth_deg)}, {Math.round(altitude_deg)}° high · off by {degrees(off_deg)}
            </li>
          ))}
        </ul>
        <p className="text-dim">Satellites are not checked.</p>
      </section>
      <section aria-label="Not watched">
        <h3 className="font-semibold">
          {not_watched.length === 0 ? 'Watched at that time' : 'Not watched, so not known'}
        </h3>
        <ul>
          {not_watched.map(({ from, to, layer, reason }) => (
            <li key={`${layer} ${from} ${reason}`}>
              {LAYER_NAME[layer]} {clockRangeText({ start: instantOf(from), end: instantOf(to) }, clock)}:{' '}
              {PAST_REASONS[reason].past}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function SightWords({ sight }: { readonly sight: SightAnswer }) {
  const [{ units, zone: clock }] = useDeskPreferences();
  const { track, layer, at, off_deg, distance_m, elevation_deg, simulated, test } = sight;
  const facts = [
    `off by ${degrees(off_deg)}`,
    distanceText(units, distance_m),
    elevation_deg === null ? 'height not known' : `${Math.round(elevation_deg)}° high, possibly`,
    clockText(instantOf(at), clock),
  ];
  return (
    <span>
      <span className="font-semibold">
        {[simulated ? 'SIM' : '', test ? 'TEST' : '', KIND_TEXT[layer === 'rid' ? 'drone' : 'aircraft']]
          .filter(Boolean)
          .join(' ')}{' '}
        <span className="font-mono">{shortReference(track)}</span>
      </span>{' '}
      · {facts.join(' · ')}
    </span>
  );
}

function degrees(value: number): string {
  return `${Number(value.toFixed(1))}°`;
}
