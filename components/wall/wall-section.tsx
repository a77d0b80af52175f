'use client';

import { useQuery } from '@tanstack/react-query';
import { MonitorPlay } from 'lucide-react';
import { useId, useState } from 'react';
import { formatWall, requestsPerHour, WALL_EVERY_S, WALL_VIEWS_MAX, type WallTurns } from '#lib/api/wall-address.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { viewsQuery } from '#lib/client/views/views-query.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

const EVERY = WALL_EVERY_S.map((seconds) => ({ value: String(seconds), label: durationText(seconds * SECOND_MS) }));

/** Opens the wall display of this view, or of saved views in turn, after it has shown their price. */
export function WallSection() {
  const id = useId();
  const { server } = useLookout();
  const [{ theme }] = usePreferences();
  const { data } = useQuery(viewsQuery());
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [everyS, setEveryS] = useState<WallTurns['everyS']>(60);
  const saved = data?.views ?? [];
  const views = saved.filter((view) => chosen.includes(view.id));
  const isFull = views.length >= WALL_VIEWS_MAX;
  const requests = requestsPerHour(
    views.map((view) => view.query),
    everyS,
  );
  const open = () => {
    const wall = { views: views.map((view) => view.id), everyS, theme: theme === 'system' ? undefined : theme };
    window.location.assign(formatWall(wall, window.location.search));
  };
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 border-line border-b pb-4">
      <h3 id={id} className="font-semibold">
        Wall display
      </h3>
      <p className="text-caption text-dim">
        This view for a large screen: no panels, a large clock, layers and alarms.
      </p>
      {saved.length > 0 && (
        <details>
          <summary className="font-medium">Saved views in turn</summary>
          <div className="flex flex-col gap-2 pt-2">
            {saved.map(({ id: view, name }) => (
              <SwitchRow
                key={view}
                label={name}
                checked={chosen.includes(view)}
                onChange={(isOn) => {
                  if (!isOn) setChosen(chosen.filter((other) => other !== view));
                  else if (!isFull) setChosen([...chosen, view]);
                }}
              />
            ))}
            {isFull && <p className="text-caption text-dim">Up to {WALL_VIEWS_MAX} views.</p>}
          </div>
        </details>
      )}
      {views.length > 1 && (
        <ChoiceRow
          label="Each view for"
          {...(server.hasAllowance && {
            note: `Each turn reads its place again: ${groupedNumber(requests)} requests an hour or more, unless a zone or another page reads it.`,
          })}
          value={String(everyS)}
          choices={EVERY}
          onChange={(value) => setEveryS(WALL_EVERY_S.find((seconds) => String(seconds) === value) ?? everyS)}
        />
      )}
      <Button className="self-start" onClick={open}>
        <MonitorPlay aria-hidden size={14} />
        Open the wall display
      </Button>
    </section>
  );
}
