'use client';

import { useQuery } from '@tanstack/react-query';
import { ListChecks, Volume2 } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import {
  type AlarmGroup,
  groupedAlarms,
  groupId,
  isPending,
  membersOf,
  stageOf,
} from '#lib/client/alarms/alarm-book.ts';
import { groupedBy } from '#lib/client/grouped-by.ts';
import { useLookout, useMay, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { SwitchRow } from '../ui/switch-row.tsx';
import { NoZones } from '../zones/no-zones.tsx';
import { type NoticePermission, noticePermission, requestNotices, showNotice } from './alarm-announcer.tsx';
import { AlarmAnswerForm, useAlarmAnswer } from './alarm-answer.tsx';
import { AlarmGroupRow } from './alarm-row.tsx';
import { type AlarmSelection, SelectBox, SelectionBar, useAlarmSelection } from './alarm-selection.tsx';

const SHOWS = [
  { value: 'open', label: 'Open' },
  { value: 'pending', label: 'New' },
  { value: 'all', label: 'Last 24 h' },
] as const;

const SELECT = 'h-8 min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11';

/**
 * The alarms that wait for an operator, and the last ones. A flood of a zone is one row, which is acknowledged as one.
 * @param onShown lowers the sheet of a small screen
 */
export function AlarmsPage({ onShown }: { readonly onShown: () => void }) {
  const { operator, zones: watching } = useLookout();
  const { alarms, next, failure } = useAlarms();
  const { data } = useQuery(zonesQuery());
  const now = useNow();
  const mayWatch = useMay('watch');
  const [show, setShow] = useState<(typeof SHOWS)[number]['value']>('open');
  const [zone, setZone] = useState<string>();
  const [isMine, setMine] = useState(false);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const zones = data?.zones.map((each) => each.zone) ?? [];
  const own = new Set(zones.filter(({ mine }) => mine).map(({ id }) => id));
  const openId = useValue(watching.openAlarm);
  const isHeld = ({ id, closed }: Alarm) => (id === openId && closed === null) || watching.answers.of(id) !== undefined;
  const items = alarmItems(alarms, { show, zone, ownZones: isMine ? own : undefined }, now, expanded, isHeld);
  const listed = listedAlarms(items);
  const wanted = useValue(watching.wantedRow);
  const isWanted = ({ id }: Alarm) => id === wanted;
  if ((zone !== undefined || isMine) && alarms.some(isWanted) && !listed.some(isWanted)) {
    setZone(undefined);
    setMine(false);
  }
  const hidden = pendingOf(alarms, now).length - pendingOf(listed, now).length;
  const selection = useAlarmSelection(listed);
  const selects = selection.isOn ? selection : undefined;
  const list = useRef<HTMLUListElement>(null);
  useAcknowledgeKey(list, items.length > 0);
  return (
    <div className="flex min-h-full flex-col">
      <div className="flex items-center gap-2 px-4 py-2">
        <select
          aria-label="Show"
          value={show}
          onChange={({ target }) => setShow(SHOWS.find(({ value }) => value === target.value)?.value ?? 'open')}
          className={classNames(SELECT, 'flex-1')}
        >
          {SHOWS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {zones.length > 1 && (
          <ZoneChoice zones={zones} zone={zone} onChange={setZone} className={classNames(SELECT, 'flex-1')} />
        )}
        {operator !== undefined && zones.length > 1 && (
          <Button aria-pressed={isMine} onClick={() => setMine(!isMine)}>
            Mine
          </Button>
        )}
        {mayWatch && listed.length > 1 && !selects && (
          <Button onClick={selection.begin}>
            <ListChecks aria-hidden size={14} />
            Select
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
      {hidden > 0 && (
        <p className="flex items-center gap-2 px-4 pb-2 font-semibold text-bad">
          <span className="flex-1">
            {hidden === 1 ? '1 new alarm is not shown here.' : `${hidden} new alarms are not shown here.`}
          </span>
          <Button
            onClick={() => {
              setZone(undefined);
              setMine(false);
            }}
          >
            Show all
          </Button>
        </p>
      )}
      {next !== undefined &&
        items.length === 0 &&
        hidden === 0 &&
        (data?.zones.length === 0 ? (
          <NoZones unshared={data.unshared} />
        ) : (
          <p className="px-4 pb-3 text-dim" data-testid="no-alarms">
            {EMPTY_TEXT[show]}
          </p>
        ))}
      {selects && <SelectionBar selection={selects} alarms={listed} />}
      <ul ref={list} className="divide-y divide-line border-line border-t empty:hidden" data-testid="alarm-list">
        {items.map((item) => (
          <li
            key={item.kind === 'alarm' ? groupId(item.group) : `more ${item.zone.id}`}
            className="group/item [contain-intrinsic-size:auto_112px] [content-visibility:auto]"
          >
            {item.kind === 'alarm' ? (
              <AlarmGroupRow group={item.group} zones={zones} selection={selects} onShown={onShown} />
            ) : (
              <FloodRow
                item={item}
                selection={selects}
                onExpand={() => setExpanded(new Set([...expanded, item.zone.id]))}
              />
            )}
          </li>
        ))}
      </ul>
      <div className="mt-auto border-line border-t px-4 py-3">
        <AlarmSignals />
      </div>
    </div>
  );
}

/**
 * The key goes to the first new alarm, and acknowledges the one that it went to. An alarm that appears meanwhile keeps its
 * distance: the focus stays where it is.
 */
function useAcknowledgeKey(list: RefObject<HTMLUListElement | null>, isListed: boolean): void {
  const { isAlarmWanted } = useLookout().zones;
  const isWanted = useValue(isAlarmWanted);
  useEffect(() => {
    if (!isWanted || !isListed) return;
    isAlarmWanted.set(false);
    const buttons = [
      ...(list.current?.querySelectorAll<HTMLButtonElement>('[data-acknowledges]:not([disabled])') ?? []),
    ];
    const focused = buttons.find((button) => button === document.activeElement);
    if (!focused) {
      buttons[0]?.focus();
      return;
    }
    const following = buttons[buttons.indexOf(focused) + 1] ?? buttons.find((button) => button !== focused);
    focused.click();
    following?.focus();
  }, [isWanted, isListed, isAlarmWanted, list]);
}

interface ZoneChoiceProps {
  readonly zones: readonly Pick<Zone, 'id' | 'name'>[];
  readonly zone: string | undefined;
  readonly onChange: (zone: string | undefined) => void;
  readonly className: string;
}

/** Chooses one zone, or all. */
export function ZoneChoice({ zones, zone, onChange, className }: ZoneChoiceProps) {
  return (
    <select
      aria-label="Zone"
      value={zone ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className={className}
    >
      <option value="">All zones</option>
      {zones.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

const EMPTY_TEXT: Readonly<Record<(typeof SHOWS)[number]['value'], string>> = {
  pending: 'No new alarm from received positions.',
  open: 'No open alarm from received positions.',
  all: 'No alarm in the last 24 h from received positions.',
};

interface FloodRowProps {
  readonly item: Extract<AlarmItem, { kind: 'more' }>;
  readonly selection: AlarmSelection | undefined;
  readonly onExpand: () => void;
}

function FloodRow({ item, selection, onExpand }: FloodRowProps) {
  const mayWatch = useMay('watch');
  const now = useNow();
  const answering = useAlarmAnswer(`more ${item.zone.id}`);
  const { answer, begin } = answering;
  const alarms = listedAlarms([item]);
  const pending = pendingOf(alarms, now);
  const text = `${pending.length} more new alarms in ${item.zone.name}`;
  return (
    <div className="border-bad border-l-3 py-2.5 pr-3 pl-3">
      <p className="flex items-center gap-2 font-semibold">
        {selection && (
          <SelectBox
            label={`Select ${text}`}
            checked={alarms.every(({ id }) => selection.has(id))}
            onToggle={() => selection.toggle(alarms)}
          />
        )}
        {text}
      </p>
      {answer ? (
        <AlarmAnswerForm answering={answering} answer={answer} alarms={pending} />
      ) : (
        <div className="mt-1 flex flex-wrap gap-1.5">
          <Button onClick={onExpand}>Show all</Button>
          {mayWatch && <Button onClick={() => begin('acknowledging')}>Acknowledge these {pending.length}</Button>}
        </div>
      )}
    </div>
  );
}

/** How this browser calls new alarms: by a sound, and by a notification. */
function AlarmSignals() {
  const { sound } = useLookout().zones;
  const [{ alarmSound, alarmNotices }, change] = usePreferences();
  const state = useValue(sound.state);
  const [permission, setPermission] = useState(() => noticePermission());
  const [played, setPlayed] = useState('');
  // Neither `test` nor `ask` rejects: both show their result.
  const test = async () => setPlayed((await sound.play()) ? 'Played.' : '');
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
        {state === 'blocked' ? '' : played}
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

export interface AlarmChoice {
  /** `open` also shows pending alarms that ended. */
  readonly show: 'pending' | 'open' | 'all';
  readonly zone: string | undefined;
  /** Ids of zones; `undefined` for all. */
  readonly ownZones: ReadonlySet<string> | undefined;
}

export type AlarmItem =
  | { readonly kind: 'alarm'; readonly group: AlarmGroup }
  /** The rest of a flood, in one row: `and 41 more in Runway 14`. */
  | { readonly kind: 'more'; readonly zone: Alarm['zone']; readonly groups: readonly AlarmGroup[] };

const SHOWN_OF_A_ZONE = 5;

/** The alarms of the items: in rows of their own, or counted in the row of a flood. */
export function listedAlarms(items: readonly AlarmItem[]): readonly Alarm[] {
  return items.flatMap((item) => (item.kind === 'alarm' ? [item.group] : item.groups)).flatMap(membersOf);
}

function pendingOf(alarms: readonly Alarm[], now: UpstreamInstant | undefined): readonly Alarm[] {
  return alarms.filter((alarm) => isPending(alarm, now));
}

/**
 * The items of the list, new alarms first.
 * @param expanded ids of zones whose flood is listed in full
 * @param isHeld whether an operator reads or answers it: it stays listed, also in a flood and after its end
 */
export function alarmItems(
  alarms: readonly Alarm[],
  { show, zone, ownZones }: AlarmChoice,
  now: UpstreamInstant | undefined,
  expanded: ReadonlySet<string>,
  isHeld: (alarm: Alarm) => boolean = () => false,
): readonly AlarmItem[] {
  const chosen = alarms.filter((alarm) => {
    if (zone !== undefined && alarm.zone.id !== zone) return false;
    if (ownZones && !ownZones.has(alarm.zone.id)) return false;
    if (show === 'all' || isPending(alarm, now) || isHeld(alarm)) return true;
    return show === 'open' && alarm.state !== 'ended' && stageOf(alarm, now) !== 'closed';
  });
  const groups = groupedAlarms(chosen);
  const isNew = (group: AlarmGroup) => pendingOf(membersOf(group), now).length > 0;
  const fresh = groups.filter(isNew);
  const items: AlarmItem[] = [];
  const holds = (group: AlarmGroup) => membersOf(group).some(isHeld);
  const byZone = groupedBy(
    fresh.filter((group) => !holds(group)),
    ({ latest }) => latest.zone.id,
  );
  const listed = new Map<string, number>();
  for (const group of fresh) {
    if (holds(group)) {
      items.push({ kind: 'alarm', group });
      continue;
    }
    const { id } = group.latest.zone;
    const count = listed.get(id) ?? 0;
    listed.set(id, count + 1);
    const its = byZone.get(id) ?? [];
    // A single further alarm fits in the line that would count it.
    const isFlood = its.length > SHOWN_OF_A_ZONE + 1 && !expanded.has(id);
    if (!isFlood || count < SHOWN_OF_A_ZONE) items.push({ kind: 'alarm', group });
    else if (count === SHOWN_OF_A_ZONE)
      items.push({ kind: 'more', zone: group.latest.zone, groups: its.slice(SHOWN_OF_A_ZONE) });
  }
  const others = groups.filter((group) => !isNew(group));
  return [...items, ...others.map((group) => ({ kind: 'alarm' as const, group }))];
}
