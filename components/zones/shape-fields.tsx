'use client';

import { useQuery } from '@tanstack/react-query';
import { Crosshair, MousePointerClick } from 'lucide-react';
import { useId, useState } from 'react';
import type { FoundPlace, FoundRunway } from '#lib/api/places-answer.ts';
import { useHasMap, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { isPlaceText, placesNearQuery, placesQuery } from '#lib/client/page/places-query.ts';
import { useRested } from '#lib/client/request/use-rested.ts';
import {
  type ShapeType,
  shapePlaces,
  withHalfWidth,
  withShape,
  withShapeType,
  type ZoneDraft,
} from '#lib/client/zones/zone-draft.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { shownUnit } from '#lib/model/units.ts';
import { typedShape } from '#lib/zones/typed-shape.ts';
import { ZONE_LIMITS } from '#lib/zones/zone-limits.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { FIELD, FormPart, NumberField } from '../ui/form-fields.tsx';
import { SHAPE_TEXT } from './zone-text.ts';

const TYPES = [
  ...(['Polygon', 'Circle', 'Corridor'] as const).map((value) => ({ value, label: SHAPE_TEXT[value] })),
  { value: 'Airport' as const, label: 'Airport' },
];
const FIRST_RADIUS_M = 1000;
const CORNERS_HINT = 'On the map: drag a corner, the middle of an edge to add one, or the cross to move all of it.';
const CHANGE_HINT: Readonly<Record<ShapeType, string>> = {
  Polygon: CORNERS_HINT,
  Circle: 'On the map: drag the edge to change the radius, or the cross to move all of it.',
  Corridor: CORNERS_HINT,
};

interface ShapeFieldsProps {
  readonly draft: ZoneDraft;
  readonly problem: string | undefined;
  /** Lowers the sheet of a phone. */
  readonly onDraw: () => void;
}

/** The shape of a zone: a polygon, a circle or a corridor, drawn on the map, typed as places, or along a runway. */
export function ShapeFields({ draft, problem, onDraw }: ShapeFieldsProps) {
  const { zones } = useLookout();
  const hasMap = useHasMap();
  const [isAirport, setAirport] = useState(draft.preset === 'runway' && !draft.shape);
  const { shape, shapeType, isDrawing } = draft;
  const type = isAirport ? 'Airport' : shapeType;
  const choose = (value: ShapeType | 'Airport') => {
    setAirport(value === 'Airport');
    const wasDrawing = zones.stopDrawing();
    zones.change((state) => ({
      ...withShapeType(state, value === 'Airport' ? 'Corridor' : value),
      isDrawing: wasDrawing && value !== 'Airport',
    }));
  };
  return (
    <FormPart title="Shape" problem={problem}>
      <ChoiceRow label="Type of shape" hidesLabel value={type} choices={TYPES} onChange={choose} />
      {isAirport && <AirportField />}
      {!isAirport && !hasMap && <p className="text-caption text-dim">Without a map, type the places of the shape.</p>}
      {!isAirport && hasMap && (
        <Button
          look={shape || isDrawing ? 'plain' : 'primary'}
          aria-pressed={isDrawing}
          onClick={() => {
            if (zones.stopDrawing()) return;
            zones.change((state) => ({ ...state, isDrawing: true }));
            onDraw();
          }}
        >
          <MousePointerClick aria-hidden size={14} />
          {isDrawing ? 'Stop drawing' : shape ? 'Draw again' : 'Draw on the map'}
        </Button>
      )}
      {shape && !isDrawing && hasMap && <p className="text-caption text-dim">{CHANGE_HINT[shapeType]}</p>}
      {(!isAirport || shape) && <PlacesField key={`${shapeType} ${shape ? shapePlaces(shape) : ''}`} draft={draft} />}
    </FormPart>
  );
}

const PLACES_LABEL: Readonly<Record<ShapeType, string>> = {
  Polygon: 'Corners, one per line',
  Circle: 'Centre',
  Corridor: 'Points, one per line',
};

/** The places of a shape as text, by which a shape is made without a pointer. */
function PlacesField({ draft }: { readonly draft: ZoneDraft }) {
  const { zones, mapView, mapCommands } = useLookout();
  const hasMap = useHasMap();
  const [{ units }] = usePreferences();
  const id = useId();
  const { shape, shapeType } = draft;
  const [text, setText] = useState(shape ? shapePlaces(shape) : '');
  const [problem, setProblem] = useState<string>();
  const [radiusM, setRadiusM] = useState(shape?.type === 'Circle' ? shape.radius_m : FIRST_RADIUS_M);
  const widthM = shapeType === 'Circle' ? radiusM : draft.halfWidthM;

  const apply = (typed: string, typedWidthM: number) => {
    if (typed.trim() === '') return setProblem(undefined);
    // The text of a shape lacks its holes and digits: unchanged, it must not replace the shape.
    if (shape && typed === shapePlaces(shape) && typedWidthM === widthM) return setProblem(undefined);
    const read = typedShape({ type: shapeType, text: typed.replaceAll(';', '\n'), metres: typedWidthM });
    setProblem(read.ok ? undefined : read.problems.map((each) => `${each.place}: ${each.problem}`).join(' '));
    if (read.ok) zones.change((state) => withShape(state, read.shape));
  };
  const addMiddle = () => {
    const { lon, lat } = mapView.get();
    const place = `${lat.toFixed(6)}, ${wrapLongitude(lon).toFixed(6)}`;
    const added = shapeType === 'Circle' || text.trim() === '' ? place : `${text.trimEnd()}\n${place}`;
    setText(added);
    apply(added, widthM);
  };
  const chooseAirport = ({ lat, lon, name, codes }: FoundPlace) => {
    const place = `${lat.toFixed(6)}, ${lon.toFixed(6)}`;
    setText(place);
    apply(place, widthM);
    zones.change((state) => ({ ...state, name: state.name === '' ? (codes[0] ?? name) : state.name }));
    mapCommands.run({ kind: 'centre', lon, lat, zoom: 12 });
  };
  const changeWidth = (value: number | null) => {
    if (value === null) return;
    if (shapeType === 'Corridor') zones.change((state) => withHalfWidth(state, value));
    else {
      setRadiusM(value);
      if (shape?.type === 'Circle') zones.change((state) => withShape(state, { ...shape, radius_m: value }));
    }
  };
  return (
    <>
      <label htmlFor={id}>{PLACES_LABEL[shapeType]}</label>
      <textarea
        id={id}
        rows={shapeType === 'Circle' ? 1 : 3}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder={shapeType === 'Circle' ? '47.458, 8.548' : '47.45, 8.54\n47.46, 8.56\n47.44, 8.57'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => apply(text, widthM)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(shapeType === 'Circle' || event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          apply(text, widthM);
        }}
        className={`${FIELD} py-1 font-mono`}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="text-bad text-caption">
          {problem}
        </p>
      )}
      <div className="flex items-center justify-between gap-2">
        <Button shape="small-text" onClick={addMiddle}>
          <Crosshair aria-hidden size={14} />
          {hasMap ? 'Middle of the map' : 'Middle of the area'}
        </Button>
        <span className="text-caption text-dim">Decimal, DMS or MGRS</span>
      </div>
      {shapeType === 'Circle' && !shape && <NearAirports onChoose={chooseAirport} />}
      {shapeType !== 'Polygon' && (
        <NumberField
          label={shapeType === 'Circle' ? 'Radius' : 'Width to each side'}
          {...shownUnit('length', units)}
          {...(shapeType === 'Circle' ? ZONE_LIMITS.radius_m : ZONE_LIMITS.half_width_m)}
          value={widthM}
          onChange={changeWidth}
        />
      )}
    </>
  );
}

