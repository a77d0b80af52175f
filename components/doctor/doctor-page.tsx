'use client';

import { useQuery } from '@tanstack/react-query';
import { checkTitle, doctorSummary, type Finding } from '#lib/api/operation/doctor-answer.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { doctorQuery } from '#lib/client/account/account-requests.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { momentText } from '../account/account-text.ts';
import { ReadFailure, staysShown } from '../account/page-parts.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { type MarkedTone, ToneMark } from '../ui/tone-mark.tsx';

/** Whether everything is well, for admins: one line for each check, with what to correct first. */
export function DoctorPage({ viewer }: { readonly viewer: PageViewer }) {
  return (
    <PageFrame viewer={viewer} title="Health" path="/admin/doctor">
      {(zone) => <Examination zone={zone} />}
    </PageFrame>
  );
}

function Examination({ zone }: { readonly zone: ClockZone }) {
  const { data, error, isFetching, refetch } = useQuery(doctorQuery());
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  if (!data) return error ? <ReadFailure error={error} /> : <p className="text-dim">Examining Lookout…</p>;
  const { findings, as_of: asOf } = data;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <p role="status" className="font-semibold">
            {doctorSummary(findings)}
          </p>
          <p className="text-dim">Examined at {momentText(asOf, zone)}</p>
        </div>
        <Button disabled={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </div>
      {error && <ReadFailure error={error} />}
      <ul
        aria-label="Checks"
        className="divide-y divide-line rounded-card border border-line bg-surface [&>li]:px-4 [&>li]:py-3"
      >
        {findings
          .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state))
          .map((finding) => (
            <Line key={`${finding.check} ${finding.found}`} finding={finding} />
          ))}
      </ul>
      <p className="text-dim">
        The command <code>doctor</code> says the same, also while Lookout does not run.
      </p>
    </>
  );
}

const ORDER: readonly Finding['state'][] = ['wrong', 'unknown', 'ok'];
const STATES: Readonly<Record<Finding['state'], readonly [tone: MarkedTone, word: string]>> = {
  ok: ['good', 'Well'],
  wrong: ['bad', 'Wrong'],
  unknown: ['neutral', 'Not known'],
};

function Line({ finding: { check, state, found, remedy } }: { readonly finding: Finding }) {
  const [tone, word] = STATES[state];
  return (
    <li
      aria-label={checkTitle(check)}
      className="grid grid-cols-[7rem_7rem_1fr] gap-x-4 gap-y-1 phone:grid-cols-[1fr_auto]"
    >
      <h2 className="font-semibold">{checkTitle(check)}</h2>
      <span className={classNames('flex items-baseline gap-2', state === 'wrong' ? 'font-semibold' : 'text-dim')}>
        <ToneMark tone={tone} />
        {word}
      </span>
      <div className="min-w-0 break-words phone:col-span-2">
        <p className={state === 'ok' ? 'text-dim' : undefined}>{found}</p>
        {remedy !== null && <p className="font-semibold">{remedy}</p>}
      </div>
    </li>
  );
}
