'use client';

import { Volume2 } from 'lucide-react';
import { useState } from 'react';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { Button } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { type NoticePermission, noticePermission, requestNotices, showNotice } from './browser-notice.ts';

export function AlarmSignals() {
  const { sound } = useLookout().zones;
  const [{ alarmSound, alarmNotices }, change] = usePreferences();
  const state = useValue(sound.state);
  const [permission, setPermission] = useState(() => noticePermission());
  const [heard, setHeard] = useState('');
  const test = async () => setHeard((await sound.play()) ? 'Played.' : '');
  const ask = async (wanted: boolean) => {
    const given = wanted && permission === 'default' ? await requestNotices() : permission;
    const isRefused = wanted && given === 'granted' && !showNotice('Lookout', 'Notifications are on.', () => undefined);
    setPermission(isRefused ? 'missing' : given);
    change({ alarmNotices: wanted && !isRefused });
  };
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <SwitchRow
            label="Sound for new alarms"
            checked={alarmSound}
            onChange={(wanted) => {
              change({ alarmSound: wanted });
              if (wanted) void sound.prepare();
            }}
          />
        </div>
        <Button onClick={() => void test()}>
          <Volume2 aria-hidden size={14} />
          Test
        </Button>
      </div>
      <p role="status" className="text-caption empty:hidden">
        {state === 'blocked' ? '' : heard}
      </p>
      {alarmSound && state === 'blocked' && (
        <p role="alert" className="text-warning">
          Sound is blocked here: the browser waits for a click on this page. Press Test.
        </p>
      )}
      {state === 'missing' && <p className="text-warning">This browser cannot play sounds.</p>}
      <SwitchRow
        label="Browser notification"
        note={NOTICE_NOTE[permission]}
        checked={alarmNotices && permission === 'granted'}
        onChange={(wanted) => void ask(wanted)}
      />
    </div>
  );
}

const NOTICE_NOTE: Readonly<Record<NoticePermission, string>> = {
  granted: 'One for all tabs of this browser, also while they are hidden.',
  default: 'The browser will ask whether Lookout may show them.',
  denied: 'The browser’s settings forbid notifications of this page.',
  missing: 'This browser shows no notifications of pages.',
  insecure: 'Browsers allow notifications only over HTTPS.',
};
