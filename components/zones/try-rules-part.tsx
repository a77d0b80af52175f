'use client';

import { useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import { useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { validTerms } from '#lib/client/zones/permit-draft.ts';
import { permitsQuery } from '#lib/client/zones/permits-query.ts';
import type { TrialResult } from '#lib/client/zones/try-rules.ts';
import type { ZoneDraft } from '#lib/client/zones/zone-draft.ts';
import { type ClockZone, clockText, shortClockText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import { Button } from '../ui/button.tsx';
import { FormPart } from '../ui/form-fields.tsx';

const LISTED_MAX = 50;

/** Evaluates the rules of a draft on a loaded replay, in this page. */
export function TryRulesPart({ draft }: { readonly draft: ZoneDraft }) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const window = useReplay((summary) => summary?.playback.window);
  const [results, setResults] = useState<readonly TrialResult[]>([]);
  const [state, setState] = useState<'idle' | 'trying' | 'failed'>('idle');
  const queries = useQueryClient();
  const permitsOf = async (zone: ZoneDraft['before']) => {
    if (!zone || !window) return [];
    const span = { start: formatInstant(window.start), end: formatInstant(window.end) };
    const { permits } = await queries.fetchQuery(permitsQuery(span));
    return permits.filter((permit) => permit.zone.id === zone.id).map(validTerms);
  };
  const run = async () => {
    const { session } = lookout.replay;
    if (!session || !window) return;
    setState('trying');
    try {
      // The evaluation is loaded with the first trial.
      const { tryRules } = await import('#lib/client/zones/try-rules.ts');
      const result = tryRules(draft, session.store, window, await permitsOf(draft.before));
      setResults((before) => [result, ...before.slice(0, 1)]);
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  const [now, before] = results;
  const warning = now && trialWarning(now, clock);
  return (
    <FormPart title="Try it first" closedText={now ? trialText(now) : 'On a loaded past'}>
      {window === undefined ? (
        <>
          <p className="text-dim">A replay has the past that the rules are tried on. The zone stays open meanwhile.</p>
          <Button className="self-start" onClick={() => toggleReplay(lookout)}>
            Open a replay
          </Button>
        </>
      ) : (
        <Button
          className="self-start"
          disabled={draft.shape === undefined || draft.rules.length === 0 || !isLoaded || state === 'trying'}
          onClick={() => void run()}
        >
          <FlaskConical aria-hidden size={14} />
          Try on {shortClockText(window.start, clock)} to {shortClockText(window.end, clock)}
        </Button>
      )}
      {window !== undefined && !isLoaded && <p className="text-dim">The replay is not loaded yet.</p>}
      {state === 'failed' && (
        <p role="alert" className="text-bad">
          The rules could not be tried. Try again.
        </p>
      )}
      {now && (
        <div role="status">
          <p className="font-medium">{trialText(now)}</p>
          {warning !== undefined && <p className="text-warning">{warning}</p>}
          {before && <p className="text-dim">Before: {trialText(before)}</p>}
        </div>
      )}
      {now && now.alarms.length > 0 && (
        <ul className="max-h-60 overflow-y-auto rounded-control border border-line" data-testid="trial">
          {now.alarms.slice(0, LISTED_MAX).map(({ key, at, ref, heightUnknown }) => (
            <li key={key}>
              <button
                type="button"
                className="flex min-h-7 w-full items-center gap-2 px-2 text-left hover:bg-raised phone:min-h-11"
                onClick={() => {
                  lookout.replay.command({ do: 'seek', to: at });
                  if (ref !== undefined) lookout.display.select(ref);
                }}
              >
                <span className="font-mono">{clockText(at, clock)}</span>
                <span className="font-mono">{ref === undefined ? 'Nothing received' : shortReference(ref)}</span>
                {heightUnknown && <span className="text-caption text-dim">height unknown</span>}
              </button>
            </li>
          ))}
          {now.alarms.length > LISTED_MAX && (
            <li className="px-2 py-1 text-dim">and {now.alarms.length - LISTED_MAX} more</li>
          )}
        </ul>
      )}
      <p className="text-caption text-dim">Only loaded positions are tested.</p>
    </FormPart>
  );
}

/** With more, an operator who looks at each for a minute does nothing else. */
const MANY_AN_HOUR = 60;

/** @returns `undefined` if an operator can look at all alarms */
export function trialWarning({ isSuspended, busiest }: TrialResult, clock: ClockZone): string | undefined {
  if (isSuspended) return 'Too many alarms to list: Lookout would suspend this rule. Narrow it.';
  if (!busiest || busiest.alarms <= MANY_AN_HOUR) return undefined;
  return `Busiest hour: ${groupedNumber(busiest.alarms)} alarms from ${shortClockText(busiest.start, clock)}. Narrow the rule.`;
}

/** `14 alarms in 60 min · 3 without a height · 2 expected`. */
function trialText({ alarms, window, positions }: TrialResult): string {
  const count = alarms.length === 1 ? '1 alarm' : `${groupedNumber(alarms.length)} alarms`;
  const unknown = alarms.filter(({ heightUnknown }) => heightUnknown).length;
  const expected = alarms.filter((alarm) => alarm.expected).length;
  return [
    `${count} in ${durationText(windowLengthMs(window))}`,
    unknown > 0 ? `${unknown} without a height` : [],
    expected > 0 ? `${expected} expected` : [],
    `${groupedNumber(positions)} positions near the zone`,
  ]
    .flat()
    .join(' · ');
}
