import type { HoursReport, StationHours } from '#lib/api/receivers/receiver-hours.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { groupsOf, hourStart, type StationLook, stationLookOf, thirdsOf } from './station-hours.ts';

/** A full cell, a small one, or none: also without colours. */
const CELL: Readonly<Record<Exclude<StationLook, 'unknown'>, (x: number, y: number) => string>> = {
  received: (x, y) => `M${x + 0.04} ${y}h0.92v1h-0.92z`,
  nothing: (x, y) => `M${x + 0.35} ${y + 0.3}h0.3v0.4h-0.3z`,
};
const OPACITY = [0.35, 0.65, 1];
const DAY_ROWS = 24;

interface StationPictureProps {
  readonly report: HoursReport;
  readonly station: StationHours;
  readonly zone: ClockZone;
  readonly label: string;
}

/** A column for each day and a row for each hour; of a single day, a column for each hour. */
export function StationPicture({ report, station, zone, label }: StationPictureProps) {
  const groups = groupsOf(report, zone);
  const rows = report.hours > 24 ? DAY_ROWS : 1;
  const thirdOf = thirdsOf(station);
  const received = OPACITY.map(() => '');
  let nothing = '';
  for (const [x, { indexes }] of groups.entries()) {
    for (const index of indexes) {
      const look = stationLookOf(station, index);
      const y = rows === 1 ? 0 : Number(clockText(hourStart(report, index), zone).slice(0, 2));
      if (look === 'received') received[thirdOf(index)] += CELL.received(x, y);
      else if (look === 'nothing') nothing += CELL.nothing(x, y);
    }
  }
  return (
    <div>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${groups.length} ${rows}`}
        preserveAspectRatio="none"
        shapeRendering="crispEdges"
        className={rows === 1 ? 'h-6 w-full border border-line bg-raised' : 'h-24 w-full border border-line bg-raised'}
      >
        {received.map(
          (path, third) =>
            path && <path key={OPACITY[third]} d={path} className="fill-focus" fillOpacity={OPACITY[third]} />,
        )}
        {nothing && <path d={nothing} className="fill-text" />}
      </svg>
      <div aria-hidden className="flex justify-between text-caption text-dim">
        <span>{groups[0]?.name}</span>
        <span>{groups.at(-1)?.name}</span>
      </div>
    </div>
  );
}

const LEGEND = [
  { look: 'received', text: 'positions received; the fuller, the more in an hour, by thirds of its hours' },
  { look: 'nothing', text: 'connected and nothing received' },
  { look: 'unknown', text: 'not recorded, or not connected' },
] as const;

export function HoursLegend() {
  return (
    <ul aria-label="What the picture shows" className="flex flex-wrap gap-x-4 gap-y-1 text-caption text-dim">
      {LEGEND.map(({ look, text }) => (
        <li key={look} className="flex items-center gap-1.5">
          <svg
            aria-hidden
            viewBox="0 0 1 1"
            className="h-3 w-5 shrink-0 border border-line bg-raised"
            preserveAspectRatio="none"
          >
            {look !== 'unknown' && (
              <path d={CELL[look](0, 0)} className={look === 'received' ? 'fill-focus' : 'fill-text'} />
            )}
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}
