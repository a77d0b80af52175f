'use client';

import { type KeyboardEvent, useRef } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { LogEntry } from './alarm-log.ts';
import { AlarmRow } from './alarm-row.tsx';
import { unwatchedText } from './alarm-text.ts';
import { replayAlarm } from './replay-alarm.ts';

/** Alarms and stretches without watching; J and K go through them, R replays. */
export function LogEntries({
  entries,
  onShown,
}: {
  readonly entries: readonly LogEntry[];
  readonly onShown: () => void;
}) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const list = useRef<HTMLUListElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || isTextField(event.target)) return;
    const items = [...(list.current?.children ?? [])].filter((each) => each instanceof HTMLElement);
    const at = items.findIndex((item) => item.contains(document.activeElement));
    const key = event.key.toLowerCase();
    if (key === 'j') items[Math.min(items.length - 1, at + 1)]?.focus();
    else if (key === 'k') items[Math.max(0, at - 1)]?.focus();
    else if (key === 'r') {
      const entry = entries[at];
      if (entry?.kind !== 'alarm') return;
      replayAlarm(lookout, entry.alarm);
      onShown();
    } else return;
    event.preventDefault();
  };
  return (
    <ul
      ref={list}
      aria-label="What happened, the latest first"
      onKeyDown={onKeyDown}
      className="divide-y divide-line border-line border-t empty:hidden"
      data-testid="alarm-log"
    >
      {entries.map((entry) => (
        <li
          key={entry.kind === 'alarm' ? entry.alarm.id : `${entry.stretch.zone.id} ${entry.at}`}
          // J and K go through the list.
          tabIndex={-1}
          className="[contain-intrinsic-size:auto_96px] [content-visibility:auto] focus-visible:-outline-offset-2"
        >
          {entry.kind === 'alarm' ? (
            <AlarmRow group={{ latest: entry.alarm, earlier: [] }} onShown={onShown} />
          ) : (
            <p className="border-warning border-l-3 py-2 pr-2 pl-3">{unwatchedText(entry.stretch, clock)}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

function isTextField(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}
