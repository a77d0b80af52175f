import { SMALL_MARK_MEASURES } from '../ui/mark-measures.ts';
import type { SymbolExample } from './symbol-examples.tsx';

const { radiusPx, tickPx, tickHalfPx, ringPx, slitHalfPx } = SMALL_MARK_MEASURES;
const DIAMOND_HALF_PX = radiusPx / 0.8;

interface DotProps {
  readonly diamond?: boolean;
  readonly tick?: boolean;
  readonly ring?: boolean;
  readonly slit?: boolean;
}

/** A mark as the map draws it from afar, at twice its size. */
function Dot({ diamond = false, tick = false, ring = false, slit = false }: DotProps) {
  const inner = radiusPx - ringPx / 2;
  const look = ring ? { fill: 'none', stroke: 'var(--dim)', strokeWidth: ringPx } : { fill: 'var(--dim)' };
  return (
    <svg aria-hidden="true" width="22" height="22" viewBox="-5.5 -5.5 11 11">
      {/* Turned by 45°, a diamond would look like a square. */}
      <g transform={diamond ? undefined : 'rotate(45)'}>
        {tick && <rect x={-tickHalfPx} y={-tickPx} width={2 * tickHalfPx} height={tickPx} fill="var(--dim)" />}
        {diamond ? (
          <path
            d={`M0 ${-DIAMOND_HALF_PX}L${DIAMOND_HALF_PX} 0L0 ${DIAMOND_HALF_PX}L${-DIAMOND_HALF_PX} 0Z`}
            {...look}
          />
        ) : (
          <circle r={ring ? inner : radiusPx} {...look} />
        )}
      </g>
      {slit && <path d="M-2.6 2.6L2.6 -2.6" stroke="var(--surface)" strokeWidth={2 * slitHalfPx} />}
    </svg>
  );
}

/** Marks seen from afar. */
export const DOT_EXAMPLES: readonly Omit<SymbolExample, 'state'>[] = [
  { name: 'Aircraft', meaning: 'A dot; its tick is the heading.', mark: <Dot tick /> },
  { name: 'Drone', meaning: 'A diamond; its tick is the heading.', mark: <Dot diamond tick /> },
  { name: 'Expired', meaning: 'A ring: expired, then removed.', mark: <Dot ring /> },
  { name: 'Simulated', meaning: 'A stripe is cut out: not traffic.', mark: <Dot tick slit /> },
];
