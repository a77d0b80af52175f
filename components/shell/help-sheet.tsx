'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { ALARM_NOTICE } from '#lib/zones/alarm-words.ts';
import { CONFIDENCE_EXAMPLES, SYMBOL_EXAMPLES } from '../legend/symbol-examples.tsx';
import { Button } from '../ui/button.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Key } from '../ui/tooltip.tsx';
import { isNonLatin, positionOf, SHORTCUT_GROUPS, SHORTCUTS, type ShortcutGroup } from './shortcuts.ts';

interface HelpSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

const PROMISES = [
  'Only received positions are drawn, each where it was received. A mark moves when a new position arrives; nothing is interpolated.',
  'Age is always visible. A mark fades, becomes a hollow outline when it expires, and is removed later. Ages follow the service’s clock.',
  'A value that was not reported is “not reported”, never 0, and an empty field in exports.',
  'A gap stays a gap: in trails, charts, replays and exports.',
  'Empty, not requested, refused, limited and failed look different. No screen calls an area clear.',
  'A failure does not empty the map: earlier positions continue to age, and the reason is shown.',
  'A view or replay that is not complete shows which part is missing.',
  'Simulated traffic and test broadcasts are tagged on the map, in the table and in every export, and never counted as real.',
  'A filter always shows how many of the received tracks it leaves.',
  'A track reference rotates: it may change while the same aircraft or drone is still received. Two references are never joined.',
  'A replay shows its price in requests before it loads. Loaded once, it costs the next operator nothing.',
  ALARM_NOTICE,
  'A link opens what its sender saw: view, time, filters and selection.',
] as const;

/** The help: every key, every mark, and what Lookout promises. */
export function HelpSheet({ open, onOpenChange }: HelpSheetProps) {
  const [{ singleKeys, hintsSeen }, change] = usePreferences();
  const { version } = useLookout().server;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Help"
      description={`Keys, marks, and what Lookout promises. This is Lookout ${version}.`}
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
          <h3 className="font-semibold">What Lookout promises</h3>
          <ul className="flex list-disc flex-col gap-1 pl-5">
            {PROMISES.map((promise) => (
              <li key={promise}>{promise}</li>
            ))}
          </ul>
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

const TITLES: Readonly<Record<ShortcutGroup, string>> = {
  map: 'Map',
  track: 'Track',
  replay: 'Replay',
  page: 'Page',
};

/** Keys of the table and of pointers: the list of shortcuts has them, too. */
const POINTER_AND_TABLE = [
  {
    shown: '↑↓',
    meaning: 'In the table: move; Enter selects, Shift+Enter adds or removes; on a header it sorts by a second column',
  },
  {
    shown: 'Shift',
    meaning: 'With a click on a mark or row: adds or removes it. With a drag on the map: adds all marks in the box',
  },
];

/** Shortcuts by group, with the letters of the operator's keyboard where the browser reports them. */
function KeyList() {
  const ownLetter = useOwnLetters();
  return (
    <div className="grid grid-cols-2 gap-x-6 gap-y-4 phone:grid-cols-1">
      {SHORTCUT_GROUPS.map((group) => (
        <section key={group}>
          <h4 className="mb-1.5 text-caption font-semibold text-dim">{TITLES[group]}</h4>
          <dl className="flex flex-col gap-1.5">
            {SHORTCUTS.filter((shortcut) => shortcut.group === group).map(({ action, keys, shown, meaning }) => (
              <KeyRow key={action} meaning={meaning}>
                {shownWith(ownLetter(keys[0] ?? ''), shown)}
              </KeyRow>
            ))}
            {group === 'track' &&
              POINTER_AND_TABLE.map(({ shown, meaning }) => (
                <KeyRow key={shown} meaning={meaning}>
                  {shown}
                </KeyRow>
              ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

function shownWith(own: string | undefined, shown: string): string {
  return own === undefined ? shown : `${own} · ${shown}`;
}

function KeyRow({ meaning, children }: { readonly meaning: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-3">
      <dt className="flex w-[88px] shrink-0">
        <Key>{children}</Key>
      </dt>
      <dd>{meaning}</dd>
    </div>
  );
}

/** Only Chromium has the Keyboard API. */
interface KeyboardLayouts {
  readonly getLayoutMap?: () => Promise<ReadonlyMap<string, string>>;
}

/** @returns an upper-case letter; `undefined` where it is Latin or not reported */
function useOwnLetters(): (key: string) => string | undefined {
  const [layout, setLayout] = useState<ReadonlyMap<string, string>>();
  useEffect(() => {
    const { keyboard } = navigator as Navigator & { readonly keyboard?: KeyboardLayouts };
    let isLeft = false;
    keyboard?.getLayoutMap?.().then(
      (map) => {
        if (!isLeft) setLayout(map);
      },
      // A framed page may not read it: the help then shows Latin letters.
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, []);
  return (key) => {
    const position = positionOf(key);
    const typed = position === undefined ? undefined : layout?.get(position);
    return typed !== undefined && isNonLatin(typed) ? typed.toUpperCase() : undefined;
  };
}
