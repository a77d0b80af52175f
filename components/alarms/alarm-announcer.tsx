'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useAlarmPolling } from '#lib/client/page/use-alarm-polling.ts';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { callText } from './alarm-text.ts';

export function AlarmAnnouncer() {
  const isAwake = useAlarmPolling();
  const { zones, alarmSound: sound } = useLookout();
  const [{ alarmSound, alarmNotices }] = usePreferences();
  const { alarms, next } = useAlarms();
  const now = useNow();
  const [call, setCall] = useState('');
  const known = useRef<ReadonlySet<string> | undefined>(undefined);

  useEffect(() => {
    if (alarmSound) void sound.prepare();
  }, [alarmSound, sound]);

  const announce = useEffectEvent((appeared: readonly Alarm[]) => {
    const text = callText(appeared);
    setCall(text);
    if (!isAwake) return;
    if (alarmSound) void sound.play();
    if (alarmNotices) notify(text, () => zones.openAlarms());
  });

  const pending = alarms.filter((alarm) => isPending(alarm, now));
  const ids = pending.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (next === undefined) return;
    const present = new Set(ids === '' ? [] : ids.split(' '));
    const before = known.current;
    known.current = present;
    // Before the page was opened.
    if (!before) return;
    const appeared = alarms.filter(({ id }) => present.has(id) && !before.has(id));
    if (appeared.length > 0) announce(appeared);
  }, [ids, next, alarms]);

  return (
    <p role="alert" data-testid="alarm-call" className="sr-only">
      {call}
    </p>
  );
}

function notify(text: string, onClick: () => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  try {
    // Of one tag, a browser shows the last.
    const notice = new Notification('Lookout: new alarm', { body: text, tag: 'lookout.alarms' });
    notice.onclick = () => {
      window.focus();
      onClick();
      notice.close();
    };
  } catch {
    // Chrome on Android has the constructor, and throws.
  }
}
