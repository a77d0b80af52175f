'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { isPending } from '#lib/client/alarms/alarm-book.ts';
import { useDesk, useDeskPreferences } from '#lib/client/page/desk.tsx';
import { titleNewAlarms } from '#lib/client/page/page-title.ts';
import { useAlarmPolling, useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { callText } from './alarm-text.ts';

/**
 * Keeps the alarms up to date while the page is open, and calls new ones: for screen readers, and by sound and notification
 * where the operator wants them. Alarms from before the page was opened are not called. The title of the tab counts them.
 */
export function AlarmAnnouncer() {
  const isAwake = useAlarmPolling();
  const { sound, openAlarms } = useDesk();
  const [{ alarmSound, alarmNotices, units }] = useDeskPreferences();
  const queries = useQueryClient();
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
    if (alarmNotices) void notify(appeared, text);
  });

  /** The notification has the height and place of the first alarm, too, as notices elsewhere have. */
  async function notify([first]: readonly Alarm[], text: string): Promise<void> {
    const known = queries.getQueryData(zonesQuery().queryKey)?.zones.find(({ zone }) => zone.id === first?.zone.id);
    const raised = await import('#lib/zones/alarm-place.ts').then(
      ({ raisedTexts }) => (first ? raisedTexts(first, known?.zone, units) : []),
      () => [],
    );
    showNotice('Lookout: new alarm', [text, raised.join(' · ')].join('\n').trim(), openAlarms);
  }

  const pending = alarms.filter((alarm) => isPending(alarm, now));
  const count = pending.length;
  useEffect(() => titleNewAlarms(count), [count]);
  const ids = pending.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (next === undefined) return;
    const present = new Set(ids === '' ? [] : ids.split(' '));
    const before = known.current;
    known.current = present;
    // The first answer has the alarms from before the page was opened.
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

export type NoticePermission = NotificationPermission | 'missing' | 'insecure';

export function noticePermission(): NoticePermission {
  if (!window.isSecureContext) return 'insecure';
  return 'Notification' in window ? Notification.permission : 'missing';
}

/** Asks the operator. Some policies of pages make the request fail. */
export async function requestNotices(): Promise<NoticePermission> {
  try {
    return await Notification.requestPermission();
  } catch {
    return 'denied';
  }
}

/**
 * Shows a notification, which replaces the one before.
 * @returns whether it is shown: Chrome on Android grants the permission, and refuses to make one
 */
export function showNotice(title: string, body: string, onClick: () => void): boolean {
  if (noticePermission() !== 'granted') return false;
  try {
    const notice = new Notification(title, { body, tag: 'lookout.alarms' });
    notice.onclick = () => {
      window.focus();
      onClick();
      notice.close();
    };
    return true;
  } catch {
    return false;
  }
}
