'use client';

import type { ReactNode } from 'react';
import { useDisplay, useIsReplaying, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { durationText } from '#lib/model/duration-text.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { SMALL_MARK_MEASURES } from '../ui/marks/mark-measures.ts';
import {
  CONFIDENCE_EXAMPLES,
  type MarkState,
  SYMBOL_EXAMPLES,
  type SymbolExample,
  vectorExample,
} from './symbol-examples.tsx';

/** The meaning of marks: first those that are on the map now. */
export function MarksLegend({ id }: { readonly id: string }) {
  const { display } = useLookout();
  const [{ vectorMinutes }] = usePreferences();
  const isReplaying = useIsReplaying();
  // The picture changes in place; the summary changes with each picture worth rendering.
  useDisplay();
  const now = statesNow(display.picture());
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it where it is higher than its room.
    <section id={id} aria-label="Marks" tabIndex={0} className="legend-marks">
      <Symbols title="On the map now" examples={SYMBOL_EXAMPLES.filter(({ state }) => now.has(state))} />
      <Symbols title="Other marks" examples={SYMBOL_EXAMPLES.filter(({ state }) => !now.has(state))} />
      <Symbols title="From afar" examples={SMALL_EXAMPLES}>
        Test, emergency and selected marks keep their shape.
      </Symbols>
      <Symbols title="Confidence of a position" examples={CONFIDENCE_EXAMPLES}>
        Named when you point at a mark, and in its card.
      </Symbols>
      {vectorMinutes > 0 && <Symbols title="Speed vectors" examples={[vectorExample(vectorMinutes)]} />}
      {isReplaying && <Symbols title="Replay" examples={REPLAY_EXAMPLES} />}
    </section>
  );
}

interface SymbolsProps {
  readonly title: string;
  readonly examples: readonly Omit<SymbolExample, 'state'>[];
  readonly children?: ReactNode;
}

function Symbols({ title, examples, children }: SymbolsProps) {
  if (examples.length === 0) return null;
  return (
    <div>
      <h2 className="mb-0.5 text-dim">{title}</h2>
      <ul className="flex flex-wrap gap-x-4">
        {examples.map(({ name, meaning, mark }) => (
          <li key={name} title={meaning} className="flex h-[26px] items-center gap-1.5 whitespace-nowrap">
            <span className="flex w-7 shrink-0 justify-center">{mark}</span>
            {name}
          </li>
        ))}
      </ul>
      {children && <p className="text-dim">{children}</p>}
    </div>
  );
}

/** @returns which kinds of marks a picture has; stripes only where some marks have none */
export function statesNow({
  count,
  style,
  colour,
  headingDeg,
}: Pick<Picture, 'count' | 'style' | 'colour' | 'headingDeg'>): ReadonlySet<MarkState> {
  const states = new Set<MarkState>();
  let flags = 0;
  let common = FLAG_SIMULATED;
  for (let index = 0; index < count; index++) {
    const own = style[index]!;
    flags |= own;
    common &= own;
    if ((own & FLAG_DRONE) === 0) states.add('aircraft');
    if ((own & MARK_EXPIRED) === 0 && colour[index * 4 + 3]! < 255) states.add('ageing');
    if (Number.isNaN(headingDeg[index]!)) states.add('heading-unknown');
  }
  if (flags & FLAG_DRONE) states.add('drone');
  if (flags & ~common & FLAG_SIMULATED) states.add('simulated');
  if (flags & FLAG_TEST) states.add('test');
  if (flags & MARK_EXPIRED) states.add('expired');
  if (flags & MARK_EMERGENCY) states.add('emergency');
  return states;
}

const { radiusPx, tickPx, tickHalfPx, ringPx, slitHalfPx } = SMALL_MARK_MEASURES;

const { rotorAtPx, rotorPx, armHalfPx, droneTickPx } = SMALL_MARK_MEASURES;

const LOOK = { stroke: 'var(--dim)', fill: 'var(--dim)' } as const;

interface SmallMarkProps {
  readonly ring?: boolean;
  readonly slit?: boolean;
}

function Dot({ ring = false, slit = false }: SmallMarkProps) {
  return (
    <Small>
      <g transform="rotate(45)" {...LOOK}>
        {!ring && <path d={`M0 0V${-tickPx}`} strokeWidth={2 * tickHalfPx} />}
        {ring ? (
          <circle r={radiusPx - ringPx / 2} fill="none" strokeWidth={ringPx} />
        ) : (
          <circle r={radiusPx} stroke="none" />
        )}
      </g>
      {slit && <path d="M-2.6 2.6L2.6 -2.6" stroke="var(--surface)" strokeWidth={2 * slitHalfPx} />}
    </Small>
  );
}

