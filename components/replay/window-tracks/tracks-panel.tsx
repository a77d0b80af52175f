'use client';

import { FileCheck2 } from 'lucide-react';
import { useState } from 'react';
import { useFilter, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceRow } from '../../ui/choice-row.tsx';
import { ToneMark } from '../../ui/tone-mark.tsx';
import type { IncidentAnswer } from './answer.ts';
import { AREA_NOT_LOADED } from './answer-csv.ts';
import { AnswerDialog } from './answer-dialog.tsx';
import { TracksList } from './tracks-list.tsx';
import { useAnswer } from './use-answer.ts';
import { useWindowTracks } from './use-window-tracks.ts';

export function TracksPanel() {
  const { replay, display } = useLookout();
  const { isCurrent } = useWindowTracks();
  const answer = useAnswer();
  const [given, setGiven] = useState<IncidentAnswer>();

  if (!answer) return <p className="px-1 py-3 text-dim text-table">Looking through the window…</p>;
  const jump = (ref: string, at: UpstreamInstant) => {
    replay.command({ do: 'pause' });
    replay.command({ do: 'seek', to: at });
    display.select(ref);
  };
  return (
    <section aria-label="Tracks in this window" aria-busy={!isCurrent} data-testid="window-tracks" className="pt-1">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <div role="status" className="min-w-0 flex-1 basis-64 text-table">
          <Verdicts answer={answer} />
        </div>
        <KindChoice />
        <Button look="primary" onClick={() => setGiven(answer)}>
          <FileCheck2 aria-hidden size={14} />
          Answer
        </Button>
      </div>
      <TracksList answer={answer} onJump={jump} />
      {given && <AnswerDialog answer={given} onClose={() => setGiven(undefined)} />}
    </section>
  );
}

const TONES = { yes: 'warning', no: 'good', open: 'warning', 'not-asked': 'neutral' } as const;

function Verdicts({ answer }: { readonly answer: IncidentAnswer }) {
  return (
    <ul>
      {answer.verdicts.map(({ kind, answer: tone, headline, details }) => (
        <li key={kind} data-kind={kind} data-answer={tone} className="flex items-baseline gap-2">
          <ToneMark tone={TONES[tone]} />
          <span>
            <span className="font-semibold">{headline}</span> <span className="text-dim">{details.join(' ')}</span>
          </span>
        </li>
      ))}
      {!answer.completeness.isAreaLoaded && <li className="text-warning">{AREA_NOT_LOADED}</li>}
    </ul>
  );
}

function KindChoice() {
  const { filter, change } = useFilter();
  const isReplayed = useValue(useLookout().layersOn).size > 0;
  if (!isReplayed) return null;
  return (
    <ChoiceRow
      label="Kind"
      hidesLabel
      value={filter.kind ?? 'both'}
      choices={[
        { value: 'both', label: 'Both' },
        { value: 'drone', label: 'Drones' },
        { value: 'aircraft', label: 'Aircraft' },
      ]}
      onChange={(kind) => change({ kind: kind === 'both' ? undefined : kind })}
    />
  );
}
