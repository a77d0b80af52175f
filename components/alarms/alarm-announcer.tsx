'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Alarm } from '#lib/api/alarms.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { inOneTab } from '#lib/client/alarms/one-tab.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useAlarmPolling } from '#lib/client/page/use-alarm-polling.ts';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { callText } from './alarm-text.ts';

/** Says new alarms once: to screen readers, by sound, and by a notification of the browser. */
export function AlarmAnnouncer() {
  useAlarmPolling();
  const { zones, alarmSound: sound } = useLookout();
  const [{ alarmSound, alarmNotices }] = usePreferences();
  const { alarms, next } = useAlarms();
  const now = useNow();
  const [call, setCall] = useState('');
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const notifies = useNotifies(alarmNotices);

  useEffect(() => {
    if (alarmSound) void sound.prepare();
  }, [alarmSound, sound]);

  const announce = useEffectEvent((appeared: readonly Alarm[]) => {
    const text = callText(appeared);
    setCall(text);
    if (alarmSound) void sound.play();
    if (notifies.current) notify(text, () => zones.openAlarms());
  });

  const pending = alarms.filter((alarm) => isPending(alarm, now));
  const ids = pending.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (next === undefined) return;
    const present = new Set(ids === '' ? [] : ids.split(' '));
    const before = known.current;
    known.current = present;
    // What was there when the page was opened is in the list, and is not called.
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

/** Whether this tab is the one of the browser that raises notifications. */
function useNotifies(isWanted: boolean) {
  const isTurn = useRef(false);
  useEffect(() => {
    if (!isWanted) return;
    const end = inOneTab('lookout.alarm-notices', () => {
      isTurn.current = true;
    });
    return () => {
      isTurn.current = false;
      end();
    };
  }, [isWanted]);
  return isTurn;
}

function notify(text: string, onClick: () => void): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  // A later one takes the place of an earlier one: a flood is one notice.
  const notice = new Notification('Lookout: new alarm', { body: text, tag: 'lookout.alarms' });
  notice.onclick = () => {
    window.focus();
    onClick();
    notice.close();
  };
}
