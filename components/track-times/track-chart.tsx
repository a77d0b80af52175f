'use client';

import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useLookout } from '#lib/client/page/lookout-context.tsx';
import type { TrackHistory } from '#lib/client/replay/store/track-history.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, SPEED_UNIT, type UnitSystem } from '#lib/model/units.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { CHART_HEIGHT_PX, type ChartView, SPEED_DASH } from './chart-options.ts';
import type { HistoryChart } from './history-chart.ts';
import { type HistoryColumns, historyColumns } from './history-columns.ts';
import { historySentence, observationText, VERTICAL_NAME } from './history-text.ts';
import { nearestTime } from './nearest-time.ts';

export interface TrackChartProps extends ChartView {
  readonly history: TrackHistory;
}

export function TrackChart({ history, units, zone }: TrackChartProps) {
  const { replay } = useLookout();
  const host = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<HistoryChart>();
  const [failed, setFailed] = useState(false);
  const [pointedMs, setPointedMs] = useState<number>();

  useEffect(() => {
    let isUnmounted = false;
    let created: HistoryChart | undefined;
    const create = async () => {
      const { HistoryChart } = await import('./history-chart.ts');
      if (isUnmounted || !host.current) return;
      created = new HistoryChart(
        host.current,
        { units, zone },
        { point: setPointedMs, seek: (atMs) => replay.command({ do: 'seek', to: upstreamInstant(atMs) }) },
      );
      setChart(created);
    };
    create().catch(() => setFailed(true));
    return () => {
      isUnmounted = true;
      created?.destroy();
      setChart(undefined);
    };
  }, [replay, units, zone]);

  const columns = useMemo(() => historyColumns(history, units), [history, units]);
  useEffect(() => chart?.setColumns(columns), [chart, columns]);

  const follow = useEffectEvent(() => {
    const { session } = replay;
    if (session) chart?.setCursor(epochMs(session.playback.cursor));
  });
  useEffect(() => {
    if (!chart) return;
    follow();
    return replay.subscribe(() => follow());
  }, [replay, chart]);

  const pointed = pointedMs === undefined ? undefined : nearestTime(history.observedAtMs, pointedMs);
  const observedMs = pointed === undefined ? undefined : history.observedAtMs[pointed];
  useEffect(() => chart?.setPoint(observedMs), [chart, observedMs]);

  if (failed) return <p className="text-dim">The chart could not be loaded.</p>;
  return (
    <div>
      <ChartLegend columns={columns} units={units} />
      <div
        ref={host}
        role="img"
        aria-label={historySentence(history, units, zone)}
        data-testid="track-chart"
        className="select-none"
        style={{ height: CHART_HEIGHT_PX }}
      />
      <ObservationReadout history={history} index={pointed} units={units} zone={zone} />
    </div>
  );
}

interface ObservationReadoutProps {
  readonly history: TrackHistory;
  readonly index: number | undefined;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

function ObservationReadout({ history, index, units, zone }: ObservationReadoutProps) {
  if (index === undefined) {
    const clock =
      zone === 'utc'
        ? 'UTC'
        : `local time,${clockText(upstreamInstant(history.observedAtMs[0] as number), zone).slice(8)}`;
    return <p className="truncate text-caption text-dim">Times in {clock}. Click or drag to move the replay.</p>;
  }
  const { time, vertical, speed } = observationText(history, index, units, zone);
  return (
    <p data-testid="track-chart-readout" className="truncate text-caption">
      <span className="font-mono font-semibold">{time}</span> · {vertical} · {speed}
    </p>
  );
}

function ChartLegend({ columns, units }: { readonly columns: HistoryColumns; readonly units: UnitSystem }) {
  const unitOf = (values: HistoryColumns['speeds'], unit: string) =>
    values.some((value) => value !== null) ? unit : <em>{NOT_REPORTED}</em>;
  return (
    <ul className="flex flex-wrap gap-x-3 text-caption">
      <li className="flex items-center gap-1.5">
        <LineSample className="text-text" />
        <span>
          {VERTICAL_NAME[columns.vertical]}, {unitOf(columns.verticals, LENGTH_UNIT[units])}
        </span>
      </li>
      <li className="flex items-center gap-1.5">
        <LineSample className="text-focus" dash={SPEED_DASH} />
        <span>Speed, {unitOf(columns.speeds, `${SPEED_UNIT[units]} (right)`)}</span>
      </li>
    </ul>
  );
}

function LineSample({ className, dash }: { readonly className: string; readonly dash?: readonly number[] }) {
  return (
    <svg aria-hidden width={18} height={4} className={className}>
      <line x1={0} y1={2} x2={18} y2={2} stroke="currentColor" strokeWidth={1.5} strokeDasharray={dash?.join(' ')} />
    </svg>
  );
}
