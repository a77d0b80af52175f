'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type MadeReadToken,
  madeReadTokenSchema,
  type NewReadToken,
  READ_SCOPES,
  type ReadScope,
  type ReadToken,
} from '#lib/api/outputs/read-token.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { readTokensQuery } from '#lib/client/account/account-requests.ts';
import { LookoutRequestError, sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { SHORT_NAME_MAX_LENGTH } from '#lib/text/plain-line.ts';
import { addMs, formatInstant, instantOf, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { momentText } from '../account/account-text.ts';
import { type Change, ChangeButton, ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { ReadFailure, staysShown } from '../account/page-parts.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { classNames } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextField } from '../ui/form-fields.tsx';
import { DestinationsPart } from './destinations-part.tsx';

interface OutputsPageProps {
  readonly viewer: PageViewer;
  /** The origin in `PUBLIC_URL`. */
  readonly publicOrigin: string | undefined;
}

/** The outputs of Lookout, for admins: alarms to destinations, and positions to programs with a token. */
export function OutputsPage({ viewer, publicOrigin }: OutputsPageProps) {
  return (
    <PageFrame viewer={viewer} title="Outputs" path="/admin/outputs">
      {(zone) => (
        <>
          <DestinationsPart zone={zone} />
          <ReadTokensCard zone={zone} publicOrigin={publicOrigin} />
        </>
      )}
    </PageFrame>
  );
}

interface ReadTokensCardProps {
  readonly zone: ClockZone;
  readonly publicOrigin: string | undefined;
}

/** Tokens by which programs read what Lookout watches. A token is shown once, when it is made. */
function ReadTokensCard({ zone, publicOrigin }: ReadTokensCardProps) {
  const { data, error } = useQuery(readTokensQuery());
  const [made, setMade] = useState<MadeReadToken>();
  const change = useChange();
  const now = data && instantOf(data.as_of);
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  return (
    <Card title="Read tokens">
      <p className="text-dim">A token lets a program read what Lookout watches now.</p>
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
          onSeen={() => setMade(undefined)}
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
  const { id, name } = token;
  const isOver = tokenHasEnded(token, now);
  return (
    <li aria-label={name} className="flex flex-wrap items-center justify-between gap-3 px-3 py-2">
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-words font-medium">{name}</p>
        <p className={classNames('break-words text-caption', isOver ? 'text-warning' : 'text-dim')}>
          {usedText(token, isOver, zone)}
        </p>
        <p className="break-words text-caption text-dim">{opensText(token)}</p>
      </div>
      {isAsked ? (
        <div className="flex flex-wrap gap-2">
          <ChangeButton
            change={change}
            look="danger"
            run={async () => {
              await sendToLookout('DELETE', `/api/admin/read-tokens/${id}`);
              return `${name} opens nothing any more.`;
            }}
          >
            Revoke {name}
          </ChangeButton>
          <Button look="quiet" onClick={() => setAsked(false)}>
            Keep
          </Button>
        </div>
      ) : (
        <Button onClick={() => setAsked(true)} aria-label={`Revoke ${name}…`}>
          Revoke…
        </Button>
      )}
    </li>
  );
}

interface SecretProps {
  readonly made: MadeReadToken;
  readonly origin: string;
  onSeen(): void;
}

function Secret({ made: { token, secret }, origin, onSeen }: SecretProps) {
  return (
    <section role="status" className="flex flex-col gap-2 rounded-control border border-warning p-3">
      <p>
        Token <span className="font-semibold">{token.name}</span>, shown this once:
      </p>
      <code data-testid="read-token" className="select-all break-all font-mono">
        {secret}
      </code>
      {addressesOf(token, secret, origin).map(([programs, address]) => (
        <p key={address} className="text-caption text-dim">
          For {programs}: <code className="select-all break-all font-mono text-text">{address}</code>
        </p>
      ))}
      <div className="flex flex-wrap gap-2">
        <CopyButton text={secret} label="Copy the token" />
        <Button onClick={onSeen}>Hide the token</Button>
      </div>
    </section>
  );
}

type Scope = (typeof SCOPE_CHOICES)[number]['value'];
type AltitudeName = (typeof ALTITUDE_CHOICES)[number]['value'];
type Lasts = (typeof LASTS_CHOICES)[number]['value'];

interface NewTokenFormProps {
  /** The time of the server. */
  readonly now: UpstreamInstant;
  readonly onMade: (made: MadeReadToken) => void;
}

function NewTokenForm({ now, onMade }: NewTokenFormProps) {
  const change = useChange();
  const [scope, setScope] = useState<Scope>('aircraft');
  const [altitude, setAltitude] = useState<AltitudeName>('none');
  const [lasts, setLasts] = useState<Lasts>('365');
  return (
    <ChangeForm
      change={change}
      onSubmit={async (fields) => {
        const body: NewReadToken = {
          name: String(fields.get('name')),
          scopes: scope === 'both' ? [...READ_SCOPES] : [scope],
          area: areaOf(String(fields.get('area') ?? '')),
          altitude_as: altitude === 'none' || scope === 'features' ? null : altitude,
          ends_at: lasts === 'open' ? null : formatInstant(addMs(now, Number(lasts) * DAY_MS)),
        };
        const made = await requestJson('POST', '/api/admin/read-tokens', madeReadTokenSchema, { body });
        onMade(made);
        return `${made.token.name} was created.`;
      }}
    >
      <h3 className="font-semibold">New token</h3>
      <TextField label="Name" name="name" type="text" autoComplete="off" maxLength={SHORT_NAME_MAX_LENGTH} />
      <ChoiceRow label="Opens" value={scope} choices={SCOPE_CHOICES} onChange={setScope} />
      <TextField
        label="Area"
        name="area"
        type="text"
        autoComplete="off"
        maxLength={80}
        optional
        note="West, south, east, north in degrees, such as 7,46,9,48. Empty: everywhere that is watched."
      />
      {scope !== 'features' && (
        <ChoiceRow
          label="Altitude in feet"
          note="The datum of altitude_m is unknown. Either name claims one: choose it only for programs that need a height."
          value={altitude}
          choices={ALTITUDE_CHOICES}
          onChange={setAltitude}
        />
      )}
      <ChoiceRow label="Ends after" oneLine value={lasts} choices={LASTS_CHOICES} onChange={setLasts} />
      <ChangeNotes change={change} />
      <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
        Create token
      </Button>
    </ChangeForm>
  );
}

/** @throws LookoutRequestError if the text is no box */
function areaOf(text: string): NewReadToken['area'] {
  const flat = text.replaceAll(/\s/g, '');
  if (flat === '') return null;
  const parsed = parseBbox(flat);
  if (parsed.ok) return corners(parsed.bbox);
  throw new LookoutRequestError('refused', { said: parsed.message });
}

const SCOPE_TEXT: Readonly<Record<ReadScope, string>> = { aircraft: 'aircraft.json', features: 'OGC features' };

const SCOPE_CHOICES = [
  ...READ_SCOPES.map((scope) => ({ value: scope, label: SCOPE_TEXT[scope] })),
  { value: 'both' as const, label: 'Both' },
];

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

function opensText({ scopes, area, altitude_as }: ReadToken): string {
  const outputs = scopes.map((scope) => SCOPE_TEXT[scope]).join(' and ');
  const place = area === null ? 'everywhere that is watched' : `within ${formatBbox(boxFromCorners(area))}`;
  return `${outputs}, ${place}${altitude_as === null ? '' : `, altitude as ${altitude_as}`}`;
}

function tokenHasEnded({ ends_at }: ReadToken, now: UpstreamInstant | undefined): boolean {
  const end = ends_at === null ? undefined : parseInstant(ends_at);
  return end !== undefined && now !== undefined && end <= now;
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

/** The addresses that programs read with a token. */
function addressesOf({ scopes }: ReadToken, secret: string, origin: string): readonly (readonly [string, string])[] {
  return scopes.map((scope) =>
    scope === 'aircraft'
      ? ['tar1090, graphs1090, dump1090-exporter', `${origin}/api/feeds/${secret}/data/aircraft.json`]
      : ['QGIS and ogr2ogr, with the token in the Authorization header', `${origin}/api/features`],
  );
}
