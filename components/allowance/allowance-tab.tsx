'use client';

import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import type { AllowanceStatus } from '#lib/client/status/allowance-status.ts';
import { useStatus } from '#lib/client/status/status-query.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { classNames } from '../ui/class-names.ts';
import { ToneMark } from '../ui/tone-mark.tsx';
import { type AllowanceText, allowanceText, paceText, reportedAtText, statusFailureMessage } from './allowance-text.ts';
import { AreaList } from './area-list.tsx';
import { WhyNoRequests } from './why-no-requests.tsx';

/** The allowance of requests: what is left, why no requests are sent, and what the planned areas take of it. */
export function AllowanceTab({ onShown }: { readonly onShown: () => void }) {
  const { status, failure } = useStatus(true);
  const { now } = useDisplay();
  const [{ zone }] = usePreferences();
  const reportedAt = status && reportedAtText(status.asOf, now, zone);

  return (
    <div data-testid="allowance">
      <div role="status" className="sticky top-0 z-10 border-line border-b bg-surface px-4 py-3 empty:hidden">
        {failure && (
          <p data-testid="status-failure" className="flex items-baseline gap-2">
            <ToneMark tone="bad" />
            <span>
              {statusFailureMessage(failure, zone)}. {status ? 'The last report is shown below.' : 'No report yet.'}
            </span>
          </p>
        )}
        {!status && !failure && <p className="text-dim">Loading the allowance…</p>}
      </div>
      {status && (
        <>
          <div className="flex flex-col gap-4 border-line border-b p-4">
            {reportedAt !== undefined && <p className="text-dim">{reportedAt}</p>}
            <WhyNoRequests status={status} now={now} zone={zone} />
            {status.hasAllowance ? (
              <Allowance status={status} now={now} zone={zone} />
            ) : (
              <p data-testid="no-allowance">
                There is no allowance here: positions come from Lookout’s own service on this machine, which does not
                count requests. Your view is read whenever it changes.
              </p>
            )}
          </div>
          {status.servers && <ServerList {...status.servers} />}
          <AreaList status={status} onShown={onShown} />
        </>
      )}
    </div>
  );
}

interface AllowanceProps {
  readonly status: AllowanceStatus;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

function Allowance({ status, now, zone }: AllowanceProps) {
  const isUnknown = status.minute.remaining === undefined && status.day.remaining === undefined;
  return (
    <>
      <AllowanceMeter label="This minute" testId="allowance-minute" text={allowanceText(status.minute, now, zone)} />
      <AllowanceMeter label="Today" testId="allowance-day" text={allowanceText(status.day, now, zone)} />
      {isUnknown && (
        <p className="text-dim">The service reports what is left with its answers; it has not done so yet.</p>
      )}
      <dl className="flex flex-col gap-1">
        <Figure label="Pace until midnight UTC" testId="allowance-pace" value={paceText(status.pacePerMinute)} />
        <Figure
          label={status.servers ? 'Spent today by all servers' : 'Spent today by this server'}
          testId="allowance-spent"
          value={`${groupedNumber(status.spentToday)} ${status.spentToday === 1 ? 'request' : 'requests'}`}
        />
      </dl>
      <p className="text-caption text-dim">
        Every operator and every key of the account spends from the same allowance.
      </p>
    </>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly testId: string;
}

function Figure({ label, value, testId }: FigureProps) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="text-dim">{label}</dt>
      <dd data-testid={testId} className="text-right font-semibold">
        {value}
      </dd>
    </div>
  );
}

function ServerList({ writer, all }: NonNullable<AllowanceStatus['servers']>) {
  return (
    <section aria-labelledby="servers" data-testid="servers" className="border-line border-b p-4">
      <h2 id="servers" className="pb-2 font-semibold">
        Servers
      </h2>
      <ul className="flex flex-col gap-1">
        {all.map(({ name }) => (
          <li key={name} className="flex items-baseline justify-between gap-4">
            <span className="min-w-0 break-words">{name}</span>
            {name === writer && <span className="whitespace-nowrap text-dim">sends all requests</span>}
          </li>
        ))}
      </ul>
      {writer === null && <p className="text-warning">No server sends requests at present.</p>}
    </section>
  );
}

interface AllowanceMeterProps {
  readonly label: string;
  readonly text: AllowanceText;
  readonly testId: string;
}

function AllowanceMeter({ label, text, testId }: AllowanceMeterProps) {
  const { tone, left, leftFraction, reserved, reset } = text;
  return (
    <section aria-label={label} data-testid={testId} className="relative flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-4">
        <h2 className="text-dim">{label}</h2>
        <p className="flex items-baseline gap-1.5 text-right font-semibold">
          {tone === 'warning' && <ToneMark tone={tone} />}
          <span data-testid={`${testId}-left`}>{left}</span>
        </p>
      </div>
      {leftFraction !== undefined && (
        <>
          <meter className="sr-only" aria-label={label} value={leftFraction} aria-valuetext={left} />
          <div aria-hidden className="h-2 overflow-hidden rounded-full border border-edge bg-background">
            <div
              className={classNames(
                'h-full forced-color-adjust-none forced-colors:bg-[CanvasText]',
                tone === 'warning' ? 'bg-warning' : 'bg-dim',
              )}
              style={{ width: `${leftFraction * 100}%` }}
            />
          </div>
        </>
      )}
      {reserved !== undefined && <p className="text-caption text-dim">{reserved}</p>}
      <p className="text-caption text-dim">{reset}</p>
    </section>
  );
}
