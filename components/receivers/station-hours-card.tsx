import type { HourSpan, HoursReport, StationHours } from '#lib/api/receivers/receiver-hours.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { groupsOf, type HourSums, sumsOf } from './station-hours.ts';
import { clockErrorAndSpread, hourCountText, secondsText, stationPictureText } from './station-hours-text.ts';
import { StationPicture } from './station-picture.tsx';

interface StationHoursCardProps {
  readonly report: HoursReport;
  readonly station: StationHours;
  readonly span: HourSpan;
  readonly zone: ClockZone;
  readonly hasTable: boolean;
}

export function StationHoursCard({ report, station, span, zone, hasTable }: StationHoursCardProps) {
  const sums = sumsOf(report, station, [...station.positions.keys()]);
  return (
    <li
      aria-label={`Hours of ${station.id}`}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="min-w-0 break-all font-semibold">{station.id}</h3>
        {station.simulated.includes(true) && <span className="text-warning">simulated: never received</span>}
      </div>
      <StationPicture report={report} station={station} zone={zone} label={stationPictureText(station, span)} />
      <dl className="grid grid-cols-6 gap-x-4 gap-y-2 phone:grid-cols-2">
        {FACTS.map(({ name, text }) => (
          <div key={name} className="min-w-0">
            <dt className="text-caption text-dim">{name}</dt>
            <dd className="break-words">{text(sums)}</dd>
          </div>
        ))}
      </dl>
      {hasTable && <StationTable report={report} station={station} zone={zone} />}
    </li>
  );
}

const FACTS: readonly { readonly name: string; readonly text: (sums: HourSums) => string }[] = [
  { name: 'Positions', text: ({ positions }) => hourCountText(positions) },
  { name: 'By it alone', text: ({ alone }) => hourCountText(alone) },
  { name: 'Silent', text: ({ silentS }) => secondsText(silentS) },
  { name: 'Not connected', text: ({ notConnectedS }) => secondsText(notConnectedS) },
  { name: 'Not recorded', text: ({ notRecordedS }) => secondsText(notRecordedS) },
  { name: 'Clock', text: clockErrorAndSpread },
];

function StationTable({ report, station, zone }: Omit<StationHoursCardProps, 'span' | 'hasTable'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it.
    <section aria-label={`Table of ${station.id}`} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-table [&_td]:py-0.5 [&_td]:pr-3 [&_th]:py-0.5 [&_th]:pr-3 [&_th]:text-left [&_th]:font-medium">
        <caption className="sr-only">{station.id}</caption>
        <thead className="text-dim">
          <tr>
            <th scope="col">{report.hours > 24 ? 'Day' : 'Hour'}</th>
            {FACTS.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groupsOf(report, zone).map(({ name, indexes }) => {
            const sums = sumsOf(report, station, indexes);
            return (
              <tr key={name} className="border-line border-t">
                <th scope="row" className="whitespace-nowrap">
                  {name}
                </th>
                {FACTS.map(({ name, text }) => (
                  <td key={name}>{text(sums)}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
