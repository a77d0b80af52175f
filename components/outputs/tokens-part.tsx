import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  HISTORY_A_DAY_MAX,
  type MadeReadToken,
  madeReadTokenSchema,
  type NewReadToken,
  REQUESTS_A_MINUTE,
  type ReadToken,
} from '#lib/api/outputs/read-token.ts';
import { TOKEN_PERMISSIONS, type TokenPermission } from '#lib/api/people/permission.ts';
import { readTokensQuery } from '#lib/client/account/account-requests.ts';
import { LookoutRequestError, sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import { viewsQuery } from '#lib/client/views/views-query.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { addMs, formatInstant, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { momentText } from '../account/account-text.ts';
import { type Change, ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { ReadFailure, staysShown } from '../account/page-parts.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { classNames } from '../ui/class-names.ts';
import { ShownOnce } from '../ui/copy-button.tsx';
import { ChoiceField, TextField, ToggleRow } from '../ui/form-fields.tsx';
import { RemovalQuestion } from '../ui/removal-question.tsx';
import { readBox } from './destination-form.tsx';

interface TokensPartProps {
  readonly zone: ClockZone;
  readonly publicOrigin: string | undefined;
}

/** Tokens of programs and walls. A token is shown once, when it is made. */
export function TokensPart({ zone, publicOrigin }: TokensPartProps) {
  const { data, error } = useQuery(readTokensQuery());
  const [made, setMade] = useState<MadeReadToken>();
  const change = useChange();
  const now = data && instantOf(data.as_of);
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  return (
    <Card title="Tokens">
      <p className="text-dim">A token lets one program or one wall do what you choose.</p>
      {error && <ReadFailure error={error} />}
      {!data && !error && <p className="text-dim">Reading the tokens…</p>}
      {data?.tokens.length === 0 && <p>No tokens yet.</p>}
      {data && data.tokens.length > 0 && (
        <ul aria-label="Tokens" className="divide-y divide-line rounded-control border border-line">
          {data.tokens.map((token) => (
            <Token key={token.id} token={token} zone={zone} now={now} change={change} />
          ))}
        </ul>
      )}
      <ChangeNotes change={change} />
      {made && (
        <Secret
          made={made}
          // An admin may use another address, such as a tunnel.
          origin={publicOrigin ?? window.location.origin}
          onHide={() => setMade(undefined)}
        />
      )}
      {now !== undefined && <NewTokenForm now={now} onMade={setMade} />}
    </Card>
  );
}

interface TokenProps {
  readonly token: ReadToken;
  readonly zone: ClockZone;
  readonly now: UpstreamInstant | undefined;
  readonly change: Change;
}

function Token({ token, zone, now, change }: TokenProps) {
  const [isAsked, setAsked] = useState(false);
  const { id, name, ends_at } = token;
  const { data: views } = useQuery({ ...viewsQuery(), enabled: token.view !== null });
  const view = views?.views.find((each) => each.id === token.view && each.shared);
  const isOver = ends_at !== null && now !== undefined && instantOf(ends_at) <= now;
  const revoke = async () => {
    await sendToLookout('DELETE', `/api/admin/read-tokens/${id}`);
    return `${name} opens nothing any more.`;
  };
  if (isAsked)
    return (
      <li aria-label={name} className="px-3 py-2">
        <RemovalQuestion
          label={`Revoke ${name}?`}
          action="Revoke"
          look="danger"
          isBusy={change.isSending}
          onKeep={() => setAsked(false)}
          onRemove={() => change.make(revoke)}
        >
          Revoke “{name}”? It stops at once.
        </RemovalQuestion>
      </li>
    );
  return (
    <li aria-label={name} className="flex flex-wrap items-center justify-between gap-3 px-3 py-2">
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-words font-medium">{name}</p>
        <p className={classNames('break-words text-caption', isOver ? 'text-warning' : 'text-dim')}>
          {usedText(token, isOver, zone)}
        </p>
        <p className="break-words text-caption text-dim">{opensText(token, view?.name)}</p>
      </div>
      <Button onClick={() => setAsked(true)} aria-label={`Revoke ${name}…`}>
        Revoke…
      </Button>
    </li>
  );
}

interface SecretProps {
  readonly made: MadeReadToken;
  readonly origin: string;
  readonly onHide: () => void;
}

function Secret({ made: { token, secret }, origin, onHide }: SecretProps) {
  if (token.view !== null)
    return (
      // The fragment of an address is sent to no server.
      <ShownOnce title="Address" what="address" name={token.name} text={`${origin}/wall#${secret}`} onHide={onHide}>
        <p className="text-caption text-dim">Open it in the browser of the wall. It works once.</p>
      </ShownOnce>
    );
  const addresses = new Map(
    token.scopes.map((scope): [string, string] => {
      if (scope === 'aircraft')
        return ['tar1090, graphs1090, dump1090-exporter', `/api/feeds/${secret}/data/${scope}.json`];
      if (scope === 'features')
        return ['QGIS and ogr2ogr, with the token in the Authorization header', '/api/features'];
      return ['the HTTP API, with the token in the Authorization header', '/api'];
    }),
  );
  return (
    <ShownOnce title="Token" what="token" name={token.name} text={secret} onHide={onHide}>
      {[...addresses].map(([programs, path]) => (
        <p key={programs} className="text-caption text-dim">
          For {programs}: <code className="select-all break-all font-mono text-text">{origin + path}</code>
        </p>
      ))}
    </ShownOnce>
  );
}

type AltitudeName = (typeof ALTITUDE_CHOICES)[number]['value'];
type Lasts = (typeof LASTS_CHOICES)[number]['value'];

interface NewTokenFormProps {
  /** The time of the server. */
  readonly now: UpstreamInstant;
  readonly onMade: (made: MadeReadToken) => void;
}

function NewTokenForm({ now, onMade }: NewTokenFormProps) {
  const change = useChange();
  const [scopes, setScopes] = useState<readonly TokenPermission[]>(['aircraft']);
  const [altitude, setAltitude] = useState<AltitudeName>('none');
  const [lasts, setLasts] = useState<Lasts>('365');
  const isWall = scopes.includes('wall');
  const hasAltitude = scopes.includes('aircraft');
  const hasPast = scopes.includes('read-history');
  return (
    <ChangeForm
      change={change}
      onSubmit={async (fields) => {
        const text = (name: string) => String(fields.get(name) ?? '');
        const body: NewReadToken = {
          name: text('name'),
          scopes: [...scopes],
          area: areaOf(text('area')),
          altitude_as: altitude === 'none' || !hasAltitude ? null : altitude,
          ends_at: lasts === 'open' ? null : formatInstant(addMs(now, Number(lasts) * DAY_MS)),
          requests_a_minute: isWall ? REQUESTS_A_MINUTE.default : Number(text('requests')),
          history_requests_a_day: hasPast ? Number(text('past')) : 0,
          view: isWall ? text('view') : null,
        };
        const made = await requestJson('POST', '/api/admin/read-tokens', madeReadTokenSchema, { body });
        onMade(made);
        return `${made.token.name} was created.`;
      }}
    >
      <h3 className="font-semibold">New token</h3>
      <TextField label="Name" name="name" maxLength={SHORT_NAME_MAX_LENGTH} />
      <ChoiceRow label="Ends after" oneLine value={lasts} choices={LASTS_CHOICES} onChange={setLasts} />
      <div data-whole-row>
        <ToggleRow
          label="Permissions"
          chosen={scopes}
          choices={TOKEN_PERMISSIONS.map((scope) => ({ value: scope, label: SCOPE_TEXT[scope] }))}
          // A wall has no other permission.
          onChange={(chosen) => setScopes(chosen.at(-1) === 'wall' ? ['wall'] : chosen.filter((one) => one !== 'wall'))}
        />
      </div>
      {isWall ? (
        <WallView />
      ) : (
        <>
          <TextField
            label="Area"
            name="area"
            maxLength={80}
            optional
            note="West, south, east, north in degrees, such as 7,46,9,48. Empty: everywhere."
          />
          <TextField
            label="Uses a minute"
            name="requests"
            type="number"
            defaultValue={REQUESTS_A_MINUTE.default}
            min={1}
            max={REQUESTS_A_MINUTE.max}
          />
        </>
      )}
      {hasPast && (
        <TextField
          label="Requests a day for the past"
          name="past"
          type="number"
          defaultValue={0}
          min={0}
          max={HISTORY_A_DAY_MAX}
          note="From the allowance that all share. 0: only what is stored."
        />
      )}
      {hasAltitude && (
        <ChoiceRow
          label="Altitude in feet"
          note="The datum of altitude_m is unknown. Either name claims one: choose it only for programs that need a height."
          value={altitude}
          choices={ALTITUDE_CHOICES}
          onChange={setAltitude}
        />
      )}
      <ChangeNotes change={change} />
      <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
        Create token
      </Button>
    </ChangeForm>
  );
}

/** The choice of what a wall shows: everyone who sees the wall sees the view, so it is a shared one. */
function WallView() {
  const { data, error } = useQuery(viewsQuery());
  const shared = data?.views.filter((view) => view.shared) ?? [];
  if (error) return <ReadFailure error={error} />;
  if (data && shared.length === 0) return <p>A wall needs a shared view. Save one on the map, and share it.</p>;
  return <ChoiceField label="View" name="view" choices={shared.map(({ id, name }) => ({ value: id, label: name }))} />;
}

/** @throws LookoutRequestError if the text is no box */
function areaOf(text: string): NewReadToken['area'] {
  const read = readBox(text);
  if ('value' in read) return read.value;
  throw new LookoutRequestError('refused', { said: read.problem });
}

const SCOPE_TEXT: Readonly<Record<TokenPermission, string>> = {
  'read-live': 'Read live',
  'read-alarms': 'Read zones and alarms',
  'read-history': 'Read history',
  'write-permits': 'Write permits',
  'write-zones': 'Write zones',
  acknowledge: 'Acknowledge alarms',
  aircraft: 'aircraft.json',
  features: 'OGC features',
  wall: 'Wall',
};

const ALTITUDE_CHOICES = [
  { value: 'none' as const, label: 'Left out' },
  { value: 'alt_baro' as const, label: 'alt_baro' },
  { value: 'alt_geom' as const, label: 'alt_geom' },
];

/** How long a token lasts, in days of the wall clock. */
const LASTS_CHOICES = [
  { value: '1', label: '1 day' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
  { value: 'open', label: 'Never' },
] as const;

/** @param viewName of a wall; `undefined` while it is not known, or the view is gone */
function opensText(token: ReadToken, viewName: string | undefined): string {
  const { scopes, area, altitude_as, requests_a_minute, history_requests_a_day, view } = token;
  if (view !== null) return viewName === undefined ? 'Wall' : `Wall, shows “${viewName}”`;
  const place = area === null ? 'everywhere' : `within ${formatBbox(boxFromCorners(area))}`;
  const opens = scopes.map((scope) => SCOPE_TEXT[scope]).join(', ');
  return [
    `${opens}, ${place}${altitude_as === null ? '' : `, altitude as ${altitude_as}`}`,
    `${requests_a_minute} uses a minute`,
    ...(scopes.includes('read-history') ? [`${history_requests_a_day} requests a day for the past`] : []),
  ].join(' · ');
}

/** The state first, then its time. */
function usedText({ made_at, made_by, ends_at, used_at }: ReadToken, isOver: boolean, zone: ClockZone): string {
  const at = (time: string) => momentText(time, zone);
  const used = used_at === null ? 'Not used yet' : `Working, last used ${at(used_at)}`;
  const state =
    ends_at === null ? [used, 'no end'] : isOver ? [`Ended ${at(ends_at)}`] : [used, `until ${at(ends_at)}`];
  const made = `created ${at(made_at)}${made_by === '' ? '' : ` by ${made_by}`}`;
  return [...state, made].join(' · ');
}
