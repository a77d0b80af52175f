'use client';

import { Circle, Crosshair, FolderPlus, Hexagon, Pencil, SearchCheck, Undo2, X } from 'lucide-react';
import { type SubmitEvent, useEffect, useId, useState } from 'react';
import {
  type AreaTool,
  type DrawingState,
  draftOf,
  type Finished,
  finishedArea,
  isChangeable,
  startDrawing,
  withCorner,
  withoutLastCorner,
} from '#lib/client/area/drawing-state.ts';
import { replayOfArea } from '#lib/client/page/drawn-area.ts';
import {
  useFilter,
  useLookout,
  useMay,
  usePreferences,
  useReplay,
  useValue,
} from '#lib/client/page/lookout-context.tsx';
import { lastMinutes, readSpan, spanText } from '#lib/client/replay/window-form.ts';
import { drawnArea } from '#lib/filter/track-filter.ts';
import { type Area, type Circle as CircleArea, type Polygon, polygonOf } from '#lib/geo/area.ts';
import { formatArea } from '#lib/geo/area-parameter.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import { distanceText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';

const FIELD = 'h-7 rounded-control border border-edge bg-background px-2 font-mono aria-invalid:border-bad phone:h-11';
/** A circle that is placed without a pointer begins with this radius. */
const FIRST_RADIUS_M = 1000;

/**
 * The area that filters positions, below the map: it is drawn, changed, typed or placed in the middle of the map, and asks which
 * tracks were in it.
 */
export function AreaStrip() {
  const { drawing } = useLookout();
  const { filter, change } = useFilter();
  const [{ units }] = usePreferences();
  const state = useValue(drawing);
  const { isForFilter } = drawing;
  const area = isForFilter ? drawnArea(filter) : undefined;
  const [typedProblem, setTypedProblem] = useState<string>();
  if (!area && state.tool === undefined) return null;
  const problem = state.problem ?? typedProblem;

  const keep = (read: Finished) => {
    const finished = read.area ? finishedArea(read.area) : read;
    setTypedProblem(finished.problem);
    if (!finished.area) return;
    if (isForFilter) change({ inside: finished.area });
    drawing.end(finished.area);
  };
  const drawn = area && isChangeable(area) ? area : undefined;
  const kind = state.tool === 'circle' || state.tool === 'polygon' ? state.tool : (drawn?.kind ?? 'circle');
  const remove = () => {
    drawing.end();
    setTypedProblem(undefined);
    if (isForFilter) change({ inside: undefined });
  };
  // A phone has room for the question alone.
  const whileDrawn = state.tool === undefined && area ? 'phone:hidden' : '';
  return (
    <section
      aria-label="Area"
      data-testid="area-strip"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 phone:gap-x-1.5 border-line border-t bg-surface px-3 py-1 text-table phone:px-2"
    >
      <h2 className={classNames('font-semibold', isForFilter && 'phone:sr-only')}>
        {isForFilter ? 'Area' : 'Area of the permit'}
      </h2>
      <span className={classNames('flex items-center gap-1', whileDrawn)}>
        <ToolButton tool="circle" label="Draw a circle" />
        <ToolButton tool="polygon" label="Draw a polygon" />
      </span>
      {drawn && (
        <IconButton
          look="quiet"
          label={state.tool === 'change' ? 'Stop changing the area' : 'Change the area on the map'}
          icon={<Pencil />}
          aria-pressed={state.tool === 'change'}
          onClick={() => drawing.toggle('change')}
        />
      )}
      {area && !drawn && state.tool === undefined ? (
        <p className={whileDrawn}>{unchangeableText(area, units)}</p>
      ) : (
        <>
          <AreaFields
            key={drawn?.kind === kind ? formatArea(drawn) : kind}
            kind={kind}
            area={drawn}
            onTyped={keep}
            className={whileDrawn}
          />
          <MiddleButton kind={kind} area={drawn} onPlaced={keep} className={whileDrawn} />
        </>
      )}
      {state.tool === 'polygon' && state.corners.length > 0 && (
        <>
          <IconButton
            look="quiet"
            label="Remove the last corner"
            shortcut="Backspace"
            icon={<Undo2 />}
            onClick={() => drawing.change(withoutLastCorner)}
          />
          <Button
            onClick={() =>
              keep({ area: draftOf({ ...state, pointer: undefined }) ?? { kind: 'polygon', corners: [] } })
            }
          >
            Finish
          </Button>
        </>
      )}
      <p role="status" className={classNames('min-w-0 empty:sr-only', problem === undefined ? 'text-dim' : 'text-bad')}>
        {problem ?? drawingHint(state)}
      </p>
      <span className="ml-auto flex items-center gap-2 phone:gap-1">
        {area && <Question />}
        {area && <IncidentButton />}
        <IconButton look="quiet" label={isForFilter ? 'Remove the area' : 'Cancel'} icon={<X />} onClick={remove} />
      </span>
    </section>
  );
}