function Rotors({ ring = false, slit = false }: SmallMarkProps) {
  const corners = [-rotorAtPx, rotorAtPx].flatMap((x) => [-rotorAtPx, rotorAtPx].map((y) => ({ x, y })));
  return (
    <Small>
      <g {...LOOK}>
        {!ring && <path d={`M0 0V${-droneTickPx}`} strokeWidth={2 * tickHalfPx} />}
        <path
          d={`M${-rotorAtPx} ${-rotorAtPx}L${rotorAtPx} ${rotorAtPx}M${rotorAtPx} ${-rotorAtPx}L${-rotorAtPx} ${rotorAtPx}`}
          strokeWidth={2 * armHalfPx}
        />
        {corners.map(({ x, y }) => (
          <circle key={`${x} ${y}`} cx={x} cy={y} r={rotorPx} stroke="none" />
        ))}
      </g>
      {ring &&
        corners.map(({ x, y }) => (
          <circle key={`${x} ${y}`} cx={x} cy={y} r={rotorPx - ringPx} fill="var(--surface)" />
        ))}
      {slit && (
        <path
          d={[-rotorAtPx, rotorAtPx].map((y) => `M-6 ${y}H-2M2 ${y}H6`).join('')}
          stroke="var(--surface)"
          strokeWidth={2 * slitHalfPx}
        />
      )}
    </Small>
  );
}

function Small({ children }: { readonly children: ReactNode }) {
  return (
    <svg aria-hidden="true" width="22" height="22" viewBox="-8.5 -8.5 17 17">
      {children}
    </svg>
  );
}

const SMALL_EXAMPLES: readonly Omit<SymbolExample, 'state'>[] = [
  { name: 'Aircraft', meaning: 'A dot; its tick is the heading.', mark: <Dot /> },
  { name: 'Drone', meaning: 'Rotors and arms; the tick is the heading.', mark: <Rotors /> },
  { name: 'Expired', meaning: 'Hollow, then removed.', mark: <Rotors ring /> },
  { name: 'Simulated', meaning: 'A stripe is cut out, if other marks are not simulated.', mark: <Dot slit /> },
];

const { aircraft, drone } = TRAIL_LIMITS;

function Trail({ dashes, faint = false, dots = false }: { dashes?: string; faint?: boolean; dots?: boolean }) {
  return (
    <svg aria-hidden="true" width="28" height="10" viewBox="0 0 28 10" fill="none" stroke="var(--dim)">
      <path
        d="M3 5H25"
        strokeWidth="2.5"
        strokeLinecap={dashes === undefined ? 'butt' : 'round'}
        strokeDasharray={dashes}
        opacity={faint ? 0.42 : 1}
      />
      {dots && <path d="M3 5h0M14 5h0M25 5h0" strokeWidth="5.5" strokeLinecap="round" />}
    </svg>
  );
}

const REPLAY_EXAMPLES: readonly Omit<SymbolExample, 'state'>[] = [
  {
    name: 'Path',
    meaning: `Received close together: aircraft at most ${durationText(aircraft.solidMs)} apart, drones ${durationText(drone.solidMs)}. A dot is a received position.`,
    mark: <Trail dots />,
  },
  {
    name: 'Short gap',
    meaning: `Nothing received for up to ${durationText(aircraft.dottedMs)} (aircraft) or ${durationText(drone.dottedMs)} (drones): no path is claimed. Over longer gaps nothing is drawn.`,
    mark: <Trail dashes="0 5.5" />,
  },
  {
    name: 'After the cursor',
    meaning: 'Received later in the window; shown for the selected track only.',
    mark: <Trail faint dots />,
  },
  {
    name: 'Incomplete',
    meaning: 'Data for this place and time is incomplete: received positions may be missing.',
    mark: (
      <svg aria-hidden="true" width="24" height="16" viewBox="0 0 24 16" fill="none" stroke="var(--warning)">
        <path d="M2 11 11 2M4 15 17 2M11 15 22 4M18 15 22 11" strokeWidth="1.2" opacity="0.5" />
        <rect x="1" y="1" width="22" height="14" strokeWidth="1.5" strokeDasharray="4 2" />
      </svg>
    ),
  },
];
