'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MadeReadToken, ReadToken } from '#lib/api/outputs/read-token.ts';
import { readTokensQuery } from '#lib/client/account/account-requests.ts';
import { sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { Card } from '../account/account-layout.tsx';
import { ChangeButton } from '../account/change-button.tsx';
import { ChangeNotes } from '../account/change-notes.tsx';
import { ReadFailure, staysShown } from '../account/read-failure.tsx';
import { type Change, useChange } from '../account/use-change.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { NewTokenForm } from './new-token-form.tsx';
import { addressesOf, opensText, tokenHasEnded, usedText } from './read-tokens-text.ts';

interface ReadTokensCardProps {
  readonly zone: ClockZone;
  readonly publicOrigin: string | undefined;
}

export function ReadTokensCard({ zone, publicOrigin }: ReadTokensCardProps) {
  const { data, error } = useQuery(readTokensQuery());
  const [made, setMade] = useState<MadeReadToken>();
  const change = useChange();
  const now = data && instantOf(data.as_of);
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  return (
    <Card title="Read tokens">
      <p className="text-dim">
        A token lets a program read what Lookout watches now. It changes nothing and causes no upstream requests.
        Without tokens, these outputs are off. The upstream has to agree with what you hand on.
      </p>
      {error && <ReadFailure error={error} />}
      {!data && !error && <p className="text-dim">Reading the tokens…</p>}
      {data?.tokens.length === 0 && <p>No program reads from Lookout: there are no tokens.</p>}
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
        <p className="break-words font-medium">
          {name}
          {isOver && <span className="text-warning"> · ended</span>}
        </p>
        <p className="break-words text-caption text-dim">{opensText(token)}</p>
        <p className="break-words text-caption text-dim">{usedText(token, zone)}</p>
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
        <Button onClick={onSeen}>Hide it</Button>
      </div>
    </section>
  );
}
