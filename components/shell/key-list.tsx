'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { Key } from '../ui/key.tsx';
import { isNonLatin, positionOf } from './pressed-key.ts';
import { SHORTCUT_GROUPS, SHORTCUTS, type ShortcutGroup } from './shortcuts.ts';

const TITLES: Readonly<Record<ShortcutGroup, string>> = {
  map: 'Map',
  track: 'Track',
  replay: 'Replay',
  page: 'Page',
};

/** Keys that are no shortcuts. */
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

/** Letters of the user's keyboard where the browser reports them. */
export function KeyList() {
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

/** The Keyboard API of Chromium browsers. */
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