const RESTED_MS = 200;
const SHOWN_MAX = 6;
const NEAR_MAX = 3;

/** The airports with known runways that were nearest to the middle of the map when the form opened. */
function useNearAirports(): readonly FoundPlace[] {
  const { mapView } = useLookout();
  const [middle] = useState(() => {
    const { lat, lon } = mapView.get();
    return { lat, lon: wrapLongitude(lon) };
  });
  const { data } = useQuery(placesNearQuery(middle));
  return (data?.results ?? []).filter(({ runways }) => runways.length > 0).slice(0, NEAR_MAX);
}

/** Buttons that put the centre of a circle at an airport. */
function NearAirports({ onChoose }: { readonly onChoose: (airport: FoundPlace) => void }) {
  const airports = useNearAirports();
  return (
    <div className="flex flex-wrap gap-1.5 empty:hidden">
      {airports.map((airport) => (
        <Button
          key={`${airport.codes.join()} ${airport.name}`}
          shape="small-text"
          aria-label={`Around ${airport.name}`}
          title={airport.name}
          onClick={() => onChoose(airport)}
        >
          {airport.codes[0] ?? airport.name}
        </Button>
      ))}
    </div>
  );
}

/** Finds an airport. The runway that is chosen becomes the line of a corridor. */
function AirportField() {
  const { zones, mapCommands } = useLookout();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState('');
  const wanted = useRested(text.trim(), RESTED_MS);
  const { data, error } = useQuery({ ...placesQuery(wanted), enabled: isPlaceText(wanted) });
  const near = useNearAirports();
  const found = (data?.results ?? []).filter(({ runways }) => runways.length > 0).slice(0, SHOWN_MAX);
  const airports = text.trim() === '' ? near : found;
  const choose = ({ name, codes, lat, lon }: FoundPlace, runway: FoundRunway) => {
    const airport = codes[0] ?? name;
    setChosen(`${airport} ${runway.name}`);
    mapCommands.run({ kind: 'centre', lon, lat, zoom: 12 });
    zones.change((draft) => ({
      ...withShape(
        draft,
        { type: 'Corridor', line: [...runway.ends], half_width_m: draft.halfWidthM },
        { name: runway.name, line: [...runway.ends] },
      ),
      name: draft.name === '' ? `${airport} ${runway.name}` : draft.name,
    }));
  };
  return (
    <>
      <label className="flex flex-col gap-1">
        Airport, by name or code
        <input
          type="search"
          value={text}
          placeholder="LSZH"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          className={FIELD}
        />
      </label>
      {error && (
        <p role="alert" className="text-bad">
          The airports could not be read. Try again.
        </p>
      )}
      {text.trim() === '' && near.length > 0 && <p className="text-caption text-dim">Near the middle of the map:</p>}
      {data && text.trim() !== '' && airports.length === 0 && (
        <p role="status" className="text-dim">
          No airport of this name with a known runway.
        </p>
      )}
      {airports.map((airport) => (
        <div key={`${airport.codes.join()} ${airport.name}`} className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 basis-full">
            <span className="font-medium">{airport.codes.join(' / ')}</span> {airport.name}
          </span>
          {airport.runways.map((runway) => (
            <Button
              key={runway.name}
              aria-pressed={chosen === `${airport.codes[0] ?? airport.name} ${runway.name}`}
              aria-label={`Runway ${runway.name} of ${airport.name}`}
              onClick={() => choose(airport, runway)}
            >
              {runway.name}
            </Button>
          ))}
        </div>
      ))}
    </>
  );
}
