'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PushAffairs, PushChoices, PushRow } from '#lib/api/people/push.ts';
import {
  forgetPush,
  type PushAbility,
  pushAbility,
  pushHere,
  switchOnPush,
} from '#lib/client/account/push-requests.ts';
import { browserTimeZone } from '#lib/client/browser/time-zone.ts';
import { useDeskPreferences } from '#lib/client/page/desk.tsx';
import { sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { FAILS_AT_ONCE } from '#lib/client/request/request-json.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { FIELD, FORM_GRID } from '../ui/form-fields.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { momentText } from './account-text.ts';
import { type Change, ChangeButton, ChangeNotes, useChange } from './change.tsx';

const WHY_NOT: Readonly<Record<Exclude<PushAbility, 'able'>, string>> = {
  blocked: 'Notifications of this address are blocked. Allow them in the settings of the browser.',
  'not-encrypted': 'Push needs an address with https.',
  'not-installed':
    'On iPhone and iPad, add Lookout to the Home Screen first: Share, then “Add to Home Screen”. Turn push on in that app.',
  unable: 'This browser has no push.',
};

const ENDED = 'Ended by its push service. Turn push on again in that browser.';

const QUIET = { from: '22:00', to: '06:00' } as const;

/** The browsers that receive the person's alarms while Lookout is closed. */
export function PushCard({ push, zone }: { readonly push: PushAffairs; readonly zone: ClockZone }) {
  const change = useChange();
  const [{ units }] = useDeskPreferences();
  const [ability] = useState(pushAbility);
  const ids = push.list.map(({ id }) => id);
  const { data: here } = useQuery({ queryKey: ['push-here', ids], queryFn: pushHere, ...FAILS_AT_ONCE });
  const isOnHere = push.list.some(({ id, is_on }) => id === here && is_on);
  const first = { positions: false, own_zones: false, quiet: null, time_zone: browserTimeZone(), units };
  return (
    <Card title="Push notifications">
      {push.list.length === 0 && (
        <p className="text-dim">Off. With push, alarms reach a browser while Lookout is closed.</p>
      )}
      {push.list.length > 0 && (
        <ul className="divide-y divide-line rounded-control border border-line" aria-label="Push notifications">
          {push.list.map((row) => (
            <PushItem key={row.id} row={row} isHere={row.id === here} zone={zone} change={change} />
          ))}
        </ul>
      )}
      <ChangeNotes change={change} />
      {ability !== 'able' && <p className="text-dim">{WHY_NOT[ability]}</p>}
      {ability === 'able' && !isOnHere && (
        <ChangeButton
          change={change}
          look="primary"
          className="self-start"
          run={async () => {
            await switchOnPush(push.key, first);
            return 'Push is on in this browser.';
          }}
        >
          Turn on in this browser
        </ChangeButton>
      )}
    </Card>
  );
}

interface PushItemProps {
  readonly row: PushRow;
  readonly isHere: boolean;
  readonly zone: ClockZone;
  readonly change: Change;
}

function PushItem({
  row: { id, browser, made_at, is_on, last_arrived_at, problem, choices },
  isHere,
  zone,
  change,
}: PushItemProps) {
  const [isOpen, setOpen] = useState(false);
  const path = `/api/account/push/${id}`;
  const set = (changed: Partial<PushChoices>) =>
    change.make(async () => {
      await sendToLookout('PATCH', path, { ...choices, ...changed });
      return '';
    });
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <div className="min-w-0">
          <p className="font-medium">
            {browser}
            {isHere && <span className="text-dim"> · this one</span>}
          </p>
          <p className="break-words text-caption text-dim">
            since {momentText(made_at, zone)};{' '}
            {last_arrived_at === null ? 'nothing sent yet' : `last sent ${momentText(last_arrived_at, zone)}`}
          </p>
          {!isOpen && <p className="break-words text-caption text-dim">{choicesText(choices)}</p>}
          <p className="break-words text-bad text-caption empty:hidden">{is_on ? problem : ENDED}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {is_on && (
            <>
              <ChangeButton
                change={change}
                aria-label={`Send a trial to ${browser}`}
                run={async () => {
                  await sendToLookout('POST', `${path}/trial`);
                  return `A trial is on its way to ${browser}.`;
                }}
              >
                Send a trial
              </ChangeButton>
              <Button aria-expanded={isOpen} aria-label={`Change push in ${browser}`} onClick={() => setOpen(!isOpen)}>
                Change
              </Button>
            </>
          )}
          <ChangeButton
            change={change}
            aria-label={is_on ? `Turn off in ${browser}` : `Remove ${browser}`}
            run={async () => {
              await sendToLookout('DELETE', path);
              if (isHere) await forgetPush();
              return `Push is off in ${browser}.`;
            }}
          >
            {is_on ? 'Turn off' : 'Remove'}
          </ChangeButton>
        </div>
      </div>
      {isOpen && <ChoicesFields choices={choices} onChange={set} />}
    </li>
  );
}

/** Each change applies at once. */
function ChoicesFields({
  choices: { own_zones, positions, quiet, time_zone },
  onChange,
}: {
  readonly choices: PushChoices;
  readonly onChange: (changed: Partial<PushChoices>) => void;
}) {
  return (
    <div className={FORM_GRID}>
      <SwitchRow
        label="Only my zones"
        note="Off: all zones that you see."
        checked={own_zones}
        onChange={(isOn) => onChange({ own_zones: isOn })}
      />
      <SwitchRow
        label="Height and place"
        note="A lock screen may show them."
        checked={positions}
        onChange={(isOn) => onChange({ positions: isOn })}
      />
      <SwitchRow
        label="Quiet hours"
        note="Alarms in these hours are not sent later, either."
        checked={quiet !== null}
        onChange={(isOn) => onChange({ quiet: isOn ? QUIET : null, time_zone: browserTimeZone() })}
      />
      {quiet && (
        <div className="flex flex-wrap items-center gap-2">
          {(['from', 'to'] as const).map((end) => (
            <input
              key={end}
              type="time"
              required
              aria-label={end === 'from' ? 'Quiet from' : 'Quiet to'}
              value={quiet[end]}
              onChange={({ target: { value } }) => {
                const next = { ...quiet, [end]: value };
                if (value !== '' && next.from !== next.to) onChange({ quiet: next });
              }}
              className={`${FIELD} max-w-28 phone:max-w-36`}
            />
          ))}
          <span className="text-caption text-dim">{time_zone}</span>
        </div>
      )}
    </div>
  );
}

function choicesText({ own_zones, positions, quiet }: PushChoices): string {
  return [
    own_zones ? 'my zones' : 'all zones that I see',
    positions ? 'with height and place' : 'without height and place',
    ...(quiet ? [`quiet ${quiet.from}–${quiet.to}`] : []),
  ].join(' · ');
}
