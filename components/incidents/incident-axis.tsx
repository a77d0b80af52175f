'use client';

import './incident-axis.css';
import { type KeyboardEvent, useState } from 'react';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { type AxisItem, type AxisLane, rowsOf, ticksOf } from './axis-lanes.ts';

const ROW_PX = 18;
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

interface IncidentAxisProps {
  readonly lanes: readonly AxisLane[];
  readonly startMs: number;
  readonly endMs: number;
  readonly zone: ClockZone;
  /** The replay of a moment on the map. */
  readonly addressOf: (item: AxisItem) => string;
}

/** One time axis over lanes. Tab goes from lane to lane, arrow keys along one; each item leads to the replay of its moment. */
export function IncidentAxis({ lanes, startMs, endMs, zone, addressOf }: IncidentAxisProps) {
  const [pointed, setPointed] = useState<string>();
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - startMs) / (endMs - startMs)));
  return (
    <div className="incident-axis flex flex-col gap-1">
      {lanes.map((lane) => (
        <Lane
          key={lane.name}
          lane={lane}
          share={share}
          lengthMs={endMs - startMs}
          addressOf={addressOf}
          onPoint={setPointed}
        />
      ))}
      <div aria-hidden className="relative ml-27 h-5 border-edge border-t text-caption text-dim phone:ml-20">
        {ticksOf(startMs, endMs, zone).map(({ atMs, text }) => (
          <span key={atMs} className="absolute border-edge border-l pl-1" style={{ left: `${share(atMs) * 100}%` }}>
            {share(atMs) < 0.94 && text}
          </span>
        ))}
      </div>
      <p aria-hidden className="min-h-[2lh] text-caption text-dim print:hidden" data-testid="axis-item">
        {pointed ?? 'Choose an item to replay its moment on the map.'}
      </p>
      <p className="flex flex-wrap gap-x-4 text-caption text-dim">
        {(['watched', 'partly', 'not_watched'] as const).map((look) => (
          <span key={look} className="flex items-center gap-1.5">
            <svg aria-hidden viewBox="0 0 16 8" className="h-2 w-4">
              <rect
                x="0.5"
                y="0.5"
                width="15"
                height="7"
                fill={KEY[look].fill}
                stroke={KEY[look].stroke}
                strokeDasharray={look === 'not_watched' ? '3 2' : undefined}
              />
              {look === 'partly' && <path d="M2 8 8 0M8 8 14 0" stroke={KEY[look].stroke} strokeWidth="2" />}
            </svg>
            {KEY[look].text}
          </span>
        ))}
      </p>
    </div>
  );
}

const KEY = {
  watched: { text: 'watched', fill: 'var(--good)', stroke: 'var(--good)' },
  partly: { text: 'partly watched', fill: 'none', stroke: 'var(--warning)' },
  not_watched: { text: 'not watched', fill: 'none', stroke: 'var(--bad)' },
} as const;

interface LaneProps extends Pick<IncidentAxisProps, 'addressOf'> {
  readonly lane: AxisLane;
  readonly share: (ms: number) => number;
  readonly lengthMs: number;
  readonly onPoint: (name: string | undefined) => void;
}

function Lane({ lane: { name, items, more = 0 }, share, lengthMs, addressOf, onPoint }: LaneProps) {
  const [current, setCurrent] = useState(0);
  const rows = rowsOf(items, lengthMs);
  const height = (items.length === 0 ? 1 : Math.max(...rows) + 1) * ROW_PX;
  const reached = Math.min(current, items.length - 1);
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = STEPS[event.key];
    const to =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? items.length - 1
          : step === undefined
            ? undefined
            : reached + step;
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll('a')[Math.min(items.length - 1, Math.max(0, to))]?.focus();
  };
  return (
    <div className="flex items-start">
      <span className="w-27 shrink-0 pr-2 text-caption phone:w-20">
        {name}
        {more > 0 && <span className="block text-dim">and {more} more</span>}
      </span>
      {items.length === 0 ? (
        <span className="text-caption text-dim">None</span>
      ) : (
        <ul aria-label={name} className="relative min-w-0 flex-1" style={{ height }} onKeyDown={onKeyDown}>
          {items.map((item, index) => {
            const [from, to] = [share(item.fromMs), share(item.toMs)];
            const isLate = to > 0.8;
            return (
              <li
                key={item.key}
                style={{
                  top: (rows[index] ?? 0) * ROW_PX + 3,
                  width: `${(to - from) * 100}%`,
                  // What lies at the end keeps its least width within the axis.
                  ...(from > 0.98 ? { right: 0 } : { left: `${from * 100}%` }),
                }}
              >
                <a
                  href={addressOf(item)}
                  aria-label={item.name}
                  className={item.look}
                  tabIndex={index === reached ? 0 : -1}
                  onFocus={() => {
                    setCurrent(index);
                    onPoint(item.name);
                  }}
                  onMouseEnter={() => onPoint(item.name)}
                >
                  {item.label !== undefined && (
                    <span
                      className={`absolute -top-0.75 whitespace-nowrap text-caption ${isLate ? 'right-full pr-1.5' : 'left-full pl-1.5'}`}
                    >
                      {item.label}
                    </span>
                  )}
                </a>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
