import type { ReactNode } from 'react';
import { SMALL_MARK_MEASURES } from '../ui/marks/mark-measures.ts';
import type { SymbolExample } from './symbol-examples.tsx';

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

export const SMALL_EXAMPLES: readonly Omit<SymbolExample, 'state'>[] = [
  { name: 'Aircraft', meaning: 'A dot; its tick is the heading.', mark: <Dot /> },
  { name: 'Drone', meaning: 'Rotors and arms; the tick is the heading.', mark: <Rotors /> },
  { name: 'Expired', meaning: 'Hollow, then removed.', mark: <Rotors ring /> },
  { name: 'Simulated', meaning: 'A stripe is cut out, if other marks are not simulated.', mark: <Dot slit /> },
];
