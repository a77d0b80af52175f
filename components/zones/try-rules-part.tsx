'use client';

import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { toggleReplay } from '#lib/client/page/enter-replay.ts';
import { useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import type { TrialResult } from '#lib/client/zones/try-rules.ts';
import type { ZoneDraft } from '#lib/client/zones/zone-draft.ts';
import { clockText, shortClockText } from '#lib/model/clock-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { Button } from '../ui/button.tsx';
import { FormPart } from './form-parts.tsx';
import { trialText, trialWarning } from './trial-text.ts';

const LISTED_MAX = 50;

export function TryRulesPart({ draft }: { readonly draft: ZoneDraft }) {
  const lookout = useLookout();
  const [{ zone: clock }] = usePreferences();
  const isLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  const window = useReplay((summary) => summary?.playback.window);
  const [results, setResults] = useState<readonly TrialResult[]>([]);
  const [isTrying, setTrying] = useState(false);
  const run = async () => {
    const { session } = lookout.replay;
    if (!session || !window) return;
    setTrying(true);
    try {
      // Loaded with the first trial.
      const { tryRules } = await import('#lib/client/zones/try-rules.ts');
      const result = tryRules(draft, session.store, window);
      setResults((before) => [result, ...before.slice(0, 1)]);
    } finally {
      setTrying(false);
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
          disabled={draft.shape === undefined || draft.rules.length === 0 || !isLoaded || isTrying}
          onClick={() => void run()}
        >
          <FlaskConical aria-hidden size={14} />
          Try on {shortClockText(window.start, clock)} to {shortClockText(window.end, clock)}
        </Button>
      )}
      {window !== undefined && !isLoaded && <p className="text-dim">The replay is not loaded yet.</p>}
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
      <p className="text-caption text-dim">
        The whole past counts as watched here. Positions that were not received or not loaded raise no alarm.
      </p>
    </FormPart>
  );
}