function ToolButton({ tool, label }: { readonly tool: AreaTool; readonly label: string }) {
  const { drawing } = useLookout();
  const isActive = useValue(drawing).tool === tool;
  return (
    <IconButton
      look="quiet"
      label={label}
      icon={tool === 'circle' ? <Circle /> : <Hexagon />}
      aria-pressed={isActive}
      onClick={() => drawing.toggle(tool)}
    />
  );
}

interface AreaFieldsProps {
  readonly kind: AreaTool;
  readonly area: CircleArea | Polygon | undefined;
  readonly onTyped: (read: Finished) => void;
  readonly className: string;
}

function AreaFields({ kind, area, onTyped, className }: AreaFieldsProps) {
  const shown = area?.kind === kind ? area : undefined;
  const [places, setPlaces] = useState(shown ? placesText(shown) : '');
  const [radius, setRadius] = useState(shown?.kind === 'circle' ? String(shown.radiusM) : '');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onTyped(kind === 'circle' ? readCircle(places, radius) : readPolygon(places));
  };
  return (
    <form onSubmit={submit} className={classNames('flex min-w-0 items-center gap-1.5', className)}>
      <input
        aria-label={kind === 'circle' ? 'Centre' : 'Corners, separated by semicolons'}
        placeholder={kind === 'circle' ? '47.458, 8.548' : '47.45, 8.54; 47.46, 8.56; …'}
        value={places}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setPlaces(event.target.value)}
        className={`${FIELD} ${kind === 'circle' ? 'w-44' : 'w-56 max-w-full'}`}
      />
      {kind === 'circle' && (
        <>
          <input
            aria-label="Radius, m"
            placeholder="1200"
            inputMode="decimal"
            value={radius}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setRadius(event.target.value)}
            className={`${FIELD} w-20`}
          />
          <span className="text-dim">m</span>
        </>
      )}
      {/* Enter submits a form of two fields only if it has a button. */}
      <Button type="submit" shape="small-text" className="sr-only focus:not-sr-only">
        Set
      </Button>
    </form>
  );
}

/** Draws without a pointer: the arrow keys move the map below its middle. */
function MiddleButton({
  kind,
  area,
  onPlaced,
  className,
}: {
  readonly kind: AreaTool;
  readonly area: Area | undefined;
  readonly onPlaced: (read: Finished) => void;
  readonly className: string;
}) {
  const { drawing, mapView } = useLookout();
  const place = () => {
    const { lon, lat } = mapView.get();
    const middle = { lon: wrapLongitude(lon), lat };
    if (kind === 'polygon') {
      drawing.change((state) => withCorner(state.tool === 'polygon' ? state : startDrawing('polygon'), middle));
    } else
      onPlaced({ area: { kind, centre: middle, radiusM: area?.kind === 'circle' ? area.radiusM : FIRST_RADIUS_M } });
  };
  return (
    <IconButton
      look="quiet"
      label={kind === 'polygon' ? 'Corner in the middle of the map' : 'Centre in the middle of the map'}
      icon={<Crosshair />}
      className={className}
      onClick={place}
    />
  );
}

