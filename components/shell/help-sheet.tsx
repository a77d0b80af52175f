'use client';

import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { CONFIDENCE_EXAMPLES, SYMBOL_EXAMPLES } from '../legend/symbol-examples.tsx';
import { Button } from '../ui/button.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { KeyList } from './key-list.tsx';

export interface HelpSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Explains keys, marks and ages. */
export function HelpSheet({ open, onOpenChange }: HelpSheetProps) {
  const [{ singleKeys, hintsSeen }, change] = usePreferences();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Help"
      description="What the keys do, and what marks and ages mean."
    >
      <div className="flex flex-col gap-6">
        <section>
          <h3 className="mb-2 font-semibold">Keys</h3>
          {!singleKeys && <p className="mb-2 text-dim">Single-letter keys are off; switch them on in the View tab.</p>}
          <KeyList />
        </section>
        <section>
          <h3 className="mb-2 font-semibold">Marks</h3>
          <dl className="grid grid-cols-2 gap-x-6 gap-y-2 phone:grid-cols-1">
            {[...SYMBOL_EXAMPLES, ...CONFIDENCE_EXAMPLES].map(({ name, meaning, mark }) => (
              <div key={name} className="grid grid-cols-[48px_1fr] items-center gap-x-3">
                <dt className="contents font-medium">
                  <span className="row-span-2 flex justify-center">{mark}</span>
                  <span className="font-medium">{name}</span>
                </dt>
                <dd className="text-caption text-dim">{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">Positions and ages</h3>
          <p>
            Only received positions are drawn. Nothing is interpolated or kept moving: a mark jumps when a new position
            arrives. Ages are measured against the service’s clock, and a position expires when the service says so.
          </p>
          <p>
            A value that was not reported stays “not reported”; it is never 0. A track reference is a rotating handle:
            it may change while the same aircraft or drone is still received.
          </p>
          <CoverageNotice />
          {hintsSeen.length > 0 && (
            <Button
              className="self-start"
              onClick={() => {
                change({ hintsSeen: [] });
                onOpenChange(false);
              }}
            >
              Show the first hints again
            </Button>
          )}
        </section>
      </div>
    </Dialog>
  );
}
