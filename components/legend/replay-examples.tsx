import { durationText } from '#lib/model/duration-text.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import type { SymbolExample } from './symbol-examples.tsx';

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

export const REPLAY_EXAMPLES: readonly Omit<SymbolExample, 'state'>[] = [
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