/** On a phone, the map's tools have it. */
function IncidentButton() {
  const { incidents } = useLookout();
  if (!useMay('watch')) return null;
  return (
    <IconButton
      look="quiet"
      label="New incident of this area"
      icon={<FolderPlus />}
      className="phone:hidden"
      onClick={() => incidents.set({ do: 'open', source: { from: 'area' } })}
    />
  );
}

function Question() {
  const lookout = useLookout();
  const replayed = useReplay((summary) => summary?.playback.window);
  const now = lookout.feed.presumedNow();
  const [text, setText] = useState(() => spanText(lastMinutes(lookout.preferences.get().replayMinutes, now), now));
  useEffect(() => {
    if (replayed) setText(spanText(replayed, lookout.feed.presumedNow()));
  }, [replayed, lookout]);
  const [problem, setProblem] = useState<string>();
  const problemId = useId();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const read = readSpan(text, lookout.feed.presumedNow());
    setProblem(read.problem);
    if (read.window) replayOfArea(lookout, read.window);
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-1.5">
      {problem !== undefined && (
        <span id={problemId} role="alert" className="text-bad">
          {problem}
        </span>
      )}
      <input
        aria-label="From–to, UTC"
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : problemId}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        className={`${FIELD} w-36`}
      />
      <Button type="submit" look={replayed ? 'plain' : 'primary'}>
        <SearchCheck aria-hidden size={14} className="phone:hidden" />
        Tracks here?
      </Button>
    </form>
  );
}

/** An area that came from a zone and has no fields here. */
function unchangeableText(area: Area, units: UnitSystem): string {
  return area.kind === 'corridor'
    ? `Corridor, ${distanceText(units, area.halfWidthM)} to each side`
    : 'Polygon with holes';
}

export function drawingHint({ tool, corners }: DrawingState): string {
  switch (tool) {
    case 'circle':
      return corners.length === 0 ? 'Drag on the map from the centre outwards.' : 'Click where the circle ends.';
    case 'polygon':
      return corners.length < 3 ? 'Click the corners on the map.' : 'Click the first corner again to finish.';
    case 'change':
      return 'Drag a corner, the middle of an edge, or a centre.';
    case undefined:
      return '';
  }
}

export function placesText(area: Area): string {
  switch (area.kind) {
    case 'circle':
      return placeText(area.centre);
    case 'polygon':
      return area.corners.map(placeText).join('; ');
    case 'corridor':
      return area.line.map(placeText).join('; ');
  }
}

function placeText({ lon, lat }: LonLat): string {
  return `${Number(lat.toFixed(6))}, ${Number(wrapLongitude(lon).toFixed(6))}`;
}

export function readCircle(centreText: string, radiusText: string): Finished {
  const centre = parseCoordinates(centreText);
  if (!centre) return { problem: 'Write the centre as 47.458, 8.548.' };
  if (!centre.ok) return { problem: centre.problem };
  const radiusM = Number(radiusText.trim().replace(/\s*m$/, '').replace(',', '.'));
  if (radiusText.trim() === '' || !Number.isFinite(radiusM))
    return { problem: 'Write the radius in metres, such as 1200.' };
  return { area: { kind: 'circle', centre: centre.place, radiusM } };
}

export function readPolygon(text: string): Finished {
  const corners: LonLat[] = [];
  for (const part of text.split(/[;\n]/).filter((each) => each.trim() !== '')) {
    const read = parseCoordinates(part);
    if (!read) return { problem: `“${part.trim()}” is no place: write corners as 47.45, 8.54; 47.46, 8.56.` };
    if (!read.ok) return { problem: read.problem };
    corners.push(read.place);
  }
  return { area: polygonOf(corners) };
}
