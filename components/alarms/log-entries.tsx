'use client';

import { useEffect, useEffectEvent, useRef } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { AlarmLogEntry } from './alarm-log.ts';
import { AlarmRow } from './alarm-row.tsx';
import { lostText, unwatchedText } from './alarm-text.ts';
import { replayAlarm } from './replay-alarm.ts';

export function LogEntries({
  entries,
  onShown,
}: {
  readonly entries: readonly AlarmLogEntry[];
  readonly onShown: () => void;
}) {
  const lookout = useLookout();
  const [{ zone: clock, singleKeys }] = usePreferences();
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { activeElement } = document;
    if (event.ctrlKey || event.altKey || event.metaKey || isElsewhere(activeElement)) return;
    const items = [...(list.current?.children ?? [])].filter((each) => each instanceof HTMLElement);
    const at = items.findIndex((item) => item.contains(activeElement));
    if (items.length === 0 || (at === -1 && !singleKeys)) return;
    const key = event.key.toLowerCase();
    if (key === 'j') items[Math.min(items.length - 1, at + 1)]?.focus();
    else if (key === 'k') items[Math.max(0, at - 1)]?.focus();
    else if (key === 'r') {
      const entry = entries[at];
      if (entry?.kind !== 'alarm') return;
      replayAlarm(lookout, entry.alarm);
      onShown();
    } else return;
    // These keys have other actions elsewhere.
    event.preventDefault();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return (
    <ul
      ref={list}
      aria-label="What happened, the latest first"
      className="divide-y divide-line border-line border-t empty:hidden"
      data-testid="alarm-log"
    >
      {entries.map((entry) => (
        <li
          key={keyOf(entry)}
          tabIndex={-1}
          className="[contain-intrinsic-size:auto_96px] [content-visibility:auto] focus-visible:-outline-offset-2"
        >
          {entry.kind === 'alarm' ? (
            <AlarmRow group={{ latest: entry.alarm, earlier: [] }} onShown={onShown} />
          ) : (
            <p className="border-warning border-l-3 py-2 pr-2 pl-3">
              {entry.kind === 'lost' ? lostText(entry.lost, clock) : unwatchedText(entry.stretch, clock)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function keyOf(entry: AlarmLogEntry): string {
  switch (entry.kind) {
    case 'alarm':
      return entry.alarm.id;
    case 'unwatched':
      return `${entry.stretch.zone.id} ${entry.at}`;
    case 'lost':
      return `${entry.lost.layer} ${entry.at}`;
  }
}

function isElsewhere(focused: Element | null): boolean {
  return focused?.closest('input, textarea, select, [role="dialog"], [role="menu"]') != null;
}
