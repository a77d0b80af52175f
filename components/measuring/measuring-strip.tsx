'use client';

import { Plus, Ruler, Target, Undo2, X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { AnchorStatus, Leg, MeasuringReading, PlacedAnchor } from '#lib/client/measuring/measuring.ts';
import { ended, NOTHING_MEASURED, placed, withoutLast } from '#lib/client/measuring/measuring-state.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { MAX_RING_RADII, MAX_RING_RADIUS } from '#lib/client/page/preferences.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { bearingText, DISTANCE_UNIT, distanceText } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

const SPOKEN_EVERY_MS = 15_000;

/**
 * The measurement in words and as controls: legs with distances and bearings, and range rings. The strip is below the map,
 * where it covers no mark.
 */
export function MeasuringStrip() {
  const { measuring } = useLookout();
  const { tool, points } = useValue(measuring.state);
  const reading = useValue(measuring.reading);
  const hasMeasurement = tool === 'measure' || points.length > 0;
  const hasRings = tool === 'rings' || reading.ringCentres.length > 0;
  if (!hasMeasurement && !hasRings) return null;
  return (
    <section
      aria-label="Measuring"
      translate="no"
      data-testid="measuring"
      className="border-line border-t bg-surface text-table"
    >
      {hasMeasurement && <Measurement reading={reading} isPlacing={tool === 'measure'} />}
      {hasRings && <Rings reading={reading} isPlacing={tool === 'rings'} />}
    </section>
  );
}

interface PartProps {
  readonly reading: MeasuringReading;
  /** Whether clicks on the map place its points. */
  readonly isPlacing: boolean;
}

function Measurement({ reading, isPlacing }: PartProps) {
  const { measuring } = useLookout();
  const [{ units }] = usePreferences();
  const { points, legs } = reading;
  const occasion = `${isPlacing} ${points.map(({ ref, status }) => `${ref} ${status}`).join()} ${units}`;
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new leg is brought into view.
  useEffect(() => {
    if (list.current) list.current.scrollLeft = list.current.scrollWidth;
  }, [legs.length]);
  const spoken = usePacedText(spokenReading(units, reading), occasion, SPOKEN_EVERY_MS);
  return (
    <Row icon={<Ruler aria-hidden size={15} />} title="Measure">
      <p role="status" className="sr-only">
        {points.length === 0 ? 'Measuring: place the first point.' : spoken}
      </p>
      {legs.length === 0 && (
        <span className="text-dim">
          {points[0] ? `From ${pointText(points[0], 0)}: click the next place or mark.` : 'Click places or marks.'}
        </span>
      )}
      {legs.length > 0 && (
        <ol
          ref={list}
          aria-label="Legs"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: more legs than fit are scrolled to by keyboard.
          tabIndex={0}
          className="flex min-w-0 gap-4 overflow-x-auto whitespace-nowrap"
          data-testid="legs"
        >
          {legs.map((leg, index) => {
            const [from, to] = [points[index], points[index + 1]];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a leg is its place in the measurement.
              <li key={index} data-metres={leg.distanceM}>
                <span className="text-dim">
                  {from && pointText(from, index)} → {to && pointText(to, index + 1)}
                </span>{' '}
                <span className="font-medium font-mono">{legText(units, leg)}</span>
              </li>
            );
          })}
        </ol>
      )}
      {legs.length > 1 && (
        <span
          className="shrink-0 whitespace-nowrap border-line border-l pl-3"
          data-testid="total"
          data-metres={reading.totalM}
        >
          <span className="text-dim">Total</span>{' '}
          <span className="font-mono font-semibold">{totalText(units, reading)}</span>
        </span>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-1">
        {isPlacing && <MiddleButton label="Add the middle of the map" />}
        {isPlacing && points.length > 0 && (
          <IconButton
            look="quiet"
            label="Remove the last point"
            shortcut="Backspace"
            icon={<Undo2 />}
            onClick={() => measuring.change(withoutLast)}
          />
        )}
        {isPlacing && legs.length > 0 && <Button onClick={() => measuring.change(ended)}>Done</Button>}
        <IconButton
          look="quiet"
          label="Clear the measurement"
          icon={<X />}
          onClick={() => measuring.change((state) => ({ ...state, tool: undefined, points: NOTHING_MEASURED.points }))}
        />
      </span>
    </Row>
  );
}

function Rings({ reading, isPlacing }: PartProps) {
  const { measuring } = useLookout();
  const [{ units }] = usePreferences();
  return (
    <Row icon={<Target aria-hidden size={15} />} title="Range rings">
      {isPlacing ? (
        <span className="min-w-0 text-dim">Click their centre: a place or a mark.</span>
      ) : (
        <>
          <RadiiField key={units} units={units} />
          <ul className="flex min-w-0 gap-3 overflow-x-auto whitespace-nowrap" data-testid="ring-centres">
            {reading.ringCentres.map((centre) => (
              <li key={centre.ref ?? 'place'} className="flex items-center">
                <span className="text-dim">around</span>&nbsp;
                <span className="font-medium">{anchorText(centre)}</span>
                <IconButton
                  look="quiet"
                  shape="small-icon"
                  label={`Remove the range rings around ${anchorText(centre)}`}
                  icon={<X />}
                  onClick={() =>
                    measuring.change((state) =>
                      centre.ref === undefined ? { ...state, ringPlace: undefined } : { ...state, ringRef: undefined },
                    )
                  }
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {isPlacing && (
        <span className="ml-auto flex shrink-0 items-center gap-1">
          <MiddleButton label="Around the middle of the map" />
          <Button onClick={() => measuring.change(ended)}>Cancel</Button>
        </span>
      )}
    </Row>
  );
}

function RadiiField({ units }: { readonly units: UnitSystem }) {
  const [{ ringRadii }, change] = usePreferences();
  const [text, setText] = useState(ringRadii[units].join(', '));
  const input = parseRadii(text);
  const problemId = useId();
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      <input
        type="text"
        inputMode="decimal"
        aria-label={`Radii, ${DISTANCE_UNIT[units]}`}
        aria-invalid={!input.ok}
        aria-describedby={input.ok ? undefined : problemId}
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setText(event.target.value);
          const entered = parseRadii(event.target.value);
          if (entered.ok) change({ ringRadii: { ...ringRadii, [units]: entered.radii } });
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.blur();
        }}
        className="h-7 w-32 rounded-control border border-edge bg-background px-2 font-mono aria-invalid:border-bad phone:h-11"
      />
      <span className="text-dim">{DISTANCE_UNIT[units]}</span>
      {!input.ok && (
        <span id={problemId} role="alert" className="text-bad">
          {input.problem}
        </span>
      )}
    </span>
  );
}

function MiddleButton({ label }: { readonly label: string }) {
  const { measuring, mapView } = useLookout();
  return (
    <IconButton
      look="quiet"
      label={label}
      icon={<Plus />}
      onClick={() => {
        const { lon, lat } = mapView.get();
        measuring.change((state) => placed(state, { place: { lon: wrapLongitude(lon), lat } }));
      }}
    />
  );
}

interface RowProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}

/** The height is fixed: the map must not move while an operator measures. */
function Row({ icon, title, children }: RowProps) {
  return (
    <div className="flex h-10 items-center gap-3 px-3 phone:h-12 phone:px-2">
      <h2 className="flex shrink-0 items-center gap-1.5 font-semibold">
        {icon}
        <span className="phone:sr-only">{title}</span>
      </h2>
      {children}
    </div>
  );
}

/** A text that is updated at once when `occasion` changes, otherwise at most every `everyMs`. */
function usePacedText(text: string, occasion: string, everyMs: number): string {
  const [said, setSaid] = useState({ text, occasion });
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => setSaid({ text: latest.current, occasion }), [occasion]);

  const isBehind = said.text !== text;
  useEffect(() => {
    if (!isBehind) return;
    const timer = setTimeout(() => setSaid((before) => ({ ...before, text: latest.current })), everyMs);
    return () => clearTimeout(timer);
  }, [isBehind, everyMs]);

  return said.text;
}

const STATUS: Readonly<Record<AnchorStatus, string | undefined>> = {
  place: undefined,
  current: undefined,
  expired: 'expired',
  ended: 'no longer received',
  unseen: 'not shown at this time',
};

/** The number of a point and its track, such as `2` or `2 SIM 7F3A1 (expired)`. */
export function pointText(anchor: PlacedAnchor, index: number): string {
  return anchor.ref === undefined ? String(index + 1) : `${index + 1} ${anchorText(anchor)}`;
}

export function anchorText({ ref, status, at, simulated, testBroadcast }: PlacedAnchor): string {
  if (ref === undefined) return at ? `${at.lat.toFixed(4)}, ${at.lon.toFixed(4)}` : '';
  const tags = `${simulated ? 'SIM ' : ''}${testBroadcast ? 'TEST ' : ''}`;
  const state = STATUS[status];
  return `${tags}${shortReference(ref)}${state === undefined ? '' : ` (${state})`}`;
}

export function legText(units: UnitSystem, { distanceM, bearingDeg }: Leg): string {
  if (distanceM === undefined) return 'not known';
  return `${distanceText(units, distanceM)}${bearingDeg === undefined ? '' : ` · ${bearingText(bearingDeg)} true`}`;
}

export function totalText(units: UnitSystem, { totalM }: MeasuringReading): string {
  return totalM === undefined ? 'not known' : distanceText(units, totalM);
}

export function spokenReading(units: UnitSystem, reading: MeasuringReading): string {
  const { points, legs } = reading;
  if (points.length === 0) return '';
  const first = points[0];
  if (legs.length === 0 && first) return `Point ${pointText(first, 0)}.`;
  const said = legs.map((leg, index) => {
    const [from, to] = [points[index], points[index + 1]];
    return from && to ? `${pointText(from, index)} to ${pointText(to, index + 1)}: ${legText(units, leg)}` : '';
  });
  return `${said.join('; ')}.${legs.length > 1 ? ` Total ${totalText(units, reading)}.` : ''}`;
}

type RadiiInput = { readonly ok: true; readonly radii: number[] } | { readonly ok: false; readonly problem: string };

/** Reads numbers separated by commas or spaces: ascending, each once. */
export function parseRadii(text: string): RadiiInput {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { ok: false, problem: 'Enter at least one radius.' };
  const radii: number[] = [];
  for (const part of parts) {
    const radius = /^\d{1,5}(\.\d{1,3})?$/.test(part) ? Number(part) : 0;
    if (radius <= 0 || radius > MAX_RING_RADIUS)
      return { ok: false, problem: `“${part}” is no radius above 0 and up to ${MAX_RING_RADIUS}.` };
    if (!radii.includes(radius)) radii.push(radius);
  }
  if (radii.length > MAX_RING_RADII) return { ok: false, problem: `At most ${MAX_RING_RADII} radii.` };
  return { ok: true, radii: radii.sort((one, other) => one - other) };
}
