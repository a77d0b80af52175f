'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { groupId, isPending } from '#lib/client/alarms/alarm-book.ts';
import { useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { useMay } from '#lib/client/page/use-may.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { ALARM_NOTICE } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { AlarmActions } from './alarm-actions.tsx';
import { type AlarmItem, alarmItems } from './alarm-list.ts';
import { AlarmRow } from './alarm-row.tsx';
import { AlarmSignals } from './alarm-signals.tsx';
import { useAlarmAnswer } from './use-alarm-answer.ts';

const SHOWS = [
  { value: 'open', label: 'New and open' },
  { value: 'pending', label: 'Only new' },
  { value: 'all', label: 'Last 24 h' },
] as const;

const SELECT = 'h-8 min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11';

/** @param onShown lowers the sheet of a small screen */
export function AlarmsPage({ onShown }: { readonly onShown: () => void }) {
  const { operator, zones: watching } = useLookout();
  const { alarms, next, failure } = useAlarms();
  const { data } = useQuery(zonesQuery());
  const now = useNow();
  const [show, setShow] = useState<(typeof SHOWS)[number]['value']>('open');
  const [zone, setZone] = useState<string>();
  const [isMine, setMine] = useState(false);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const zones = data?.zones.map((each) => each.zone) ?? [];
  const own = new Set(zones.filter(({ mine }) => mine).map(({ id }) => id));
  const openId = useValue(watching.openAlarm);
  const isHeld = ({ id, closed }: Alarm) => (id === openId && closed === null) || watching.answers.of(id) !== undefined;
  const items = alarmItems(alarms, { show, zone, ownZones: isMine ? own : undefined }, now, expanded, isHeld);
  const expand = (id: string) => setExpanded(new Set([...expanded, id]));
  return (
    <div className="flex min-h-full flex-col">
      <div className="flex items-center gap-2 px-4 py-3">
        <select
          aria-label="Show"
          value={show}
          onChange={({ target }) => setShow(SHOWS.find(({ value }) => value === target.value)?.value ?? 'open')}
          className={SELECT}
        >
          {SHOWS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {zones.length > 1 && (
          <select
            aria-label="Zone"
            value={zone ?? ''}
            onChange={({ target }) => setZone(target.value === '' ? undefined : target.value)}
            className={classNames(SELECT, 'flex-1')}
          >
            <option value="">All zones</option>
            {zones.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        {operator !== undefined && zones.length > 1 && (
          <Button aria-pressed={isMine} onClick={() => setMine(!isMine)}>
            Mine
          </Button>
        )}
      </div>
      {failure && (
        <p role="alert" className="px-4 pb-2 text-bad">
          {next === undefined
            ? `The alarms could not be read, and are read again by themselves. ${failureMessage(failure)}`
            : `These alarms may be out of date. ${failureMessage(failure)}`}
        </p>
      )}
      {next === undefined && !failure && <p className="px-4 text-dim">Reading the alarms…</p>}
      {next !== undefined && items.length === 0 && (
        <p className="px-4 pb-3 text-dim" data-testid="no-alarms">
          {emptyText(show, data?.zones.length)}
        </p>
      )}
      <ul className="divide-y divide-line border-line border-t empty:hidden" data-testid="alarm-list">
        {items.map((item) => (
          <li
            key={item.kind === 'alarm' ? groupId(item.group) : `more ${item.zone.id}`}
            className="[contain-intrinsic-size:auto_96px] [content-visibility:auto]"
          >
            {item.kind === 'alarm' ? (
              <AlarmRow group={item.group} onShown={onShown} />
            ) : (
              <FloodRow item={item} onExpand={() => expand(item.zone.id)} />
            )}
          </li>
        ))}
      </ul>
      <div className="mt-auto flex flex-col gap-3 border-line border-t px-4 py-3">
        <AlarmSignals />
        <p className="text-caption text-dim">{ALARM_NOTICE}</p>
      </div>
    </div>
  );
}

/** @param zoneCount `undefined` while the zones are not read */
function emptyText(show: (typeof SHOWS)[number]['value'], zoneCount: number | undefined): string {
  if (zoneCount === 0) return 'No zone is watched, so there are no alarms.';
  if (show === 'pending') return 'No new alarm from received positions.';
  return show === 'open'
    ? 'No open alarm from received positions.'
    : 'No alarm in the last 24 h from received positions.';
}

interface FloodRowProps {
  readonly item: Extract<AlarmItem, { kind: 'more' }>;
  readonly onExpand: () => void;
}

function FloodRow({ item, onExpand }: FloodRowProps) {
  const mayWatch = useMay('watch');
  const now = useNow();
  const { answer, hasBegun, begin, change, end } = useAlarmAnswer(`more ${item.zone.id}`);
  const count = item.groups.length;
  const pending = item.groups
    .flatMap(({ latest, earlier }) => [latest, ...earlier])
    .filter((each) => isPending(each, now));
  return (
    <div className="border-bad border-l-3 py-2 pr-2 pl-3">
      <p className="font-semibold">
        and {count} more in {item.zone.name}
      </p>
      {answer ? (
        <AlarmActions alarms={pending} answer={answer} onChange={change} takesFocus={hasBegun} onDone={end} />
      ) : (
        <div className="mt-1 flex flex-wrap gap-1.5">
          <Button shape="small-text" onClick={onExpand}>
            Show all
          </Button>
          {mayWatch && (
            <Button shape="small-text" onClick={() => begin('acknowledging')}>
              Acknowledge these {count}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
