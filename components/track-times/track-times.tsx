'use client';

import { useEffect, useEffectEvent, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { type ReplayStore, type TrackHistory, trackHistory } from '#lib/client/replay/store/replay-store.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { groupedNumber, NOT_REPORTED } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, SPEED_UNIT, type UnitSystem } from '#lib/model/units.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { ChartView, HistoryChart } from './history-chart.ts';
import {
  CHART_HEIGHT_PX,
  type HistoryColumns,
  historyColumns,
  historySentence,
  nearestTime,
  observationText,
  SPEED_DASH,
  VERTICAL_NAME,
} from './history-values.ts';

/**
 * The selected track over a replay's window: when it was first and last seen, and a chart of its height and speed. Renders
 * nothing while live, or if the window has no position of the track.
 */
export function TrackTimes() {
  const [{ units, zone }] = usePreferences();
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const history = useTrackHistory();
  if (!history) return null;
  const { count, observedAtMs } = history;
  return (
    <section
      aria-label="In this window"
      translate="no"
      data-testid="track-times"
      className="flex flex-col gap-2 px-4 pt-1 pb-3"
    >
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="font-semibold">In this window</h3>
        <p className="text-caption text-dim">
          {groupedNumber(count)} received {count === 1 ? 'position' : 'positions'}
          {isLoaded ? '' : ' so far'}
        </p>
      </div>
      <div className="flex gap-2">
        <SeenButton label="First seen" atMs={observedAtMs[0] as number} />
        <SeenButton label="Last seen" atMs={observedAtMs[count - 1] as number} />
      </div>
      <TrackChart key={history.ref} history={history} units={units} zone={zone} />
    </section>
  );
}

function SeenButton({ label, atMs }: { readonly label: string; readonly atMs: number }) {
  const { replay } = useLookout();
  const [{ zone }] = usePreferences();
  return (
    <button
      type="button"
      title="Move the replay to this time"
      onClick={() => replay.command({ do: 'seek', to: upstreamInstant(atMs) })}
      className="flex min-w-0 flex-1 flex-wrap items-baseline justify-center gap-x-1.5 rounded-control border border-line bg-raised px-2 py-1.5 hover:border-edge phone:min-h-11 phone:items-center"
    >
      <span className="text-dim text-table">{label}</span>{' '}
      <span className="font-mono font-semibold text-table">{clockText(upstreamInstant(atMs), zone)}</span>
    </button>
  );
}

/** Parts of a loading window arrive faster than a chart can be read. */
const UPDATE_EVERY_MS = 250;

/** `undefined` while live, or if the window has no position of the track. */
function useTrackHistory(): TrackHistory | undefined {
  const { display, replay } = useLookout();
  const selected = () => display.summary().selectedRef;
  const ref = useSyncExternalStore(display.subscribe, selected, selected);
  const [loaded, setLoaded] = useState<TrackHistory>();

  useEffect(() => {
    if (ref === undefined) return;
    let store: ReplayStore | undefined;
    let revision: number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      // A new replay, or the end of one, is shown at once.
      const current = replay.session?.store;
      const isNewStore = current !== store;
      if (!isNewStore && (timer !== undefined || store?.revision === revision)) return;
      clearTimeout(timer);
      store = current;
      revision = store?.revision;
      const window = replay.session?.playback.window;
      setLoaded((before) => readHistory(store, window, ref, isNewStore ? undefined : before));
      timer = setTimeout(() => {
        timer = undefined;
        update();
      }, UPDATE_EVERY_MS);
    };
    update();
    const stop = replay.subscribe(update);
    return () => {
      stop();
      clearTimeout(timer);
      setLoaded(undefined);
    };
  }, [replay, ref]);

  return loaded;
}

/** Returns `before` if nothing is new, for a stable identity. */
function readHistory(
  store: ReplayStore | undefined,
  window: Window | undefined,
  ref: string,
  before: TrackHistory | undefined,
): TrackHistory | undefined {
  const track = store?.trackOf(ref);
  if (!store || !window || track === undefined) return undefined;
  const history = trackHistory(store, track, window.start);
  if (history.count === 0) return undefined;
  return before?.count === history.count ? before : history;
}

interface TrackChartProps extends ChartView {
  readonly history: TrackHistory;
}

function TrackChart({ history, units, zone }: TrackChartProps) {
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
