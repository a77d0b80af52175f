'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { FAILURES } from '#lib/api/layer-reason.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useLookout, useMay } from '#lib/client/page/lookout-context.tsx';
import { type LookoutRequestError, sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { NO_ANSWER } from '#lib/client/request/refusal-message.ts';
import type { AllowanceStatus } from '#lib/client/status/status-query.ts';
import { refreshStatus } from '#lib/client/status/status-query.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../ui/button.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { reasonText, untilText } from './allowance-text.ts';

interface WhyNoRequestsProps {
  readonly status: AllowanceStatus;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

/** Why no requests are sent, with a button that has the service checked again. Without a problem it shows nothing. */
export function WhyNoRequests({ status, now, zone }: WhyNoRequestsProps) {
  const problems = whyNoRequestsText(status, now, zone);
  // The checks live outside the rows: a layer leaves the list while it is checked.
  const rechecks = { rid: useRecheck('rid'), adsb: useRecheck('adsb'), account: useRecheck('account') };
  const may = { layer: useMay('spend'), account: useMay('administer') };
  const mayCheck = (what: Rechecked) => (what === 'account' ? may.account : may.layer);
  if (problems.length === 0) return null;
  return (
    <ul aria-label="Access problems" className="flex flex-col gap-3">
      {problems.map(({ key, tone, sentence, recheck }) => (
        <li key={key} className="flex flex-col items-start gap-2">
          <p data-testid={`standing-${key}`} className="flex items-baseline gap-2">
            <ToneMark tone={tone} />
            <span>{sentence}.</span>
          </p>
          {recheck !== undefined && !mayCheck(recheck) && (
            <p className="pl-[18px] text-caption text-dim">{MAY_NOT_RECHECK}</p>
          )}
          {recheck !== undefined && mayCheck(recheck) && (
            <RecheckButton what={recheck} recheck={rechecks[recheck]} now={now} zone={zone} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface RecheckButtonProps {
  readonly what: Rechecked;
  readonly recheck: ReturnType<typeof useRecheck>;
  readonly now: UpstreamInstant | undefined;
  readonly zone: ClockZone;
}

function RecheckButton({ what, recheck: { isPending, note, request }, now, zone }: RecheckButtonProps) {
  const isBlocked = isPending || (note !== undefined && recheckBlockedUntil(note, now) !== undefined);
  return (
    <div className="flex flex-col gap-1 pl-[18px]">
      {/* A button that is `disabled` would lose the focus. */}
      <Button
        aria-disabled={isBlocked}
        className="self-start aria-disabled:cursor-default aria-disabled:opacity-50"
        onClick={() => {
          if (!isBlocked) request();
        }}
      >
        <RotateCw aria-hidden size={14} />
        {isPending ? 'Checking…' : 'Check again now'}
        <span className="sr-only">: {what === 'account' ? 'all layers' : LAYER_NAME[what]}</span>
      </Button>
      <p role="status" data-testid={`recheck-${what}`} className="text-caption text-dim empty:hidden">
        {note && recheckText(note, now, zone)}
      </p>
    </div>
  );
}

/** A check that an operator asks for. Its note is `undefined` before the first one, and while one is sent. */
function useRecheck(what: Rechecked) {
  const { feed } = useLookout();
  const queries = useQueryClient();
  const { mutate, isPending, isIdle, error, context } = useMutation<
    void,
    LookoutRequestError,
    void,
    Pick<RecheckNote, 'at'>
  >({
    mutationFn: () =>
      what === 'account'
        ? sendToLookout('POST', '/api/admin/allowance')
        : sendToLookout('POST', '/api/status', { recheck: what }),
    onMutate: () => ({ at: feed.now() }),
    // It never rejects: the query keeps its failure.
    onSuccess: () => void refreshStatus(queries),
    // The request fails at once while offline. By default it would wait for the network.
    networkMode: 'always',
  });
  const note: RecheckNote | undefined =
    isIdle || isPending ? undefined : { error: error ?? undefined, at: context?.at };
  return { isPending, note, request: mutate };
}

type Rechecked = Layer | 'account';

interface AccessText {
  /** The key stays the same while the problem lasts. */
  readonly key: string;
  readonly tone: 'warning' | 'bad';
  readonly sentence: string;
  readonly recheck: Rechecked | undefined;
}

/** The problems of all layers together, then those of each layer. */
export function whyNoRequestsText(
  { keyRefused, pausedUntil, usedUpUntil, layers }: AllowanceStatus,
  now: UpstreamInstant | undefined,
  zone: ClockZone,
): readonly AccessText[] {
  const isPaused = pausedUntil !== undefined && (now === undefined || now < pausedUntil);
  const items: AccessText[] = [];
  if (keyRefused) {
    const sentence = `All layers: ${FAILURES.key_refused.live}; one request an hour tries it again`;
    items.push({ key: 'key', tone: 'bad', sentence, recheck: 'account' });
  }
  if (isPaused) {
    const sentence = `All layers: the service asked for no requests until ${untilText(pausedUntil, now, zone)}`;
    items.push({ key: 'paused', tone: 'warning', sentence, recheck: undefined });
  } else if (usedUpUntil !== undefined) {
    const isAhead = now === undefined || now < usedUpUntil;
    const next = isAhead ? `one request checks this at ${untilText(usedUpUntil, now, zone)}` : 'being checked now';
    const sentence = `All layers: the service reports that today’s allowance is used up; ${next}`;
    items.push({ key: 'used-up', tone: 'warning', sentence, recheck: 'account' });
  }
  for (const layer of LAYER_DISPLAY_ORDER) {
    const access = layers[layer];
    if (!('reason' in access)) continue;
    const { state, reason } = access;
    if (
      (keyRefused && reason === 'key_refused') ||
      ((isPaused || usedUpUntil !== undefined) && reason === 'allowance_used_up')
    )
      continue;
    const sentence = `${LAYER_NAME[layer]}: ${reasonText(reason, access, now, zone)}`;
    const isDenied = state === 'denied';
    items.push({ key: layer, tone: isDenied ? 'bad' : 'warning', sentence, recheck: isDenied ? layer : undefined });
  }
  return items;
}

export interface RecheckNote {
  /** `undefined` if Lookout accepted the request. */
  readonly error: Pick<LookoutRequestError, 'kind' | 'code' | 'retryAfterS'> | undefined;
  readonly at: UpstreamInstant | undefined;
}

/** When the service may be checked again; `undefined` if that is now, or not known. */
export function recheckBlockedUntil(
  { error, at }: RecheckNote,
  now: UpstreamInstant | undefined,
): UpstreamInstant | undefined {
  if (!error || !isTooSoon(error) || error.retryAfterS === undefined) return undefined;
  if (at === undefined || now === undefined) return undefined;
  const until = addMs(at, error.retryAfterS * 1000);
  return now < until ? until : undefined;
}

const MAY_NOT_RECHECK = 'It is checked again by itself. Your role may not have it checked sooner.';
const TOO_SOON = 'Checked too recently.';

export function recheckText(note: RecheckNote, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const { error, at } = note;
  if (!error)
    return `Check requested${at === undefined ? '' : ` at ${clockText(at, zone)}`}. The result is shown here.`;
  if (isTooSoon(error)) {
    const until = recheckBlockedUntil(note, now);
    if (until !== undefined) return `${TOO_SOON} It can be checked again at ${clockText(until, zone)}.`;
    if (error.retryAfterS === undefined) return `${TOO_SOON} Try again later.`;
    return at === undefined || now === undefined
      ? `${TOO_SOON} It can be checked again in ${durationText(error.retryAfterS * 1000)}.`
      : 'It can be checked again now.';
  }
  if (error.code === 'not_permitted') return MAY_NOT_RECHECK;
  switch (error.kind) {
    case 'signed-out':
      return 'Not requested: signed out.';
    case 'refused':
    case 'unreadable':
      return 'Not requested: Lookout answered with an error. Try again.';
    case 'unreachable':
      return `Not requested: ${NO_ANSWER}. Try again.`;
  }
}

function isTooSoon({ code }: Pick<LookoutRequestError, 'code'>): boolean {
  return code === 'too_many_attempts';
}
